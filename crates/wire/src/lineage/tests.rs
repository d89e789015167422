//! Lineage from the headers of each client and from the body.

use super::{ClientHeaders, Lineage, resolve_lineage};
use crate::request_summary::Identity;

/// Resolves the lineage of a request with these headers and, if given, the ids in its body.
fn lineage(headers: &[(&str, &str)], body: Option<&Identity>) -> Lineage {
    resolve_lineage(&ClientHeaders::parse(headers.iter().copied()), body)
}

/// Returns an owned text as the value of an optional field.
#[expect(clippy::unnecessary_wraps, reason = "what it is compared with may be nothing")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_sub_agent_of_claude_code_is_a_thread_of_the_session() {
    let headers = [
        ("X-Claude-Code-Session-Id", "s-1"),
        ("x-claude-code-agent-id", "a-2"),
        ("x-claude-code-parent-agent-id", "a-1"),
        ("user-agent", "claude-cli/2.1.197 (external, cli)"),
    ];
    let expected = Lineage {
        session: some("s-1"),
        thread: some("a-2"),
        parent: some("a-1"),
        subagent: true,
        client: some("claude-code"),
        client_version: some("2.1.197"),
        workspace: None,
    };
    assert_eq!(lineage(&headers, None), expected);
}

/// A Codex thread with the id of the session is the main thread, and not a parent either.
#[test]
fn the_main_thread_of_codex_is_no_thread_of_its_own_and_no_parent() {
    let main = lineage(&[("session-id", "s-1"), ("thread-id", "s-1")], None);
    assert_eq!((main.session, main.thread, main.subagent), (some("s-1"), None, false));
    let headers = [
        ("session-id", "s-1"),
        ("thread-id", "t-2"),
        ("x-codex-parent-thread-id", "s-1"),
        ("x-openai-subagent", "collab_spawn"),
    ];
    let worker = lineage(&headers, None);
    assert_eq!((worker.session, worker.thread, worker.parent), (some("s-1"), some("t-2"), None));
    assert!(worker.subagent);
    assert!(!lineage(&[("session-id", "s-1"), ("x-openai-subagent", "compact")], None).subagent);
}

/// The ids in Codex's turn metadata are used if its headers are missing; invalid metadata is ignored.
#[test]
fn the_turn_metadata_of_codex_stands_in_for_its_headers() {
    let metadata =
        r#"{"session_id":"s-1","thread_id":"t-3","parent_thread_id":"t-2","thread_source":"subagent","n":0}"#;
    let worker = lineage(&[("x-codex-turn-metadata", metadata)], None);
    assert_eq!((worker.session, worker.thread, worker.parent), (some("s-1"), some("t-3"), some("t-2")));
    assert!(worker.subagent);
    assert_eq!(lineage(&[("x-codex-turn-metadata", "{")], None), Lineage::default());
}

#[test]
fn a_sub_agent_of_opencode_belongs_to_the_session_that_started_it() {
    let headers = [("x-session-affinity", "ses_b"), ("x-session-id", "ses_b"), ("x-parent-session-id", "ses_a")];
    let worker = lineage(&headers, None);
    assert_eq!((worker.session, worker.thread, worker.parent), (some("ses_a"), some("ses_b"), None));
    assert!(worker.subagent);
    let main = lineage(&headers[..2], None);
    assert_eq!((main.session, main.thread, main.subagent), (some("ses_b"), None, false));
}

/// Ids in the body are used if the headers have none, and headers take precedence.
#[test]
fn the_body_speaks_where_headers_are_silent() {
    let body = Identity {
        session: some("from-body"),
        subagent: true,
        workspace: some("/home/dev/my shop"),
        client: Some("aider"),
        cache_key: some("shared"),
        ..Identity::default()
    };
    let told = lineage(&[("user-agent", "OpenAI/Python 2.20.0")], Some(&body));
    assert_eq!(
        (told.session, told.client, told.workspace),
        (some("from-body"), some("aider"), some("/home/dev/my shop"))
    );
    assert!(told.subagent);
    let headers = lineage(&[("x-claude-code-session-id", "from-headers")], Some(&body));
    assert_eq!(headers.session, some("from-headers"));
}

#[test]
fn a_cache_key_is_a_session_only_when_an_agent_sends_it() {
    let body = Identity { cache_key: some("key-1"), ..Identity::default() };
    assert_eq!(lineage(&[("user-agent", "codex_exec/1.0")], Some(&body)).session, some("key-1"));
    assert_eq!(lineage(&[("user-agent", "OpenAI/Python 2.54.0")], Some(&body)).session, None);
}

/// Ids are truncated to 128 bytes and stripped of white space and control characters; a path with control characters is
/// ignored.
#[test]
fn ids_are_cut_and_cleaned() {
    let long = "x".repeat(500);
    let headers = [("session-id", long.as_str()), ("thread-id", " a\tb\u{7f}\u{1b}[0m c ")];
    let told = lineage(&headers, None);
    assert_eq!(told.session.map(|id| id.len()), Some(128));
    assert_eq!(told.thread, some("ab[0mc"));
    assert_eq!(lineage(&[("session-id", " \t ")], None).session, None);
    let body = Identity { workspace: some("/a\u{7}b"), ..Identity::default() };
    assert_eq!(lineage(&[], Some(&body)).workspace, None);
}
