//! Traces: which spans a collector receives, when, and what no span contains.

use gateway::TracesEntry;
use hyper::Method;
use mock_upstream::{Failure, Fault};
use serde_json::{Value, json};

use crate::{
    collector::{Answer, Collector, attribute},
    support::{KEY, SESSION, Wish, World, message, streamed, with_tool_result},
};

/// A rule chooses opus; the default is sonnet.
const POLICY: &str = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\nrules:\n  - {name: best, when: {}, use: opus}\n";

/// Starts a gateway that exports its traces to a collector, whose first responses are `answers`.
fn traced(answers: &[Answer]) -> (World, Collector) {
    let collector = Collector::start(answers);
    let traces = Some(TracesEntry { endpoint: Some(collector.url.clone()), headers_env: Some("MINE".to_owned()) });
    let environment = &[("MINE", "api-key=of%20the%20collector")];
    (World::wished(&Wish { policy: POLICY, traces, environment, ..Wish::default() }), collector)
}

fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    spans.iter().find(|span| span["name"] == name).unwrap()
}

#[test]
fn a_turn_with_a_failure_a_tool_and_an_answer_is_one_trace() {
    let (world, collector) = traced(&[]);
    let busy = Fault::Status { status: 529, retry_after: None };
    world.mock.fail(Failure::always(busy).for_model("claude-opus-5-5"));
    let mut body = message("claude-opus-4-8", "TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    body["tools"] = json!([{ "name": "Bash", "input_schema": { "type": "object" } }]);
    let first = world.post("/v1/messages", &SESSION, &body);
    world.post("/v1/messages", &SESSION, &with_tool_result(&body, &first.json()));
    let spans = collector.traced(1);
    assert_eq!(spans.len(), 5, "{spans:#?}");
    let root = named(&spans, "invoke_agent claude-code");
    assert_eq!(root["traceId"], first.header("x-turnwise-turn"));
    for (key, value) in [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.conversation.id", SESSION[0].1),
        ("gen_ai.provider.name", "anthropic"),
        ("turnwise.turn.id", first.header("x-turnwise-turn")),
        ("turnwise.model", "anthropic:claude-sonnet-5-5"),
        ("turnwise.policy", "GLOBAL_DEFAULT"),
        ("turnwise.fallback", "1"),
    ] {
        assert_eq!(attribute(root, key), value, "{key}");
    }
    assert_eq!(root["events"][0]["name"], "route.fallback");
    let failed = named(&spans, "chat claude-opus-5-5");
    assert_eq!((attribute(failed, "error.type"), &failed["status"]["code"]), (json!("overloaded"), &json!(2)));
    let answered: Vec<_> = spans.iter().filter(|span| span["name"] == "chat claude-sonnet-5-5").collect();
    let reasons = answered.iter().map(|span| attribute(span, "gen_ai.response.finish_reasons")["values"][0].clone());
    assert_eq!(reasons.collect::<Vec<_>>(), [json!({ "stringValue": "tool_call" }), json!({ "stringValue": "stop" })]);
    for span in &answered {
        assert!(attribute(span, "gen_ai.usage.input_tokens").as_str().unwrap().parse::<u64>().unwrap() > 0);
        assert!(attribute(span, "turnwise.cost_usd").as_f64().unwrap() > 0.0);
        assert_eq!((&span["kind"], span.get("status")), (&json!(3), None));
    }
    let tool = named(&spans, "execute_tool Bash");
    assert_eq!(attribute(tool, "gen_ai.tool.name"), "Bash");
    for child in spans.iter().filter(|span| *span != root) {
        assert_eq!((&child["traceId"], &child["parentSpanId"]), (&root["traceId"], &root["spanId"]));
    }
}

#[test]
fn a_collector_is_told_by_its_headers_and_never_of_words_or_keys() {
    const SENTINEL: &str = "sentinel-of-the-user";
    let (world, collector) = traced(&[]);
    world.post("/v1/messages", &SESSION, &message("turnwise", &format!("ECHO {SENTINEL}")));
    world.post("/v1/messages", &[("x-api-key", "sk-of-the-client")], &streamed("turnwise", SENTINEL));
    world.mock.fail(Failure::once(Fault::Status { status: 400, retry_after: None }));
    world.post("/v1/messages", &[], &message("turnwise", &format!("{SENTINEL} again")));
    let spans = collector.traced(3);
    assert!(named(&spans, "invoke_agent")["parentSpanId"].is_null(), "a client that nobody knows has no name");
    for sent in collector.sent() {
        assert_eq!(sent.path, "/v1/traces");
        assert_eq!(sent.headers["content-type"], "application/json");
        assert_eq!(sent.headers["api-key"], "of the collector");
        let whole = format!("{:?} {}", sent.headers, sent.body);
        for secret in [SENTINEL, KEY, "sk-of-the-client", "sk-of"] {
            assert!(!whole.contains(secret), "{secret}: {whole}");
        }
    }
}

#[test]
fn a_collector_that_is_busy_is_told_later_and_takes_every_turn_once() {
    let (world, collector) = traced(&[(503, ""), (429, "")]);
    world.post("/v1/messages", &[], &message("turnwise", "one"));
    world.post("/v1/messages", &[], &message("turnwise", "two"));
    collector.traced(2);
    world.post("/v1/messages", &[], &message("turnwise", "three"));
    let spans = collector.traced(3);
    let ids: std::collections::BTreeSet<_> = spans.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!((ids.len(), spans.len()), (6, 6), "three turns and their calls: {spans:#?}");
    let statuses: Vec<_> = collector.sent().iter().map(|sent| sent.status).take(3).collect();
    assert_eq!(statuses, [503, 429, 200]);
}

#[test]
fn what_a_collector_does_not_want_is_not_sent_again_and_what_comes_after_is() {
    let partly = r#"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#;
    let (world, collector) = traced(&[(400, "no"), (200, partly)]);
    for turns in 1..=3 {
        world.post("/v1/messages", &[], &message("turnwise", &format!("question {turns}")));
        // Each batch is one turn.
        while collector.sent().len() < turns {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
    let statuses: Vec<_> = collector.sent().iter().map(|sent| sent.status).collect();
    assert_eq!((statuses.as_slice(), collector.traced(2).len()), (&[400, 200, 200][..], 4));
}

#[test]
fn the_last_turn_before_a_stop_is_told() {
    let (world, collector) = traced(&[]);
    world.post("/v1/messages", &[("connection", "close")], &message("turnwise", "one last thing"));
    let begun = std::time::Instant::now();
    world.stop();
    assert_eq!(collector.spans().len(), 2);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[test]
fn a_collector_that_is_away_keeps_neither_turns_nor_a_stop_waiting() {
    let collector = Collector::start(&[]);
    let gone = collector.url.clone();
    drop(collector);
    let traces = Some(TracesEntry { endpoint: Some(gone), headers_env: None });
    let world = World::wished(&Wish { policy: POLICY, traces, ..Wish::default() });
    for number in 0..3 {
        assert_eq!(world.post("/v1/messages", &[], &message("turnwise", &format!("{number}"))).status, 200);
    }
    world.ended(3);
    let begun = std::time::Instant::now();
    world.stop();
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn without_the_block_nobody_is_told_whatever_the_environment_says() {
    let collector = Collector::start(&[]);
    let environment = &[("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str())];
    let world = World::wished(&Wish { policy: POLICY, environment, ..Wish::default() });
    world.post("/v1/messages", &[], &message("turnwise", "hello"));
    world.ended(1);
    world.send(&Method::GET, "/health", &[("connection", "close")], "");
    world.stop();
    assert!(collector.sent().is_empty());
}
