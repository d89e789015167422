//! Inspection of requests modelled on those of real clients: each snapshot has the complete result.

use std::fmt::Write as _;

use contracts::WireApi;
use serde_json::{Value, json};
use wire::{ClientHeaders, inspect, resolve_lineage};

use crate::bodies;

/// Returns the result of inspecting a request, with its lineage, as text for a snapshot.
fn known(api: WireApi, headers: &[(&str, &str)], body: &Value) -> String {
    let body = body.to_string();
    let read = inspect(api, body.as_bytes()).unwrap();
    let lineage = resolve_lineage(&ClientHeaders::parse(headers.iter().copied()), Some(&read.identity));
    let mut text = String::new();
    writeln!(text, "model: {:?}, stream: {}, side: {:?}", read.model, read.stream, read.auxiliary_call).unwrap();
    let id = |id: &Option<String>| id.clone().unwrap_or_else(|| "-".to_owned());
    let (session, thread, parent) = (id(&lineage.session), id(&lineage.thread), id(&lineage.parent));
    writeln!(text, "session: {session}, thread: {thread}, parent: {parent}, subagent: {}", lineage.subagent).unwrap();
    let (client, version) = (id(&lineage.client), id(&lineage.client_version));
    writeln!(text, "client: {client} {version}, workspace: {}", id(&lineage.workspace)).unwrap();
    for message in &read.user_messages {
        let raw = message.span.clone().map(|span| body[span].to_owned());
        writeln!(text, "message: {:?} from {raw:?}, images: {}", message.text, message.has_images).unwrap();
    }
    writeln!(text, "continues: {}, calls before: {}", read.continues_turn, read.tool_calls_in_history).unwrap();
    for result in &read.tool_results {
        writeln!(text, "result: {} error: {:?} bytes: {}", result.call_id, result.is_error, result.bytes).unwrap();
    }
    let requires: Vec<_> = read.requires.iter().map(|requirement| requirement.name()).collect();
    writeln!(text, "requires: {}", requires.join(" ")).unwrap();
    writeln!(text, "{:?}\n{:?}\nmost: {:?}", read.needs, read.prompt, read.max_output).unwrap();
    text
}

/// The user agent of Claude Code.
const CLAUDE_CODE: (&str, &str) = ("user-agent", "claude-cli/2.1.197 (external, cli)");

#[test]
fn a_main_turn_of_claude_code() {
    let headers = [CLAUDE_CODE, ("x-claude-code-session-id", "s-77"), ("x-app", "cli")];
    let body = bodies::claude_code_main("@opus fix \"it\"");
    insta::assert_snapshot!(known(WireApi::AnthropicMessages, &headers, &body));
}

#[test]
fn a_turn_of_claude_code_goes_on_after_a_tool() {
    let body = bodies::claude_code_continued("fix the basket");
    insta::assert_snapshot!(known(WireApi::AnthropicMessages, &[CLAUDE_CODE], &body));
}

#[test]
fn a_nested_sub_agent_of_claude_code() {
    let mut body = bodies::claude_code(&[json!({"role": "user", "content": bodies::reminded("look around")})], 2);
    body["system"][0]["text"] =
        json!("x-anthropic-billing-header: cc_version=2.1.0.a1; cc_entrypoint=cli; cc_is_subagent=true;");
    let headers = [
        CLAUDE_CODE,
        ("x-claude-code-session-id", "s-77"),
        ("x-claude-code-agent-id", "a-2"),
        ("x-claude-code-parent-agent-id", "a-1"),
    ];
    insta::assert_snapshot!(known(WireApi::AnthropicMessages, &headers, &body));
}

#[test]
fn a_title_for_claude_code_is_a_auxiliary_call() {
    let body = bodies::claude_code_title();
    insta::assert_snapshot!(known(WireApi::AnthropicMessages, &[CLAUDE_CODE], &body));
}

#[test]
fn a_sub_agent_of_codex_goes_on_after_a_tool() {
    let headers = [("user-agent", "codex_exec/0.169.0 (Debian)"), ("session-id", "s-1"), ("thread-id", "t-2")];
    let body = bodies::codex_continued("fix the basket");
    insta::assert_snapshot!(known(WireApi::OpenAiResponses, &headers, &body));
}

#[test]
fn a_sub_agent_of_opencode() {
    let headers = [
        ("user-agent", "opencode/1.18.33 ai-sdk/provider-utils/4.0.23"),
        ("x-session-id", "ses_b"),
        ("x-parent-session-id", "ses_a"),
    ];
    insta::assert_snapshot!(known(WireApi::OpenAiChat, &headers, &bodies::opencode("fix it")));
}

/// `opencode run "@opus commit this"` sends the message with the quotation marks of the shell.
#[test]
fn a_quoted_message_of_opencode_is_read_and_edited_within_its_quotation_marks() {
    let body = bodies::opencode("\"@opus commit this\"").to_string();
    let inspected = inspect(WireApi::OpenAiChat, body.as_bytes()).unwrap();
    let message = inspected.user_messages.last().unwrap();
    assert_eq!(message.text, "@opus commit this");
    let edit = wire::remove_message_prefix(body.as_bytes(), message, "@opus ".len()).unwrap();
    let edited = wire::apply_edits(body.as_bytes(), vec![edit]);
    assert!(String::from_utf8_lossy(&edited).contains(r#""content":"\"commit this\"""#));
}

#[test]
fn a_title_for_opencode_is_a_auxiliary_call() {
    insta::assert_snapshot!(known(WireApi::OpenAiChat, &[], &bodies::opencode_title()));
}

#[test]
fn aider_is_known_by_its_prompt_and_its_example_is_no_message() {
    let headers = [("user-agent", "OpenAI/Python 2.20.0")];
    insta::assert_snapshot!(known(WireApi::OpenAiChat, &headers, &bodies::aider("fix the basket")));
}

#[test]
fn gemini_cli_goes_on_after_a_function_that_failed() {
    let headers = [("user-agent", "GeminiCLI-tui/0.61.0/gemini-3.1-pro (linux; x64; terminal)")];
    insta::assert_snapshot!(known(WireApi::Gemini, &headers, &bodies::gemini_cli("fix the basket")));
}

#[test]
fn the_task_router_of_gemini_cli_is_a_auxiliary_call() {
    insta::assert_snapshot!(known(WireApi::Gemini, &[], &bodies::gemini_cli_router("fix the basket")));
}

#[test]
fn a_small_request_of_an_sdk_requires_nothing() {
    let headers = [("user-agent", "OpenAI/Python 2.54.0")];
    insta::assert_snapshot!(known(WireApi::OpenAiChat, &headers, &bodies::small_chat()));
    let body = json!({"model": "mock", "input": "hi"});
    insta::assert_snapshot!(known(WireApi::OpenAiResponses, &headers, &body));
}
