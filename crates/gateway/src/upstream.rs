//! Asking a provider: the request as it wants it, with its key, and again when it is busy.

use std::time::Duration;

use contracts::{WireApi, events::ErrorClass};
use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    configuration::{Provider, Timeouts},
    guard::KEY_HEADERS,
};

/// The most bytes of an error that are read.
const MOST_ERROR_BYTES: usize = 64 * 1024;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_GOOG_API_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");
const ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// A client with one pool of connections, over TLS where the address says so.
pub(crate) type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// The way to the providers: one pool of connections.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    client: HttpClient,
    timeouts: Timeouts,
}

/// A request to a provider.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) provider: &'a Provider,
    pub(crate) api: WireApi,
    /// What the provider calls the model.
    pub(crate) model: &'a str,
    pub(crate) stream: bool,
    /// What the client sent: passed on when both speak the same API.
    pub(crate) client: &'a HeaderMap,
    /// The query of the client's address, when both speak the same API.
    pub(crate) query: Option<&'a str>,
    pub(crate) same_api: bool,
    /// What stands behind the address of the API's own, such as `/count_tokens`.
    pub(crate) behind: &'static str,
    pub(crate) body: Bytes,
}

/// A provider that did not answer as asked.
#[derive(Debug, Clone)]
pub(crate) struct Failed {
    pub(crate) class: ErrorClass,
    pub(crate) status: Option<StatusCode>,
    pub(crate) retries: u32,
    /// What it said, for the client when both speak the same API.
    pub(crate) body: Bytes,
    /// How long it wants to be left alone.
    pub(crate) retry_after: Option<HeaderValue>,
    /// It was not asked at all: the request cannot be said to it after all.
    pub(crate) unsayable: bool,
}

/// A provider that answers.
#[derive(Debug)]
pub(crate) struct Answering {
    pub(crate) response: Response<Incoming>,
}

impl Upstream {
    pub(crate) fn new(timeouts: Timeouts) -> Result<Self, std::io::Error> {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(timeouts.connect()));
        connector.set_nodelay(true);
        connector.enforce_http(false);
        let connector =
            HttpsConnectorBuilder::new().with_native_roots()?.https_or_http().enable_http1().wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_mins(1))
            .build(connector);
        Ok(Self { client, timeouts })
    }

    /// The client, for others than providers.
    pub(crate) const fn client(&self) -> &HttpClient {
        &self.client
    }

    /// Asks, and asks again when the provider is busy and does not want to be left alone for long.
    pub(crate) async fn ask(&self, question: &Question<'_>) -> Result<Answering, Failed> {
        let mut retries = 0;
        let mut pause = Duration::from_millis(self.timeouts.backoff_ms);
        loop {
            let mut failed = match self.ask_once(question).await {
                Ok(answering) => return Ok(answering),
                Err(failed) => failed,
            };
            failed.retries = retries;
            let wanted = failed.retry_after.as_ref().and_then(seconds).unwrap_or(pause);
            let longest = Duration::from_millis(self.timeouts.longest_backoff_ms);
            if retries == self.timeouts.retries || !worth_another_try(failed.class) || longest < wanted {
                return Err(failed);
            }
            sleep(wanted).await;
            retries += 1;
            pause = pause.saturating_mul(2);
        }
    }

    pub(crate) async fn ask_once(&self, question: &Question<'_>) -> Result<Answering, Failed> {
        let request = request(question)?;
        let deadline = Instant::now() + self.timeouts.first_byte();
        let response = match timeout(self.timeouts.first_byte(), self.client.request(request)).await {
            Err(_) => return Err(Failed::without_answer(ErrorClass::Timeout)),
            Ok(Err(error)) => {
                let class = if is_timeout(&error) { ErrorClass::Timeout } else { ErrorClass::Network };
                return Err(Failed::without_answer(class));
            }
            Ok(Ok(response)) => response,
        };
        if response.status().is_success() {
            return Ok(Answering { response });
        }
        let (parts, body) = response.into_parts();
        let read = Limited::new(body, MOST_ERROR_BYTES).collect();
        let body = match tokio::time::timeout_at(deadline, read).await {
            Ok(Ok(body)) => body.to_bytes(),
            // What broke off says less than the status.
            Ok(Err(_)) | Err(_) => Bytes::new(),
        };
        Err(Failed {
            class: wire::classify(question.api, parts.status.as_u16(), &body),
            status: Some(parts.status),
            retries: 0,
            body,
            retry_after: parts.headers.get(RETRY_AFTER).cloned(),
            unsayable: false,
        })
    }
}

impl Failed {
    const fn without_answer(class: ErrorClass) -> Self {
        Self { class, status: None, retries: 0, body: Bytes::new(), retry_after: None, unsayable: false }
    }

    /// How long the provider wants to be left alone, in seconds.
    pub(crate) fn retry_seconds(&self) -> Option<u64> {
        self.retry_after.as_ref().and_then(seconds).map(|duration| duration.as_secs())
    }
}

/// Whether asking the same again a moment later may help.
const fn worth_another_try(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::RateLimit | ErrorClass::Overloaded | ErrorClass::ServerError | ErrorClass::Network)
}

/// The seconds of a `Retry-After`, from now on.
pub(crate) fn seconds(value: &HeaderValue) -> Option<Duration> {
    seconds_after(value, SystemClock.now())
}

/// The same at a time: it may be a fraction, or a date.
fn seconds_after(value: &HeaderValue, now: Timestamp) -> Option<Duration> {
    wire::retry_after(value.to_str().ok()?, now.secs()).map(Duration::from_secs)
}

fn is_timeout(error: &hyper_util::client::legacy::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::TimedOut) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Where an API of a provider is.
fn address(question: &Question<'_>) -> String {
    let base = question.provider.url.as_str();
    let versioned = |version: &str| if base.ends_with(version) { String::new() } else { version.to_owned() };
    let behind = question.behind;
    let mut address = match question.api {
        WireApi::AnthropicMessages => format!("{base}{}/messages{behind}", versioned("/v1")),
        WireApi::OpenAiChat => format!("{base}/chat/completions"),
        WireApi::OpenAiResponses => format!("{base}/responses"),
        WireApi::Gemini => {
            let verb = if question.stream { ":streamGenerateContent?alt=sse" } else { ":generateContent" };
            format!("{base}{}/models/{}{verb}", versioned("/v1beta"), question.model)
        }
    };
    for pair in question.query.filter(|_| question.same_api).into_iter().flat_map(|query| query.split('&')) {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        // Google takes a key there, and the way of answering: neither is the client's to say.
        let ours = question.api == WireApi::Gemini && matches!(name, "key" | "alt");
        if !pair.is_empty() && !ours {
            address.push(if address.contains('?') { '&' } else { '?' });
            address.push_str(pair);
        }
    }
    address
}

fn request(question: &Question<'_>) -> Result<Request<Full<Bytes>>, Failed> {
    let mut request = Request::new(Full::new(question.body.clone()));
    *request.method_mut() = Method::POST;
    // An address that cannot be built was given by nobody but the client's own model name.
    *request.uri_mut() = address(question).parse().map_err(|_| Failed::without_answer(ErrorClass::InvalidRequest))?;
    let headers = request.headers_mut();
    if question.same_api {
        for (name, value) in question.client {
            if !is_ours(name) {
                headers.append(name.clone(), value.clone());
            }
        }
    } else {
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("turnwise/", env!("CARGO_PKG_VERSION"))));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let accept = if question.stream { "text/event-stream" } else { "application/json" };
    if !headers.contains_key(ACCEPT) {
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
    }
    // What is compressed cannot be looked at as it passes.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    authorise(question, headers);
    Ok(request)
}

/// Puts the provider's key where its API has it; without one, what the client brought stays.
fn authorise(question: &Question<'_>, headers: &mut HeaderMap) {
    let brought = question.provider.credential.secret().is_none() && question.same_api;
    if brought && matches!(question.provider.credential, crate::configuration::Credential::None) {
        for name in KEY_HEADERS {
            if let Some(value) = question.client.get(&name) {
                headers.insert(name, value.clone());
            }
        }
    }
    if let Some(secret) = question.provider.credential.secret() {
        // They belong to the client's own key.
        headers.remove("openai-organization");
        headers.remove("openai-project");
        match question.api {
            WireApi::AnthropicMessages => headers.insert(X_API_KEY, secret.plain.clone()),
            WireApi::Gemini => headers.insert(X_GOOG_API_KEY, secret.plain.clone()),
            WireApi::OpenAiChat | WireApi::OpenAiResponses => headers.insert(AUTHORIZATION, secret.bearer.clone()),
        };
    }
    if question.api == WireApi::AnthropicMessages && !headers.contains_key(ANTHROPIC_VERSION) {
        headers.insert(ANTHROPIC_VERSION, HeaderValue::from_static("2023-06-01"));
    }
}

/// Headers that concern this connection, or are for the gateway alone.
fn is_ours(name: &HeaderName) -> bool {
    const OURS: [&str; 16] = [
        "host",
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "content-length",
        "accept-encoding",
        "expect",
        "authorization",
        "x-api-key",
        "x-goog-api-key",
    ];
    OURS.contains(&name.as_str())
        || name.as_str().starts_with("x-turnwise-")
        || name == hyper::header::ORIGIN
        || name == hyper::header::COOKIE
}

/// The headers of a provider's answer that a client may see.
pub(crate) fn passed_back(headers: &HeaderMap) -> HeaderMap {
    const THEIRS: [&str; 8] = [
        "connection",
        "keep-alive",
        "transfer-encoding",
        "trailer",
        "upgrade",
        "content-length",
        "set-cookie",
        "alt-svc",
    ];
    headers
        .iter()
        .filter(|(name, _)| !THEIRS.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use contracts::WireApi;
    use event_core::Timestamp;
    use hyper::{HeaderMap, body::Bytes, header::HeaderValue};

    use super::{Question, address, seconds_after};
    use crate::configuration::{Configuration, Keys, Providers};

    #[test]
    fn a_provider_may_ask_to_wait_for_a_fraction_of_a_second_or_until_a_date() {
        let now = Timestamp(784_111_747 * 1_000_000);
        let asked = |text: &'static str| seconds_after(&HeaderValue::from_static(text), now).map(|wait| wait.as_secs());
        assert_eq!(asked("2"), Some(2));
        assert_eq!(asked("1.5"), Some(2));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), Some(30));
        assert_eq!(asked("soon"), None);
    }

    #[test]
    fn the_query_goes_on_without_what_the_gateway_says_itself() {
        let providers = Providers::new(&Configuration::default(), &Keys::default(), |_| None).unwrap();
        let check = |name: &str, api, stream, query, expected: &str| {
            let question = Question {
                provider: providers.get(name).unwrap(),
                api,
                model: "m",
                stream,
                client: &HeaderMap::new(),
                query,
                same_api: true,
                behind: "",
                body: Bytes::new(),
            };
            assert!(address(&question).ends_with(expected), "{} {expected}", address(&question));
            let converted = Question { same_api: false, ..question };
            assert!(!address(&converted).contains("beta=true"), "{}", address(&converted));
        };
        let gemini = WireApi::Gemini;
        let query = Some("key=AI&beta=true&alt=json&%24fields=x");
        check("google", gemini, true, query, "/v1beta/models/m:streamGenerateContent?alt=sse&beta=true&%24fields=x");
        check("google", gemini, false, query, "/v1beta/models/m:generateContent?beta=true&%24fields=x");
        check("google", gemini, false, Some("key=AI"), "/v1beta/models/m:generateContent");
        check("anthropic", WireApi::AnthropicMessages, true, Some("beta=true&key=1"), "/v1/messages?beta=true&key=1");
        check("anthropic", WireApi::AnthropicMessages, true, None, "/v1/messages");
    }
}
