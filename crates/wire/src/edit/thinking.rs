//! Removes thinking settings that a model does not accept.

use std::collections::BTreeSet;

use contracts::Requirement;

use super::{Edit, removal_edits};
use crate::{api, json::Cursor, request_summary::RequestSummary};

/// Returns the edits that remove the thinking settings in `settings` from a request body: the effort
/// ([`Requirement::Effort`]), the thinking budget ([`Requirement::ThinkingBudget`]), or both. `summary` is the
/// inspected `body`.
///
/// Settings that depend on them are removed as well: Anthropic rejects a request to clear thinking if there is none,
/// and `OpenAI` rejects a request for encrypted reasoning of a model that does not reason.
pub fn remove_thinking_settings(
    body: &[u8],
    summary: &RequestSummary<'_>,
    settings: &BTreeSet<Requirement>,
) -> Vec<Edit> {
    let text = std::str::from_utf8(body).ok();
    let Some(root) = text.and_then(|text| Cursor::new(text).read_value().ok()) else { return Vec::new() };
    let api = api::implementation(summary.api);
    let mut edits = Vec::new();
    let mut members = Vec::new();
    for (name, value) in root.members() {
        let name_text = name.string().unwrap_or_default();
        let is_removed = api.remove_thinking(&root, (&name_text, value), settings, &mut edits);
        members.push((name.start..value.span().end, is_removed));
    }
    // A member that is removed has no other edits.
    edits.extend(removal_edits(&members));
    edits
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contracts::{
        Requirement::{self, Effort, ThinkingBudget},
        WireApi,
    };

    use super::remove_thinking_settings;
    use crate::{edit::apply_edits, inspect};

    /// Checks that removing `removed` from `body` results in `expected`, which then requires none of `removed`.
    #[track_caller]
    fn check(api: WireApi, removed: &[Requirement], body: &str, expected: &str) {
        let read = inspect(api, body.as_bytes()).unwrap();
        let removed: BTreeSet<_> = removed.iter().copied().collect();
        let edited = apply_edits(body.as_bytes(), remove_thinking_settings(body.as_bytes(), &read, &removed));
        assert_eq!(String::from_utf8(edited).unwrap(), expected);
        let left = inspect(api, expected.as_bytes()).unwrap().requires;
        assert!(left.is_disjoint(&removed), "{left:?}");
    }

    /// Removing the effort also removes the settings that depend on it, and no other byte, in all APIs.
    #[test]
    fn an_effort_goes_with_what_makes_no_sense_without_it_and_all_else_stays() {
        let messages = WireApi::AnthropicMessages;
        check(
            messages,
            &[Effort],
            r#"{ "thinking":{"type":"adaptive"}, "model" : "m","output_config": {"effort":"high"} ,"messages":[],
                "context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}}"#,
            r#"{ "model" : "m" ,"messages":[]}"#,
        );
        check(
            messages,
            &[Effort],
            r#"{"messages":[],"thinking":{"type":"disabled"},"output_config":{"format": {"type":"json_schema"},"effort":"low"},
                "context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}}"#,
            r#"{"messages":[],"thinking":{"type":"disabled"},"output_config":{"format": {"type":"json_schema"}},
                "context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}}"#,
        );
        check(
            messages,
            &[Effort],
            r#"{"messages":[],"thinking":{"type":"adaptive"},"context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"x"}]}}"#,
            r#"{"messages":[],"context_management":{"edits":[{"type":"x"}]}}"#,
        );
        check(
            WireApi::OpenAiChat,
            &[Effort],
            r#"{"reasoning_effort":"high","messages":[{"role":"user","content":"reasoning_effort"}]}"#,
            r#"{"messages":[{"role":"user","content":"reasoning_effort"}]}"#,
        );
        check(
            WireApi::OpenAiResponses,
            &[Effort],
            r#"{"input":"x","reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"],"store":false}"#,
            r#"{"input":"x","store":false}"#,
        );
        check(
            WireApi::Gemini,
            &[Effort],
            r#"{"contents":[],"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"},"topP":1}}"#,
            r#"{"contents":[],"generationConfig":{"thinkingConfig":{"includeThoughts":true},"topP":1}}"#,
        );
        check(
            WireApi::Gemini,
            &[Effort],
            r#"{"contents":[],"generation_config":{"topP":1,"thinking_config":{"thinking_level":"HIGH"}}}"#,
            r#"{"contents":[],"generation_config":{"topP":1}}"#,
        );
    }

    /// Removing the thinking budget removes enabled thinking and leaves the effort; removing the effort leaves enabled
    /// thinking.
    #[test]
    fn a_budget_of_thinking_goes_alone_and_stays_where_only_the_effort_is_to_go() {
        let body =
            r#"{"messages":[],"thinking":{"type":"enabled","budget_tokens":9},"output_config":{"effort":"high"}}"#;
        let messages = WireApi::AnthropicMessages;
        check(messages, &[ThinkingBudget], body, r#"{"messages":[],"output_config":{"effort":"high"}}"#);
        let kept = r#"{"messages":[],"thinking":{"type":"enabled","budget_tokens":9}}"#;
        check(messages, &[Effort], body, kept);
        check(messages, &[], body, body);
    }
}
