//! Calls beside the conversation, by signs that their clients are known to give.
//!
//! A main turn must never be taken for one, so an auxiliary call has no tools of the client's (but for a search that Claude
//! Code delegates) and gives its sign in the system prompt or in the schema of its answer.

use contracts::AuxiliaryCall;

use super::history::History;
use crate::{json::Value, request::Inspected};

/// Beginnings of system prompts and what they ask for.
const SYSTEM_SIGNS: [(&str, AuxiliaryCall); 8] = [
    // opencode.
    ("You are a title generator", AuxiliaryCall::Title),
    ("Summarize what was done in this conversation", AuxiliaryCall::Summary),
    // Claude Code until 2.0.
    ("Analyze if this message indicates a new conversation topic", AuxiliaryCall::Title),
    ("Summarize this coding conversation in under 50 characters", AuxiliaryCall::Title),
    ("Your task is to process Bash commands that an AI coding agent wants to run", AuxiliaryCall::Classifier),
    ("Extract any file paths that this command reads or modifies", AuxiliaryCall::Classifier),
    // Claude Code's web search, which is a call of its own.
    ("You are an assistant for performing a web search tool use", AuxiliaryCall::Other),
    // Gemini CLI's task router.
    ("You are a specialized Task Routing AI", AuxiliaryCall::Classifier),
];

/// What was seen of an auxiliary call's signs.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    by_system: Option<AuxiliaryCall>,
    /// A system text speaks of a title at its start.
    about_title: bool,
    /// Claude Code's own words about itself.
    claude_code: bool,
    by_schema: Option<AuxiliaryCall>,
    /// The answer's schema has a title and next to nothing else.
    title_schema: bool,
}

impl Signs {
    /// Looks at a system text, as the inside of a JSON string.
    pub(crate) fn system(&mut self, raw: &str) {
        let start = raw.trim_start_matches("\\n").trim_start();
        if self.by_system.is_none() {
            self.by_system = SYSTEM_SIGNS.iter().find(|(sign, _)| start.starts_with(sign)).map(|(_, side)| *side);
        }
        self.claude_code |=
            start.starts_with("You are Claude Code") || start.starts_with("You are a Claude agent, built on");
        let head = start.char_indices().nth(120).map_or(start, |(end, _)| start.get(..end).unwrap_or(start));
        self.about_title |= head.contains("title");
    }

    /// Looks at the schema the answer has to follow.
    pub(crate) fn schema(&mut self, schema: &Value<'_>) {
        let properties = schema.get("properties");
        let names: Vec<_> = properties.iter().flat_map(Value::members).filter_map(|(name, _)| name.string()).collect();
        let has = |name: &str| names.iter().any(|known| known == name);
        self.title_schema = has("title") && names.len() <= 2;
        // Gemini CLI: its task router, that router's first version, and whose turn it is to speak.
        let pairs = [
            ("complexity_reasoning", "complexity_score"),
            ("reasoning", "model_choice"),
            ("reasoning", "next_speaker"),
        ];
        if names.len() == 2 && pairs.iter().any(|(reason, verdict)| has(reason) && has(verdict)) {
            self.by_schema = Some(AuxiliaryCall::Classifier);
        }
    }

    pub(crate) fn side(&self, read: &Inspected<'_>, history: &History<'_>) -> Option<AuxiliaryCall> {
        if self.by_system == Some(AuxiliaryCall::Other) {
            return self.by_system;
        }
        if read.needs.tools || read.tool_calls_in_history {
            return None;
        }
        let says =
            |start: &str| history.messages.last().is_some_and(|message| message.text.trim_start().starts_with(start));
        if self.title_schema && self.about_title {
            return Some(AuxiliaryCall::Title);
        }
        if self.by_system.is_some() || self.by_schema.is_some() {
            return self.by_system.or(self.by_schema);
        }
        // Claude Code asks whether its account still works, and has pages of the web read for it.
        let probe = read.max_output == Some(1) && says("quota") && read.prompt.characters < 200;
        let page = self.claude_code && says("Web page content:\n---");
        (probe || page).then_some(AuxiliaryCall::Other)
    }
}
