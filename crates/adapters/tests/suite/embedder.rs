//! Requests of the embedder, against a test server on this machine.

use std::time::Duration;

use crate::stand_in::{Asked, Reply, StandIn};
use adapters::{
    HttpClient, RetryBudget,
    embedder::{EmbedError, Embedder as _, MAX_TEXT_BYTES, MAX_TEXTS, OpenAiEmbedder, Timeouts},
    http_client,
};
use serde_json::json;

/// The key of the embedder, which no error may contain.
pub(crate) const KEY: &str = "sk-hunter2";

/// Time limits for tests: the default for an attempt, so that slow machines pass, and short pauses between retries.
pub(crate) const QUICK: Timeouts = Timeouts {
    whole: Duration::from_secs(30),
    retry: RetryBudget { retries: 2, backoff: Duration::from_millis(1), longest_pause: Duration::from_secs(1) },
};

/// Creates an HTTP client.
pub(crate) fn client() -> HttpClient {
    http_client(Duration::from_secs(5), 4, |_| ()).unwrap()
}

/// Embeds texts with the key [`KEY`] at the endpoint below `url`.
pub(crate) fn embed(url: &str, texts: &[String], timeouts: Timeouts) -> Result<Vec<Vec<f32>>, EmbedError> {
    let embedder = OpenAiEmbedder::new(url, "nomic-embed-text", Some(KEY), client(), timeouts)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(embedder.embed(texts))
}

/// Converts texts to the type that the embedder accepts.
pub(crate) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Responds with an embedding of two dimensions for each text: its length in bytes, and 1.
fn lengths(asked: &Asked, _: usize) -> Reply {
    let number = |text: String| f32::from(u16::try_from(text.len()).unwrap());
    Reply::directions(&asked.texts().into_iter().map(|text| vec![number(text), 1.0]).collect::<Vec<_>>())
}

/// The request has the method, path, headers and body of the embeddings API.
#[test]
fn a_request_is_what_the_api_asks_for() {
    let stand_in = StandIn::answering(lengths);
    let directions = embed(&stand_in.url, &texts(&["a", "four"]), QUICK).unwrap();
    assert_eq!(directions, [[1.0, 1.0], [4.0, 1.0]]);
    let asked = stand_in.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].head[0], "POST /v1/embeddings HTTP/1.1");
    assert!(asked[0].head.contains(&format!("authorization: Bearer {KEY}")), "{:?}", asked[0].head);
    let body = json!({ "model": "nomic-embed-text", "input": ["a", "four"], "encoding_format": "float" });
    assert_eq!(asked[0].body, body);
}

#[test]
fn without_a_key_none_is_sent() {
    let stand_in = StandIn::answering(lengths);
    let embedder = OpenAiEmbedder::new(&stand_in.url, "m", None, client(), QUICK).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(embedder.embed(&texts(&["a"]))).unwrap();
    assert!(stand_in.asked()[0].head.iter().all(|line| !line.starts_with("authorization")));
}

/// No request is sent for an empty list of texts.
#[test]
fn nothing_to_embed_asks_nobody() {
    let stand_in = StandIn::answering(lengths);
    assert_eq!(embed(&stand_in.url, &[], QUICK), Ok(Vec::new()));
    assert_eq!(stand_in.asked().len(), 0);
}

#[test]
fn many_texts_go_in_several_requests_and_long_ones_are_cut_at_a_character() {
    let stand_in = StandIn::answering(lengths);
    let mut many: Vec<_> = (0..=MAX_TEXTS).map(|number| "x".repeat(number + 1)).collect();
    many.push(format!("x{}", "é".repeat(MAX_TEXT_BYTES)));
    let directions = embed(&stand_in.url, &many, QUICK).unwrap();
    let sizes: Vec<_> = stand_in.asked().iter().map(|asked| asked.texts().len()).collect();
    assert_eq!((sizes, directions.len()), (vec![MAX_TEXTS, 2], MAX_TEXTS + 2));
    assert_eq!(directions[9], [10.0, 1.0]);
    let longest = stand_in.asked()[1].texts()[1].len();
    assert_eq!(longest, MAX_TEXT_BYTES - 1, "the last character would have been cut");
}

/// Embeddings are assigned to texts by their index, not by their position in the response.
#[test]
fn the_index_says_which_text_a_direction_is_of() {
    let stand_in = StandIn::answering(|_, _| {
        let data = json!([{ "index": 1, "embedding": [2.0] }, { "index": 0, "embedding": [1.0] }]);
        Reply::Text(json!({ "data": data }).to_string())
    });
    assert_eq!(embed(&stand_in.url, &texts(&["one", "two"]), QUICK).unwrap(), [[1.0], [2.0]]);
}

/// The statuses 429 and 503 are retried.
#[test]
fn a_busy_endpoint_is_asked_again() {
    let stand_in = StandIn::answering(|asked, number| match number {
        0 => Reply::Status(429, "retry-after: 0\r\n", "slow down"),
        1 => Reply::Status(503, "", "starting"),
        _ => lengths(asked, number),
    });
    assert_eq!(embed(&stand_in.url, &texts(&["abc"]), QUICK).unwrap(), [[3.0, 1.0]]);
    assert_eq!(stand_in.asked().len(), 3);
}
