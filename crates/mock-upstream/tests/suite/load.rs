//! The load generator on the mock: every kind of request is answered, and what fails is counted.

use std::process::Command;

use mock_upstream::{Failure, MockUpstream};
use serde_json::Value;

use crate::support::mock;

/// What the generator printed after a short load.
fn load(mock: &MockUpstream, body: &str, more: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_load"))
        .args(["--url", &mock.url(), "--body", body, "--connections", "2", "--seconds", "10", "--warm-up", "0"])
        .args(more)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_kind_of_request_is_one_that_a_strict_provider_takes() {
    let mock = mock();
    for body in [
        "small-chat",
        "small-messages",
        "small-responses",
        "agent-messages",
        "agent-whole",
        "stream-chat",
        "stream-messages",
    ] {
        let figures = load(&mock, body, &["--requests", "6"]);
        assert_eq!((&figures["requests"], &figures["errors"]), (&6.into(), &0.into()), "{body}: {figures}");
    }
}

#[test]
fn distinct_requests_differ_and_others_do_not() {
    let mock = mock();
    for (more, distinct) in [(&["--requests", "5", "--distinct"][..], 5), (&["--requests", "5"], 1)] {
        mock.reset();
        load(&mock, "small-chat", more);
        let mut bodies: Vec<_> = mock.requests().into_iter().map(|request| request.body).collect();
        bodies.sort();
        bodies.dedup();
        assert_eq!(bodies.len(), distinct);
    }
}

#[test]
fn what_fails_is_counted_and_told() {
    let mock = mock();
    mock.fail(Failure::times(2, Failure::status(500)));
    let figures = load(&mock, "small-chat", &["--requests", "5", "--pid", &std::process::id().to_string()]);
    assert_eq!((&figures["requests"], &figures["errors"]), (&3.into(), &2.into()), "{figures}");
    assert!(figures["first_error"].as_str().unwrap().contains("status 500"));
    assert!(figures["rss_kb"].as_u64().is_none_or(|memory| memory > 0));
}
