//! A request of the size of a coding agent's, generated from pseudo-random words that are the same in every run.

use serde_json::{Map, Value, json};

/// The words of generated texts.
const WORDS: &[&str] = &[
    "the",
    "file",
    "agent",
    "command",
    "when",
    "returns",
    "output",
    "absolute",
    "path",
    "must",
    "never",
    "before",
    "user",
    "tool",
    "result",
    "directory",
    "content",
    "session",
    "reads",
    "writes",
    "a",
    "of",
    "to",
    "is",
    "with",
    "only",
    "line",
    "number",
    "optional",
    "timeout",
    "background",
    "task",
    "search",
    "pattern",
    "edit",
    "replace",
    "string",
    "exactly",
    "\"quoted\"",
    "`code`",
    "(default: 2000)",
    "use",
    "this",
    "instead",
    "for",
    "large",
    "results",
    "\n-",
];

/// The names of generated tools and of their fields.
const NAMES: &[&str] = &["read", "write", "edit", "search", "list", "run", "stop", "plan", "fetch", "note"];

/// A pseudo-random number generator (xorshift), whose numbers depend only on its seed.
struct RandomGenerator(u64);

impl RandomGenerator {
    /// Returns a pseudo-random number that is less than `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap_or_default()
    }

    /// Returns a text of at least this number of bytes, from random words.
    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            text.push_str(WORDS.get(self.below(WORDS.len())).copied().unwrap_or_default());
            text.push(' ');
        }
        text
    }

    /// Returns the JSON schema of an object with two to seven random properties.
    fn schema(&mut self) -> Value {
        let mut properties = Map::new();
        for index in 0..2 + self.below(6) {
            let name = format!("{}_{index}", NAMES.get(self.below(NAMES.len())).copied().unwrap_or_default());
            let kind = ["string", "number", "boolean"].get(self.below(3)).copied().unwrap_or("string");
            properties.insert(name, json!({"type": kind, "description": self.text(60)}));
        }
        let required_names: Vec<String> = properties.keys().take(1).cloned().collect();
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": properties,
            "required": required_names,
            "additionalProperties": false,
        })
    }
}

/// Returns the body of the first request of a conversation: a system prompt of three blocks, 25 tools, and the user's
/// `text` after a long reminder.
pub(crate) fn agent_body(model: &str, text: &str, stream: bool) -> Value {
    let mut random = RandomGenerator(0x9E37_79B9_7F4A_7C15);
    let cache_control = json!({"type": "ephemeral"});
    let tools: Vec<Value> = (0..25)
        .map(|index| {
            let name = format!("{}Tool{index}", NAMES.get(index % NAMES.len()).copied().unwrap_or_default());
            // One description is very long.
            let description = random.text(if index == 23 { 15_600 } else { 1_550 });
            json!({"name": name, "description": description, "input_schema": random.schema()})
        })
        .collect();
    let user_id = r#"{"device_id":"0000","account_uuid":"","session_id":"00000000-0000-4000-8000-000000000000"}"#;
    json!({
        "model": model,
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": format!("<system-reminder>\n{}</system-reminder>\n", random.text(4_000))},
                {"type": "text", "text": text, "cache_control": cache_control},
            ]},
            {"role": "system", "content": random.text(6_000)},
        ],
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.0.1; cc_entrypoint=cli;"},
            {"type": "text", "text": "You are a made-up agent.", "cache_control": cache_control},
            {"type": "text", "text": random.text(9_000), "cache_control": cache_control},
        ],
        "tools": tools,
        "metadata": {"user_id": user_id},
        "max_tokens": 64_000,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "high"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "stream": stream,
    })
}
