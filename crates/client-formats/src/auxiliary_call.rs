//! Recognises auxiliary calls of known clients: model calls that the client makes for itself, such as a request for the
//! title of a conversation.
//!
//! A request of the conversation must never be classified as auxiliary. Therefore an auxiliary call has none of the
//! client's tools, and is recognised by its system prompt or by the schema of its response.

use contracts::AuxiliaryCall;

/// The starts of the system prompts of auxiliary calls, each with the kind of call.
const SYSTEM_PROMPT_STARTS: [(&str, AuxiliaryCall); 8] = [
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

/// The starts of the system prompts of Claude Code.
const CLAUDE_CODE_STARTS: [&str; 2] = ["You are Claude Code", "You are a Claude agent, built on"];

/// The complete sets of property names in classifier responses, all of Gemini CLI: its task router, the router's first
/// version, and its check of the next speaker.
const CLASSIFIER_PROPERTIES: [[&str; 2]; 3] =
    [["complexity_reasoning", "complexity_score"], ["reasoning", "model_choice"], ["reasoning", "next_speaker"]];

/// The number of characters at the start of a system prompt in which the word `title` must occur.
const TITLE_CHARACTERS: usize = 120;

/// The length in characters that the prompt of an account check always stays below.
const QUOTA_CHECK_CHARACTERS: u64 = 200;

/// The evidence that a request is an auxiliary call of a client, such as one that asks for the title of a conversation.
/// It is collected while the request is parsed, and evaluated by [`AuxiliaryCallEvidence::classify`].
#[derive(Debug, Default)]
pub struct AuxiliaryCallEvidence {
    /// The kind of call that a system prompt indicates; `None` if there is no such prompt.
    system_prompt: Option<AuxiliaryCall>,
    /// The kind of call that the response schema indicates; `None` if it indicates none.
    schema: Option<AuxiliaryCall>,
    /// Whether a system prompt mentions a title at its start.
    mentions_title: bool,
    /// Whether the response schema has a title and at most one other property.
    has_title_schema: bool,
    /// Whether a system prompt belongs to Claude Code.
    is_claude_code: bool,
}

/// The properties of a request that [`AuxiliaryCallEvidence::classify`] reads in addition to the collected evidence.
#[derive(Debug, Clone, Copy)]
pub struct RequestProperties<'r> {
    /// Whether the request contains tool definitions or tool calls.
    pub has_tools: bool,
    /// The limit of output tokens; `None` if the client sets none.
    pub max_output: Option<u64>,
    /// The number of characters in the complete prompt.
    pub characters: u64,
    /// The text of the user's last message; `None` if there is none.
    pub last_message: Option<&'r str>,
}

impl AuxiliaryCallEvidence {
    /// Adds a text of the system prompt to the evidence. `json_text` is the content of a JSON string, with its escapes.
    pub fn add_system_prompt(&mut self, json_text: &str) {
        let start = json_text.trim_start_matches("\\n").trim_start();
        if self.system_prompt.is_none() {
            let known_start = SYSTEM_PROMPT_STARTS.iter().find(|(known_start, _)| start.starts_with(known_start));
            self.system_prompt = known_start.map(|(_, call)| *call);
        }
        self.is_claude_code |= CLAUDE_CODE_STARTS.iter().any(|known| start.starts_with(known));
        let end = start.char_indices().nth(TITLE_CHARACTERS).map_or(start.len(), |(end, _)| end);
        self.mentions_title |= start.get(..end).is_some_and(|head| head.contains("title"));
    }

    /// Adds the schema of the response to the evidence; `names` are the property names of the schema.
    pub fn set_response_properties<T: AsRef<str>>(&mut self, names: &[T]) {
        let contains = |property: &&str| names.iter().any(|name| name.as_ref() == *property);
        self.has_title_schema = contains(&"title") && names.len() <= 2;
        if names.len() == 2 && CLASSIFIER_PROPERTIES.iter().any(|pair| pair.iter().all(contains)) {
            self.schema = Some(AuxiliaryCall::Classifier);
        }
    }

    /// Returns the kind of auxiliary call that a request is; `None` if it belongs to the conversation itself.
    ///
    /// Except for Claude Code's web search, a request with tools or tool calls belongs to the conversation. Other
    /// requests are classified by the first of these that applies: a title schema with a prompt about titles, the
    /// system prompt, the response schema, and the checks of Claude Code.
    pub fn classify(&self, request: RequestProperties<'_>) -> Option<AuxiliaryCall> {
        // Claude Code's web search has a tool, the search of the provider.
        if self.system_prompt == Some(AuxiliaryCall::Other) {
            return self.system_prompt;
        }
        if request.has_tools {
            return None;
        }
        if self.has_title_schema && self.mentions_title {
            return Some(AuxiliaryCall::Title);
        }
        let indicated_call = self.system_prompt.or(self.schema);
        indicated_call.or_else(|| self.is_claude_code_check(request).then_some(AuxiliaryCall::Other))
    }

    /// Returns whether the request is Claude Code's check of its account, or its summary of a web page.
    ///
    /// The account check is a prompt of less than 200 characters that starts with `quota` and has an output limit of 1
    /// token.
    fn is_claude_code_check(&self, request: RequestProperties<'_>) -> bool {
        let starts_with = |start| request.last_message.is_some_and(|text| text.trim_start().starts_with(start));
        let checks_quota =
            request.max_output == Some(1) && starts_with("quota") && request.characters < QUOTA_CHECK_CHARACTERS;
        checks_quota || (self.is_claude_code && starts_with("Web page content:\n---"))
    }
}
