//! The load generator against the mock: every kind of request is answered, and failures are counted.

use std::process::Command;

use mock_upstream::{Failure, MockUpstream};
use serde_json::Value;

use crate::support::start_mock;

/// Runs a short load with additional arguments and returns the report that the generator printed.
fn run_load(mock: &MockUpstream, body: &str, more: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_load"))
        .args(["--url", &mock.url(), "--body", body, "--connections", "2", "--seconds", "10", "--warm-up", "0"])
        .args(more)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_kind_of_request_is_valid() {
    let mock = start_mock();
    for body in [
        "small-chat",
        "small-messages",
        "small-responses",
        "agent-messages",
        "agent-whole",
        "stream-chat",
        "stream-messages",
    ] {
        let figures = run_load(&mock, body, &["--requests", "6"]);
        assert_eq!((&figures["requests"], &figures["errors"]), (&6.into(), &0.into()), "{body}: {figures}");
    }
}

#[test]
fn distinct_requests_differ_and_others_do_not() {
    let mock = start_mock();
    for (more, distinct) in [(&["--requests", "5", "--distinct"][..], 5), (&["--requests", "5"], 1)] {
        mock.reset();
        run_load(&mock, "small-chat", more);
        let mut bodies: Vec<_> = mock.requests().into_iter().map(|request| request.body).collect();
        bodies.sort();
        bodies.dedup();
        assert_eq!(bodies.len(), distinct);
    }
}

#[test]
fn failed_requests_are_counted_and_reported() {
    let mock = start_mock();
    mock.fail(Failure::times(2, Failure::status(500)));
    let figures = run_load(&mock, "small-chat", &["--requests", "5", "--pid", &std::process::id().to_string()]);
    assert_eq!((&figures["requests"], &figures["errors"]), (&3.into(), &2.into()), "{figures}");
    assert!(figures["first_error"].as_str().unwrap().contains("status 500"));
    assert!(figures["rss_kb"].as_u64().is_none_or(|memory| memory > 0));
}
