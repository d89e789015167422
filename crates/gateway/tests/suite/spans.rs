//! The tracing span of a request.

use std::{
    io,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use hyper::Method;
use mock_upstream::{Failure, Fault};
use serde_json::{Value, json};
use tracing_subscriber::fmt::format::FmtSpan;

use crate::support::{KEY, World, message, streamed};

/// A writer into memory. Clones share the memory.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Buffer {
    /// Returns the written text.
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Starts to collect the log lines of this process, once, and returns their buffer. All tests of the process share it,
/// so a test finds its lines by a session or a path of its own.
fn log_lines() -> Buffer {
    static LINES: OnceLock<Buffer> = OnceLock::new();
    let start = || {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let lines = tracing_subscriber::fmt().json().with_span_events(FmtSpan::CLOSE);
        lines.with_writer(move || writer.clone()).init();
        buffer
    };
    LINES.get_or_init(start).clone()
}

/// Waits up to five seconds for the end of the first span with this field, and returns its fields.
fn closed(lines: &Buffer, field: &str, value: &str) -> Value {
    for _ in 0..500 {
        let text = lines.text();
        let mut lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        if let Some(line) = lines.find(|line| line["fields"]["message"] == "close" && line["span"][field] == value) {
            return line["span"].clone();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no span with {field} {value} ended: {}", lines.text());
}

#[test]
fn the_span_of_a_request_names_its_turn_and_contains_no_secret_and_no_text() {
    let lines = log_lines();
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    let session = "5e550000-0000-4000-8000-000000000001";
    let headers = [("x-claude-code-session-id", session), ("x-api-key", "sk-of-the-client")];
    let path = "/v1/messages?key=sk-in-the-query";
    let answer = world.post(path, &headers, &streamed("turnwise", "the launch code is 0000"));
    let mut span = closed(&lines, "session", session);
    assert!(span["number"].take().as_u64().is_some_and(|number| 0 < number), "{span}");
    let expected = json!({
        "name": "request", "number": null, "method": "POST", "path": "/v1/messages", "session": session,
        "turn": answer.header("x-turnwise-turn"), "model": "anthropic:claude-sonnet-5-5", "policy": "GLOBAL_DEFAULT",
        "fallbacks": 0, "status": 200,
    });
    assert_eq!(span, expected);
    for secret in [KEY, "sk-of-the-client", "sk-in-the-query", "launch code"] {
        assert!(!lines.text().contains(secret), "{secret}");
    }
}

#[test]
fn the_span_of_a_request_has_the_model_that_answered_after_a_fallback() {
    let lines = log_lines();
    let world =
        World::new("schema_version: 1\nglobal_default: sonnet\nrules:\n  - {name: best, when: {}, use: opus}\n");
    world.mock.fail(Failure::always(Fault::Status { status: 529, retry_after: None }).for_model("claude-opus-5-5"));
    let session = "5e550000-0000-4000-8000-000000000002";
    world.post("/v1/messages", &[("x-claude-code-session-id", session)], &message("turnwise", "hello"));
    let span = closed(&lines, "session", session);
    assert_eq!((&span["model"], &span["fallbacks"]), (&"anthropic:claude-sonnet-5-5".into(), &1.into()), "{span}");
}

#[test]
fn a_request_without_a_turn_has_a_span_too() {
    let lines = log_lines();
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    world.send(&Method::GET, "/nowhere/%0A?token=tw-secret", &[], "");
    let mut span = closed(&lines, "path", "/nowhere/%0A");
    span["number"].take();
    let expected = json!({ "name": "request", "number": null, "method": "GET", "path": "/nowhere/%0A", "status": 404 });
    assert_eq!(span, expected);
    assert!(!lines.text().contains("tw-secret"));
}
