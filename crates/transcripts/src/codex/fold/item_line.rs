//! Folds items of the conversation: messages, reasoning, tool calls and their results.

use std::collections::BTreeSet;

use catalogue::estimate::count_characters;
use client_formats::{
    client::find_codex_directory,
    user_text::{UserText, classify},
};
use contracts::{Requirement, events::ToolOutcome};

use super::{Fold, Layout, LineContext, Message};
use crate::{
    codex::{
        line::{Output, Payload},
        thread::LastLine,
    },
    observed::{ObservedResult, ObservedTool, Step},
    tool_call::classify_tool_call,
};

/// Types of items that are markers for the client's own use and are ignored.
const IGNORED_TYPES: [&str; 8] = [
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "ghost_snapshot",
    "additional_tools",
    "agent_message",
    "other",
];

impl Fold {
    /// Reads a `response_item` line, which contains an item of the conversation, by the type of the item.
    pub(super) fn fold_item(&mut self, context: &LineContext<'_>) {
        let item = context.payload;
        match item.kind.text() {
            "message" => self.fold_message(context),
            "reasoning" => {
                if let Some(response) = self.response_for(context.at) {
                    response.thinking_blocks += 1;
                    response.items += 1;
                    response.at = context.at;
                    self.thread.before.requires.insert(Requirement::EarlierThinking);
                    self.record_last_line(LastLine::Answer { text: false }, context);
                }
            }
            "function_call" | "custom_tool_call" => {
                let (name, namespace) = (item.name.text(), item.namespace.text());
                let name = if namespace.starts_with("mcp__") && !name.starts_with("mcp__") {
                    format!("{}__{name}", namespace.trim_end_matches('_'))
                } else {
                    name.to_owned()
                };
                let input = item.arguments.get().unwrap_or(item.input.text());
                if item.kind.text() == "custom_tool_call" {
                    self.thread.before.requires.insert(Requirement::CustomTools);
                }
                self.add_tool_call(context, &name, input, false);
            }
            "local_shell_call" => {
                let input = item.action.map_or("", serde_json::value::RawValue::get);
                self.add_tool_call(context, "local_shell", input, false);
            }
            "tool_search_call" => self.add_tool_call(context, "tool_search", item.arguments.text(), false),
            "web_search_call" => self.add_tool_call(context, "web_search", "", true),
            "image_generation_call" => self.add_tool_call(context, "image_generation", "", true),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" | "tool_search_output" => {
                self.add_tool_result(context);
            }
            kind if IGNORED_TYPES.contains(&kind) => {}
            kind => self.skipped.count_unknown(kind),
        }
    }

    /// Records the kind and the time of this line as those of the last line of the running turn.
    fn record_last_line(&mut self, last: LastLine, context: &LineContext<'_>) {
        if let Some(open) = &mut self.running {
            open.record_last_line(last, context.at);
        }
    }

    /// Reads a message of the conversation: text of the model's response, or a message of the user or of the client.
    fn fold_message(&mut self, context: &LineContext<'_>) {
        let content = &context.payload.content;
        let (size, images) = (content.characters(), content.images);
        if context.payload.role.text() == "assistant" {
            if let Some(response) = self.response_for(context.at) {
                response.has_text |= 0 < size;
                response.items += 1;
                response.at = context.at;
                self.thread.add_text(size, images);
                self.record_last_line(LastLine::Answer { text: 0 < size }, context);
            }
            return;
        }
        self.record_input(context);
        self.thread.add_text(size, images);
        if context.payload.role.text() != "user" || (size == 0 && images == 0) {
            return;
        }
        let text = content.joined();
        let typed_text = match classify(&text, None) {
            UserText::Typed(range) => text.get(range),
            _ if text.is_empty() => Some(""),
            _ => None,
        };
        let Some(typed_text) = typed_text else {
            if let (Some(session), Some(cwd)) = (&mut self.session, find_codex_directory(&text)) {
                session.workspace = session.workspace.take().or_else(|| Some(cwd.to_owned()));
            }
            return;
        };
        self.unmarked_messages += 1;
        let message = Message { text: typed_text.to_owned(), images };
        if self.layout == Some(Layout::Bare) {
            self.start(Some(message), context.at);
        } else if !self.has_message_marks {
            // The mark that it was typed follows, or never does.
            self.candidate = Some(message);
        }
    }

    /// Records an item that is not part of a response; the current response ends before it.
    fn record_input(&mut self, context: &LineContext<'_>) {
        self.thread.last_input_at = Some(context.at);
        if let Some(response) = self.running.as_mut().and_then(|open| open.response.as_mut()) {
            response.has_following_input = true;
        }
    }

    /// Records a tool call. The provider's own tools (`is_provider_tool`) have ended by then, so their result is
    /// recorded as well.
    fn add_tool_call(&mut self, context: &LineContext<'_>, name: &str, input: &str, is_provider_tool: bool) {
        let workspace = self.session.as_ref().and_then(|session| session.workspace.clone());
        let class = classify_tool_call(name, input, workspace.as_deref());
        let Some(response) = self.response_for(context.at) else { return };
        response.items += 1;
        response.at = context.at;
        response.tool_calls += u32::from(!is_provider_tool);
        self.thread.add_text(count_characters(name) + count_characters(input), 0);
        self.thread.add_tool(name, &class);
        let id = self.tool_id(context.payload);
        let Some(open_turn) = &mut self.running else { return };
        open_turn.push(Step::ToolCalled(ObservedTool {
            id: id.clone(),
            call: event_core::EventId::derive(&[]),
            at: context.at,
            name: name.to_owned(),
            class,
        }));
        open_turn.record_last_line(LastLine::Answer { text: false }, context.at);
        if is_provider_tool {
            let has_failed = context.payload.status.text() == "failed";
            let outcome = if has_failed { ToolOutcome::Failed } else { ToolOutcome::Succeeded };
            let (at, extensions) = (context.at, BTreeSet::new());
            open_turn.push(Step::ToolFinished(ObservedResult { id, at, outcome, output_bytes: 0, extensions }));
        } else {
            open_turn.unanswered_calls.insert(id);
        }
    }

    /// Returns the provider's id of a tool call, or one derived from the line, since the provider's own tools may have
    /// none.
    fn tool_id(&self, payload: &Payload<'_>) -> String {
        let id = payload.call_id.get().or(payload.id.get());
        id.map_or_else(|| format!("{}:line {}", self.own_id.as_deref().unwrap_or_default(), self.line), str::to_owned)
    }

    /// Records a tool result: adds its size to the prompt of the thread, and its outcome to the running turn.
    fn add_tool_result(&mut self, context: &LineContext<'_>) {
        let output = &context.payload.output;
        self.record_input(context);
        self.thread.add_text(output.characters, output.images);
        self.thread.before.extensions.extend(output.extensions.iter().cloned());
        let Some(id) = context.payload.call_id.get() else { return };
        if let Some(open) = &mut self.running {
            let (id, outcome, output_bytes) = (id.to_owned(), outcome(output), output.bytes);
            open.unanswered_calls.remove(&id);
            let (at, extensions) = (context.at, output.extensions.clone());
            open.push(Step::ToolFinished(ObservedResult { id, at, outcome, output_bytes, extensions }));
            open.record_last_line(LastLine::Other, context.at);
        }
    }
}

/// Derives the outcome of a tool call from the text that Codex adds to its output, such as the exit code.
fn outcome(output: &Output) -> ToolOutcome {
    let starts_with_any = |starts: &[&str]| starts.iter().any(|start| output.beginning.trim_start().starts_with(start));
    let is_nonzero_code = ["exited with code ", "Exit code: "].iter().find_map(|words| {
        let (_, rest) = output.beginning.split_once(words)?;
        Some(!rest.starts_with("0\n") && rest != "0")
    });
    // Old versions put output and exit code into an object.
    let is_nonzero_code = is_nonzero_code.or_else(|| {
        let (_, rest) = output.end.rsplit_once("\"exit_code\":")?;
        Some(!rest.trim_start().starts_with("0,") && !rest.trim_start().starts_with("0}"))
    });
    if starts_with_any(&["aborted", "exec command rejected by user", "rejected by user", "patch rejected by user"]) {
        ToolOutcome::Interrupted
    } else if output.success.map(|success| !success).or(is_nonzero_code).unwrap_or(false)
        || starts_with_any(&[
            "unsupported call",
            "failed to parse function arguments",
            "execution error",
            "exec_command failed",
            "apply_patch verification failed",
        ])
    {
        ToolOutcome::Failed
    } else {
        ToolOutcome::Succeeded
    }
}

#[cfg(test)]
mod tests {
    use contracts::events::ToolOutcome;

    use super::{Output, outcome};

    #[test]
    fn the_clients_words_tell_how_a_tool_fared() {
        let check = |json: &str, expected| {
            let output: Output = serde_json::from_str(json).unwrap();
            assert_eq!(outcome(&output), expected, "{json}");
        };
        check(
            r#""Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n""#,
            ToolOutcome::Succeeded,
        );
        check(r#""Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 101\n""#, ToolOutcome::Failed);
        check(r#""Exit code: 1\nWall time: 0 seconds\nOutput:\nno""#, ToolOutcome::Failed);
        check(
            r#""{\"output\":\"ok\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}""#,
            ToolOutcome::Succeeded,
        );
        check(r#""{\"output\":\"no\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}""#, ToolOutcome::Failed);
        check(r#""aborted by user after 3.2s""#, ToolOutcome::Interrupted);
        check(r#""unsupported call: shell""#, ToolOutcome::Failed);
        check(r#"{"content":"no such server","success":false}"#, ToolOutcome::Failed);
        check(r#"[{"type":"input_text","text":"Plan updated"}]"#, ToolOutcome::Succeeded);
        check("7", ToolOutcome::Succeeded);
    }
}
