//! The requests that Claude Code sends for the user messages of a recorded session, rebuilt from its session file.

use std::path::Path;

use serde_json::{Value, json};

use crate::{failure::Outcome, http::Request, workspace};

/// Features that Claude Code requests in its header `anthropic-beta`.
const BETA: &str =
    "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24";

/// A recorded session: the messages of its main conversation in the form of the Messages API.
pub(super) struct Conversation {
    /// The session id of the client.
    pub(super) session: String,
    /// The messages in order. A null marks where a summary replaced the history before it.
    messages: Vec<Value>,
    /// For each user message that a model answered: its index in `messages` and the model.
    turns: Vec<(usize, String)>,
}

/// A request of Claude Code for one user message, with the whole conversation before it.
pub(super) struct TurnRequest {
    /// The headers of the request, by name.
    headers: Vec<(String, String)>,
    /// The JSON body of the request.
    body: String,
    /// Whether the conversation before this message contains thinking of a model.
    pub(super) after_thinking: bool,
}

impl Conversation {
    /// Reads the main conversation of a session from its file. Skips lines of sub-agents and lines that are not
    /// messages.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut conversation = Self { session, messages: Vec::new(), turns: Vec::new() };
        let text = workspace::read_file(path)?;
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if line["isSidechain"] == true {
                continue;
            }
            match line["type"].as_str() {
                Some("user") => conversation.add_user(&line),
                Some("assistant") => conversation.add_assistant(&line["message"]),
                _ => {}
            }
        }
        conversation.close_tool_calls();
        Ok(conversation)
    }

    /// Appends a `user` line of the session file to the conversation: a message, or the results of tools.
    fn add_user(&mut self, line: &Value) {
        let blocks = match &line["message"]["content"] {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            Value::Array(blocks) => blocks.clone(),
            _ => return,
        };
        // After a compaction the client sends the summary instead of the messages before it.
        if line["isCompactSummary"] == true {
            self.messages.push(Value::Null);
        }
        self.append("user", &blocks);
    }

    /// Appends an `assistant` line of the session file to the conversation. After a user message, it makes that message
    /// an answered turn.
    fn add_assistant(&mut self, message: &Value) {
        let (Some(model), Some(blocks)) = (message["model"].as_str(), message["content"].as_array()) else { return };
        if model == "<synthetic>" {
            return;
        }
        let is_turn = |last: &Value| last["role"] == "user" && has_block(last, "text");
        if self.messages.last().is_some_and(is_turn) {
            self.turns.push((self.messages.len() - 1, model.to_owned()));
        }
        let mut blocks = blocks.clone();
        for block in blocks.iter_mut().filter(|block| block["type"] == "thinking") {
            // The mock provider accepts only its own signatures.
            block["signature"] = format!("sig:{}", without_date(model)).into();
        }
        self.append("assistant", &blocks);
    }

    /// Appends blocks to the last message if it has the same role, otherwise as a new message.
    fn append(&mut self, role: &str, blocks: &[Value]) {
        if let Some(last) = self.messages.last_mut().filter(|last| last["role"] == role) {
            last["content"].as_array_mut().into_iter().for_each(|content| content.extend(blocks.iter().cloned()));
        } else if role == "user" || !self.messages.is_empty() {
            self.messages.push(json!({"role": role, "content": blocks}));
        }
    }

    /// Makes the conversation valid for the API: removes results of unknown tool calls, and adds a result for each call
    /// that was interrupted.
    fn close_tool_calls(&mut self) {
        let mut open_calls: Vec<String> = Vec::new();
        for message in &mut self.messages {
            if message.is_null() {
                open_calls.clear();
            }
            let is_user = message["role"] == "user";
            let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) else { continue };
            if is_user {
                blocks.retain(|block| {
                    let call = block["tool_use_id"].as_str();
                    call.is_none_or(|call| open_calls.iter().any(|open_call| open_call == call))
                });
                open_calls.retain(|call| !blocks.iter().any(|block| block["tool_use_id"] == call.as_str()));
                let interrupted_result =
                    |call: String| json!({"type": "tool_result", "tool_use_id": call, "content": "interrupted"});
                let results: Vec<Value> = open_calls.drain(..).map(interrupted_result).collect();
                blocks.splice(0..0, results);
                if blocks.is_empty() {
                    blocks.push(json!({"type": "text", "text": "…"}));
                }
            } else {
                open_calls.extend(blocks.iter().filter_map(|block| Some(block["id"].as_str()?.to_owned())));
            }
        }
    }

    /// Returns the request that Claude Code sends for each answered user message, in order.
    pub(super) fn requests(&self) -> impl Iterator<Item = TurnRequest> {
        self.turns.iter().map(|(index, model)| {
            let start = self.messages[..*index].iter().rposition(Value::is_null).map_or(0, |summary| summary + 1);
            let messages = &self.messages[start..=*index];
            let after_thinking = messages.iter().any(|message| has_block(message, "thinking"));
            TurnRequest {
                headers: headers(&self.session),
                body: self.body(messages, model).to_string(),
                after_thinking,
            }
        })
    }

    /// Builds the body of a Messages request as Claude Code sends it, with tools and thinking. `messages` is the
    /// conversation.
    fn body(&self, messages: &[Value], model: &str) -> Value {
        let mut messages = messages.to_vec();
        let last_block = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut());
        if let Some(block) = last_block {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        let tool = |name: &str| json!({"name": name, "description": name, "input_schema": {"type": "object", "properties": {}}});
        let tools: Vec<Value> = ["Bash", "Edit", "Glob", "Grep", "Read", "Write"].into_iter().map(tool).collect();
        let is_adaptive = model.contains("-4-6") || model.contains("-4-8");
        let thinking =
            if is_adaptive { json!({"type": "adaptive"}) } else { json!({"type": "enabled", "budget_tokens": 31_999}) };
        json!({
            "model": model, "max_tokens": 64_000, "stream": true, "messages": messages, "thinking": thinking,
            "system": [{"type": "text", "text": "You are Claude Code.", "cache_control": {"type": "ephemeral"}}],
            "tools": tools,
            "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
            "metadata": {"user_id": json!({"session_id": self.session}).to_string()},
        })
    }
}

impl TurnRequest {
    /// Returns the HTTP request.
    pub(super) fn http(&self) -> Request<'_> {
        Request { method: "POST", path: "/v1/messages?beta=true", headers: &self.headers, body: &self.body }
    }
}

/// Removes the release date at the end of a model id, such as `-20251101`.
fn without_date(model: &str) -> &str {
    match model.rsplit_once('-') {
        Some((name, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => model,
    }
}

/// Returns whether a message has a content block of this type.
fn has_block(message: &Value, kind: &str) -> bool {
    message["content"].as_array().into_iter().flatten().any(|block| block["type"] == kind)
}

/// Returns the headers of a request of Claude Code in a session.
fn headers(session: &str) -> Vec<(String, String)> {
    let headers = [
        ("content-type", "application/json"),
        ("authorization", "Bearer token-of-the-client"),
        ("user-agent", "claude-cli/2.1.197 (external, cli)"),
        ("x-app", "cli"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-beta", BETA),
        ("x-claude-code-session-id", session),
    ];
    headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answered_message_is_a_request_with_the_conversation_before_it() {
        let folder = workspace::temporary_folder().unwrap();
        let path = folder.path().join("s.jsonl");
        let lines = [
            json!({"type": "user", "message": {"content": "first"}}),
            json!({"type": "assistant", "message": {"model": "claude-opus-4-6", "content": [{"type": "thinking", "thinking": "…", "signature": "s"}]}}),
            json!({"type": "assistant", "message": {"model": "claude-opus-4-6", "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {}}]}}),
            json!({"type": "user", "message": {"content": "never mind"}}),
            json!({"type": "user", "isSidechain": true, "message": {"content": "of a sub-agent"}}),
            json!({"type": "assistant", "message": {"model": "<synthetic>", "content": []}}),
            json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "unknown"}, {"type": "text", "text": "second"}]}}),
            json!({"type": "assistant", "message": {"model": "claude-opus-4-6", "content": [{"type": "text", "text": "yes"}]}}),
        ];
        workspace::write_file(&path, &lines.map(|line| line.to_string()).join("\n")).unwrap();
        let conversation = Conversation::read(&path).unwrap();
        let requests: Vec<_> = conversation.requests().collect();
        assert_eq!(requests.iter().map(|request| request.after_thinking).collect::<Vec<_>>(), [false, true]);
        let [first, second] = [0, 1].map(|index| serde_json::from_str::<Value>(&requests[index].body).unwrap());
        assert_eq!((first["messages"].as_array().map(Vec::len), &first["model"]), (Some(1), &json!("claude-opus-4-6")));
        let last = &second["messages"][2]["content"];
        assert_eq!(last[0], json!({"type": "tool_result", "tool_use_id": "a", "content": "interrupted"}));
        let texts: Vec<_> = last.as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect();
        assert_eq!(texts, ["never mind", "second"]);
        assert_eq!(conversation.session, "s");
    }
}
