//! Auxiliary calls of each client are recognised, and similar requests of a conversation are not.

use contracts::{AuxiliaryCall, WireApi};
use serde_json::{Value, json};
use wire::inspect;

/// Returns the kind of auxiliary call of a request; `None` for a request of a conversation.
fn side(api: WireApi, body: &Value) -> Option<AuxiliaryCall> {
    inspect(api, body.to_string().as_bytes()).unwrap().auxiliary_call
}

/// Returns the kind of auxiliary call of a request of Claude Code with this system prompt, message and additional
/// fields.
fn anthropic(system: &str, message: &str, fields: &Value) -> Option<AuxiliaryCall> {
    let mut body = json!({
        "system": [{"type": "text", "text": "You are Claude Code, the CLI."}, {"type": "text", "text": system}],
        "messages": [{"role": "user", "content": message}],
    });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    side(WireApi::AnthropicMessages, &body)
}

/// Returns the schema of an object with these properties.
fn schema(names: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties})
}

/// Returns fields that require a response with these properties, without tools.
fn titled(names: &[&str]) -> Value {
    json!({"output_config": {"format": {"type": "json_schema", "schema": schema(names)}}, "tools": []})
}

/// A call is recognised by the start of its system prompt.
#[test]
fn signs_in_the_system_prompt_are_known() {
    let sign = |system: &str| anthropic(system, "x", &json!({}));
    assert_eq!(
        sign("Analyze if this message indicates a new conversation topic. If so, name it."),
        Some(AuxiliaryCall::Title)
    );
    assert_eq!(
        sign("Your task is to process Bash commands that an AI coding agent wants to run."),
        Some(AuxiliaryCall::Classifier)
    );
    assert_eq!(sign("Extract any file paths that this command reads or modifies."), Some(AuxiliaryCall::Classifier));
    assert_eq!(sign("Summarize what was done in this conversation. Be brief."), Some(AuxiliaryCall::Summary));
    assert_eq!(sign("Answer in a friendly way."), None);
}

/// A request with a title in its schema is a title call only if its prompt mentions a title and the schema has at most
/// one other property.
#[test]
fn a_title_is_asked_for_by_a_schema_and_a_prompt_about_titles() {
    let prompt = "Generate a concise title for this coding session.";
    assert_eq!(anthropic(prompt, "x", &titled(&["title"])), Some(AuxiliaryCall::Title));
    assert_eq!(anthropic(prompt, "x", &titled(&["title", "branch"])), Some(AuxiliaryCall::Title));
    assert_eq!(anthropic("Extract the fields of the article.", "x", &titled(&["title"])), None);
    assert_eq!(anthropic(prompt, "x", &titled(&["title", "author", "year"])), None);
}

/// A request with tools belongs to the conversation, except Claude Code's web search.
#[test]
fn a_request_with_tools_is_no_auxiliary_call_but_for_the_search_that_is_one() {
    let tools = json!({"tools": [{"name": "Bash", "input_schema": {}}]});
    let mut with_schema = titled(&["title"]);
    with_schema["tools"] = tools["tools"].clone();
    assert_eq!(anthropic("Generate a title.", "x", &with_schema), None);
    assert_eq!(anthropic("You are a title generator.", "x", &tools), None);
    let search = json!({"tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}]});
    let prompt = "You are an assistant for performing a web search tool use";
    assert_eq!(anthropic(prompt, "Perform a web search for the query: x", &search), Some(AuxiliaryCall::Other));
}

/// Claude Code's account check and its summaries of web pages are recognised.
#[test]
fn probes_and_pages_of_the_web_are_known() {
    assert_eq!(anthropic("", "quota", &json!({"max_tokens": 1})), Some(AuxiliaryCall::Other));
    assert_eq!(anthropic("", "quota", &json!({"max_tokens": 100})), None);
    assert_eq!(anthropic("", "\nWeb page content:\n---\nx\n---\n", &json!({})), Some(AuxiliaryCall::Other));
    assert_eq!(anthropic("", "What is web page content?", &json!({})), None);
}

/// Gemini CLI's classifier calls are recognised by the complete set of their response properties.
#[test]
fn gemini_cli_s_questions_to_itself_are_known() {
    let asked = |names: &[&str]| {
        let body = json!({
            "contents": [{"role": "user", "parts": [{"text": "x"}]}],
            "generationConfig": {"responseJsonSchema": schema(names)},
        });
        side(WireApi::Gemini, &body)
    };
    assert_eq!(asked(&["complexity_reasoning", "complexity_score"]), Some(AuxiliaryCall::Classifier));
    assert_eq!(asked(&["reasoning", "model_choice"]), Some(AuxiliaryCall::Classifier));
    assert_eq!(asked(&["reasoning", "next_speaker"]), Some(AuxiliaryCall::Classifier));
    assert_eq!(asked(&["model_choice"]), None);
    assert_eq!(asked(&["reasoning", "answer"]), None);
}
