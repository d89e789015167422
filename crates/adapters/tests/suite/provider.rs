//! Requests to a provider over HTTP.

use std::{
    collections::BTreeMap,
    net::TcpListener,
    time::{Duration, Instant},
};

use adapters::{
    ClientRequestParts, HttpProvider, Keys, Operation, Provider as _, ProviderEntry, Providers, ResponseTimeouts,
    RetryBudget, StreamError, UpstreamFailure, UpstreamRequest, UpstreamResponse, http_client,
};
use contracts::{WireApi, events::ErrorClass};
use http_body_util::BodyExt as _;
use hyper::{HeaderMap, body::Bytes, header::HeaderValue};
use mock_upstream::{ConnectionEnd, Failure, Fault, MockUpstream, Settings};

const TIMEOUTS: ResponseTimeouts =
    ResponseTimeouts { first_byte: Duration::from_secs(30), idle: Duration::from_secs(30) };
const RETRY: RetryBudget =
    RetryBudget { retries: 2, backoff: Duration::from_millis(40), longest_pause: Duration::from_secs(1) };
const BODY: &str = r#"{"model":"claude-haiku-4-5","max_tokens":64,"messages":[{"role":"user","content":"hello"}]}"#;
const STREAM_BODY: &str =
    r#"{"model":"claude-haiku-4-5","max_tokens":64,"stream":true,"messages":[{"role":"user","content":"hello"}]}"#;

fn mock() -> MockUpstream {
    MockUpstream::start(Settings::default()).unwrap()
}

/// Creates the provider `anthropic` at the mock's address, with a key unless `key` is `None`.
fn provider(mock: &MockUpstream, key: Option<&str>) -> HttpProvider {
    provider_at(mock.url(), key)
}

fn provider_at(url: String, key: Option<&str>) -> HttpProvider {
    let entry = ProviderEntry { url: Some(url), ..ProviderEntry::default() };
    let entries = BTreeMap::from([("anthropic".to_owned(), entry)]);
    let providers = Providers::new(&entries, &Keys::default(), |_| key.map(str::to_owned)).unwrap();
    let client = http_client(Duration::from_secs(5), 4, |_| ()).unwrap();
    HttpProvider::new(providers.get("anthropic").unwrap().clone(), client)
}

fn request(body: &'static str) -> UpstreamRequest<'static> {
    UpstreamRequest {
        api: WireApi::AnthropicMessages,
        operation: Operation::Generate,
        model: "claude-haiku-4-5",
        stream: body == STREAM_BODY,
        body: Bytes::from_static(body.as_bytes()),
        client: None,
        timeouts: TIMEOUTS,
        retry: RETRY,
        retry_until: None,
    }
}

async fn send(provider: &HttpProvider, body: &'static str) -> Result<UpstreamResponse, UpstreamFailure> {
    provider.send(&request(body)).await
}

/// Sends a request that gets a response, and reads all its chunks.
async fn chunks(provider: &HttpProvider, request: &UpstreamRequest<'_>) -> Vec<Result<Bytes, StreamError>> {
    let mut body = provider.send(request).await.unwrap().body;
    let mut chunks = Vec::new();
    while let Some(frame) = body.frame().await {
        chunks.push(frame.map(|frame| frame.into_data().unwrap()));
    }
    chunks
}

#[tokio::test]
async fn a_response_has_the_status_the_headers_and_all_chunks() {
    let mock = mock();
    let response = send(&provider(&mock, Some("sk-1")), STREAM_BODY).await.unwrap();
    assert_eq!(response.status, 200);
    assert!(response.headers["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let body = response.body.collect().await.unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&body).contains("message_stop"), "{body:?}");
}

#[tokio::test]
async fn a_forwarded_request_keeps_the_clients_headers_but_not_its_key_and_not_ours() {
    let mock = mock();
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("anthropic-beta", "context-1m"),
        ("x-api-key", "sk-client"),
        ("x-turnwise-token", "tw-1"),
        ("cookie", "a=b"),
        ("accept-encoding", "gzip"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let client = Some(ClientRequestParts { headers: &headers, query: Some("beta=true") });
    for key in [Some("sk-ours"), None] {
        provider(&mock, key).send(&UpstreamRequest { client, ..request(BODY) }).await.unwrap();
        let sent = mock.requests().pop().unwrap();
        let header = |name: &str| sent.headers.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str());
        assert!(sent.path.ends_with("/v1/messages?beta=true"), "{}", sent.path);
        assert_eq!(header("anthropic-beta"), Some("context-1m"));
        assert_eq!(header("x-api-key"), Some(key.unwrap_or("sk-client")));
        assert_eq!(header("accept-encoding"), Some("identity"));
        assert_eq!((header("x-turnwise-token"), header("cookie")), (None, None));
    }
}

#[tokio::test]
async fn a_busy_provider_is_sent_the_request_again_until_the_budget_is_used_up() {
    let mock = mock();
    let provider = provider(&mock, Some("sk-1"));
    mock.fail(Failure::times(2, Failure::status(529)));
    assert!(send(&provider, BODY).await.is_ok());
    assert_eq!(mock.count(), 3);
    mock.fail(Failure::times(3, Failure::status(529)));
    let failure = send(&provider, BODY).await.unwrap_err();
    assert_eq!((failure.class, failure.retries), (ErrorClass::Overloaded, 2));
    assert_eq!(failure.status.unwrap(), 529);
    assert!(!failure.body.is_empty());
}

#[tokio::test]
async fn jitter_shortens_the_pauses_by_up_to_a_half() {
    let mock = mock();
    let took = async |random| {
        mock.fail(Failure::times(2, Failure::status(503)));
        let start = Instant::now();
        assert!(send(&provider(&mock, Some("sk-1")).with_random(random), BODY).await.is_ok());
        start.elapsed()
    };
    // 40 ms and 80 ms, and at the least half of each.
    assert!(Duration::from_millis(120) <= took(|| 0).await);
    assert!(Duration::from_millis(60) <= took(|| u32::MAX).await);
}

#[tokio::test]
async fn a_retry_after_beyond_the_longest_pause_ends_the_attempts() {
    let mock = mock();
    mock.fail(Failure::always(Failure::too_many(17)));
    let failure = send(&provider(&mock, Some("sk-1")), BODY).await.unwrap_err();
    assert_eq!((failure.class, failure.retries), (ErrorClass::RateLimit, 0));
    assert_eq!(failure.retry_after, Some(Duration::from_secs(17)));
}

#[tokio::test]
async fn a_rejected_key_of_the_client_does_not_count_against_the_provider() {
    let mock = mock();
    mock.fail(Failure::times(2, Failure::status(401)));
    let class = async |key| send(&provider(&mock, key), BODY).await.unwrap_err().class;
    assert_eq!(class(Some("sk-ours")).await, ErrorClass::Auth);
    assert_eq!(class(None).await, ErrorClass::ClientKey);
    assert_eq!(mock.count(), 2);
}

#[tokio::test]
async fn a_provider_that_does_not_answer_in_time_or_at_all_is_classified() {
    let mock = mock();
    mock.fail(Failure::once(Fault::Never));
    let timeouts = ResponseTimeouts { first_byte: Duration::from_millis(50), ..TIMEOUTS };
    let failure = provider(&mock, Some("sk-1")).send(&UpstreamRequest { timeouts, ..request(BODY) }).await.unwrap_err();
    assert_eq!((failure.class, failure.status), (ErrorClass::Timeout, None));
    // Nothing listens there any more.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = provider_at(format!("http://{address}"), None);
    let refused = gone.send(&UpstreamRequest { retry: RetryBudget::NONE, ..request(BODY) }).await.unwrap_err();
    assert_eq!((refused.class, refused.status), (ErrorClass::Network, None));
}

#[tokio::test]
async fn a_stream_that_stops_or_breaks_ends_in_an_error_and_nothing_follows() {
    let mock = mock();
    let provider = provider(&mock, Some("sk-1"));
    mock.fail(Failure::once(Fault::Stall(2)));
    let timeouts = ResponseTimeouts { idle: Duration::from_millis(50), ..TIMEOUTS };
    let stalled = chunks(&provider, &UpstreamRequest { timeouts, ..request(STREAM_BODY) }).await;
    assert!(stalled.len() > 1 && stalled.last() == Some(&Err(StreamError::Idle)), "{stalled:?}");
    mock.fail(Failure::once(Fault::Cut { after: 2, how: ConnectionEnd::Close }));
    let cut = chunks(&provider, &request(STREAM_BODY)).await;
    assert_eq!(cut.last(), Some(&Err(StreamError::Disconnected)));
    assert_eq!(
        [StreamError::Idle, StreamError::Disconnected].map(StreamError::class),
        [ErrorClass::Timeout, ErrorClass::Network]
    );
}

#[tokio::test]
async fn a_model_name_that_makes_no_url_is_an_invalid_request_that_is_not_sent() {
    let mock = mock();
    let bad = UpstreamRequest { api: WireApi::Gemini, model: "no model", ..request(BODY) };
    let failure = provider(&mock, Some("sk-1")).send(&bad).await.unwrap_err();
    assert_eq!((failure.class, mock.count()), (ErrorClass::InvalidRequest, 0));
}
