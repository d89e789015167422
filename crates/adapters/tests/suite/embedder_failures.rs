//! Messages of embedding errors: they contain the endpoint, the cause and the next step, and no secret.

use std::{net::TcpListener, time::Duration};

use adapters::embedder::{EmbedError, MAX_RESPONSE_BYTES, OpenAiEmbedder, Timeouts};
use serde_json::json;

use crate::{
    embedder::{KEY, QUICK, client, embed, texts},
    stand_in::{Reply, StandIn},
};

/// The text of a user, which a server may repeat in its response and no error may contain.
const SECRET: &str = "the merger is on friday";

/// Embeds two texts at an endpoint with this behaviour. Returns the error message, with `URL` for the URL of the
/// endpoint, and the number of requests. Fails if the error contains a text or the key.
fn said(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (String, usize) {
    let stand_in = StandIn::answering(move |_, number| reply(number));
    let error = embed(&stand_in.url, &texts(&[SECRET, "two"]), QUICK).unwrap_err();
    let all = format!("{error} {error:?}");
    assert!(!all.contains(SECRET) && !all.contains(KEY), "{all}");
    (error.to_string().replace(&stand_in.url, "URL"), stand_in.asked().len())
}

/// Creates a response of status 200 with a body.
fn text(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

/// A status 500 is retried twice; then the error states the number of attempts.
#[test]
fn an_endpoint_that_stays_in_trouble_is_asked_three_times() {
    let (said, asked) = said(|_| Reply::Status(500, "", SECRET));
    assert_eq!(asked, 3);
    insta::assert_snapshot!(said, @"`URL/embeddings` answered 500 at the last of 3 tries: it has trouble of its own, try again later");
}

/// A `Retry-After` above the longest pause ends the retries.
#[test]
fn a_pause_longer_than_anyone_waits_ends_it_at_once() {
    let (said, asked) = said(|_| Reply::Status(429, "retry-after: 3600\r\n", ""));
    assert_eq!(asked, 1);
    insta::assert_snapshot!(said, @"`URL/embeddings` answered 429: it is asked too much, try again later");
}

/// Other statuses are not retried, and each error states the next step.
#[test]
fn a_refusal_is_not_tried_again_and_says_what_to_do() {
    let all: Vec<_> = [400, 401, 404, 302, 418]
        .into_iter()
        .map(|status| {
            let (said, asked) = said(move |_| Reply::Status(status, "location: http://elsewhere/\r\n", SECRET));
            assert_eq!(asked, 1);
            said
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"), @"
    `URL/embeddings` answered 400: a text may be too long for the model, or `embedding.model` is none that embeds
    `URL/embeddings` answered 401: check the key in the environment variable that `embedding.key_env` names
    `URL/embeddings` answered 404: check `embedding.url` and `embedding.model`; Ollama needs `ollama pull` first
    `URL/embeddings` answered 302: it is somewhere else, check `embedding.url`
    `URL/embeddings` answered 418: check `embedding.url`
    ");
}

/// Each invalid response has an error that describes it without its content.
#[test]
fn an_answer_that_makes_no_sense_is_described_and_not_repeated() {
    let answers = [
        SECRET.to_owned(),
        json!([SECRET]).to_string(),
        json!({ "data": [{ "embedding": [1.0] }] }).to_string(),
        json!({ "data": [{ "embedding": [1.0] }, { "embedding": SECRET }] }).to_string(),
        json!({ "data": [{ "embedding": [1.0] }, { "embedding": [] }] }).to_string(),
        json!({ "data": [{ "embedding": [1.0] }, { "embedding": [1e300] }] }).to_string(),
        json!({ "data": [{ "embedding": [1.0] }, { "embedding": [1.0, 2.0] }] }).to_string(),
        json!({ "data": [{ "index": 1, "embedding": [1.0] }, { "index": 1, "embedding": [1.0] }] }).to_string(),
        json!({ "data": [{ "index": 0, "embedding": [1.0] }, { "index": 7, "embedding": [1.0] }] }).to_string(),
    ];
    let all: Vec<_> = answers.into_iter().map(|answer| said(move |_| text(&answer)).0).collect();
    insta::assert_snapshot!(all.join("\n"), @"
    `URL/embeddings` answered what is no JSON, at line 1, column 2: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered JSON of another kind, at line 1, column 26: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered with a list of 1 for 2 texts: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered JSON of another kind, at line 1, column 67: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered with an embedding that has no numbers, or endless ones, at index 1: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered with an embedding that has no numbers, or endless ones, at index 1: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered with embeddings of 1 and of 2 dimensions: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered with two embeddings at index 1: check that `embedding.url` names an embeddings API
    `URL/embeddings` answered with an embedding at index 7 for 2 texts: check that `embedding.url` names an embeddings API
    ");
}

/// Batches whose embeddings differ in dimension are an error.
#[test]
fn two_requests_that_answer_in_different_dimensions_are_no_answer() {
    let stand_in = StandIn::answering(|asked, number| {
        Reply::directions(&asked.texts().iter().map(|_| vec![1.0; number + 1]).collect::<Vec<_>>())
    });
    let many: Vec<_> = (0..65).map(|number| number.to_string()).collect();
    let error = embed(&stand_in.url, &many, QUICK).unwrap_err();
    assert!(error.to_string().contains("of 1 and of 2 dimensions"), "{error}");
}

/// A response above the length limit is an error.
#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let (said, _) = said(|_| Reply::Flood(MAX_RESPONSE_BYTES + 1));
    insta::assert_snapshot!(said, @"`URL/embeddings` answered with more than 8388608 bytes: check that `embedding.url` names an embeddings API");
}

/// An endpoint that sends no response is an error after the time limit.
#[test]
fn an_endpoint_that_says_nothing_is_given_up() {
    let stand_in = StandIn::answering(|_, _| Reply::Silence);
    let timeouts = Timeouts { whole: Duration::from_millis(50), ..QUICK };
    let error = embed(&stand_in.url, &texts(&["a"]), timeouts).unwrap_err();
    assert!(matches!(error, EmbedError::Timeout { .. }), "{error}");
    insta::assert_snapshot!(error.to_string().replace(&stand_in.url, "URL"), @"`URL/embeddings` gave no whole answer within 0.05 s: try again when it is less busy");
}

/// The error of a refused connection names the URL.
#[test]
fn nobody_at_the_address_is_told() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = embed(&format!("http://127.0.0.1:{port}/v1"), &texts(&["a"]), QUICK).unwrap_err();
    let said = error.to_string();
    assert!(said.contains(&format!("`http://127.0.0.1:{port}/v1/embeddings` does not answer")), "{said}");
}

#[test]
fn a_key_that_is_not_set_is_reported_with_the_name_of_its_variable() {
    let unset = Some("TURNWISE_TEST_UNSET_KEY");
    let error = OpenAiEmbedder::with_key_env("http://a/v1", "m", unset, client(), QUICK).unwrap_err();
    assert_eq!(error, EmbedError::KeyUnset { name: "TURNWISE_TEST_UNSET_KEY".to_owned() });
}

/// An invalid URL or key is an error that does not contain the key; nor does the `Debug` output of the embedder.
#[test]
fn an_address_or_a_key_that_cannot_be_used_is_told_without_the_key() {
    let said = |url, key| OpenAiEmbedder::new(url, "m", Some(key), client(), QUICK).unwrap_err().to_string();
    let all = [
        said("ftp://a/v1", KEY),
        said("http://a b", KEY),
        said("http://a/v1", "sk\nhunter2"),
        said("http://me:hunter2@a/v1", KEY),
    ];
    assert!(!all.join("\n").contains("hunter2"));
    insta::assert_snapshot!(all.join("\n"), @"
    `ftp://a/v1/embeddings` cannot be asked: it starts with neither `http://` nor `https://`; check `embedding.url`
    `http://a b/embeddings` cannot be asked: invalid uri character; check `embedding.url`
    the key for `http://a/v1/embeddings` holds characters that no request can carry: check what `embedding.key_env` names
    `an address with a user or a password` cannot be asked: a key goes into `embedding.key_env`; check `embedding.url`
    ");
    let embedder = OpenAiEmbedder::new("http://a/v1", "m", Some(KEY), client(), QUICK).unwrap();
    assert!(!format!("{embedder:?}").contains("hunter2"), "{embedder:?}");
}
