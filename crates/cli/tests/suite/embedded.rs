//! Embedding messages with the embedder that the policy names.

use crate::{
    desk::{Desk, said},
    stand_in::{Reply, StandIn},
};

/// A key that no output may contain.
const KEY: &str = "sk-hunter2";

/// Creates a home with the bundled session imported and a policy that names an embedder at `url`. `more` is appended to
/// the fields of the embedder.
pub(crate) fn desk(url: &str, more: &str) -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    let block = format!("global_default: sonnet\nembedding: {{url: \"{url}\", model: nomic-embed-text{more}}}\n");
    desk.write(".turnwise/routing.yaml", &block);
    desk
}

/// Starts an embeddings endpoint that responds with the same embedding for every text.
pub(crate) fn stand_in() -> StandIn {
    StandIn::answering(|asked, _| {
        Reply::directions(&asked.texts().iter().map(|_| vec![0.5, -0.25, 1.0]).collect::<Vec<_>>())
    })
}

#[test]
fn without_an_embedder_the_lines_to_add_are_shown() {
    let desk = Desk::new();
    insta::assert_snapshot!(said(&desk.run(&["patterns", "embed"])), @r#"
    exit 2
    error: the policy names no embedder; with Ollama running, add to routing.yaml:

    embedding:
      url: "http://localhost:11434/v1"
      model: nomic-embed-text
      # key_env: OPENAI_API_KEY   # the environment variable that holds the key, where one is needed
    "#);
}

#[test]
fn messages_are_embedded_once() {
    let stand_in = stand_in();
    let desk = desk(&stand_in.url, "");
    insta::assert_snapshot!(desk.ok(&["patterns", "embed"]), @"9 messages embedded by nomic-embed-text/3.");
    insta::assert_snapshot!(desk.ok(&["patterns", "embed"]), @"Every message of the log is embedded already.");
    assert_eq!(stand_in.asked().len(), 1);
    let tail = desk.ok(&["events", "tail", "--kind", "turn.embedded"]);
    assert!(tail.contains("turn.embedded"), "{tail}");
    desk.ok(&["replay"]);
}

#[test]
fn the_counts_can_be_read_by_programs() {
    let stand_in = stand_in();
    let desk = desk(&stand_in.url, "");
    insta::assert_snapshot!(desk.ok(&["--json", "patterns", "embed"]), @r#"
    {
      "embedder": "nomic-embed-text/3",
      "embedded": 9,
      "skipped": 0,
      "failed": 0,
      "failure": null
    }
    "#);
}

#[test]
fn the_key_comes_from_the_environment_alone() {
    let stand_in = stand_in();
    let desk = desk(&stand_in.url, ", key_env: EMBEDDING_KEY");
    insta::assert_snapshot!(said(&desk.run(&["patterns", "embed"])), @"
    exit 2
    error: `embedding.key_env` names `EMBEDDING_KEY`, which is not set or is not text: set it to the key
    ");
    let output = desk.command(&["patterns", "embed"]).env("EMBEDDING_KEY", KEY).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(stand_in.asked()[0].head.contains(&format!("authorization: Bearer {KEY}")));
}

/// The error of the endpoint is printed with its cause, and without the key that the response contains.
#[test]
fn an_endpoint_that_fails_is_told_with_its_reason_and_no_secret() {
    let stand_in = StandIn::answering(|_, _| Reply::Status(401, "", "bad key sk-hunter2"));
    let desk = desk(&stand_in.url, ", key_env: EMBEDDING_KEY");
    let output = desk.command(&["patterns", "embed"]).env("EMBEDDING_KEY", KEY).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    assert!(!text.contains("hunter2"), "{text}");
    let told = format!("exit {}\n{}", output.status.code().unwrap(), text.replace(&stand_in.url, "URL"));
    insta::assert_snapshot!(told, @"
    exit 3
    0 messages embedded.
    9 messages not embedded.
    error: `URL/embeddings` answered 401: check the key in the environment variable that `embedding.key_env` names
    The messages embedded so far are recorded; the same command continues with the rest
    ");
}

/// A policy that forbids recording text is an error, and no request is sent.
#[test]
fn where_texts_must_not_be_recorded_nothing_is_embedded() {
    let stand_in = stand_in();
    let desk = desk(&stand_in.url, "");
    let block = format!("privacy: {{record_text: never}}\nembedding: {{url: \"{}\", model: m}}\n", stand_in.url);
    desk.write(".turnwise/routing.yaml", &format!("global_default: sonnet\n{block}"));
    insta::assert_snapshot!(said(&desk.run(&["patterns", "embed"])), @"
    exit 2
    error: the policy says `privacy.record_text: never`: nothing is embedded
    ");
    assert_eq!(stand_in.asked().len(), 0);
}
