//! The result of inspecting a request: its summary, and the errors of bodies that cannot be inspected.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use client_formats::{
    file_paths::{MAX_OUTPUT_BYTES, extensions_in_output},
    skills::{OfferedSkill, matching_skills},
};
use contracts::{AuxiliaryCall, Needs, Requirement, WireApi};

use crate::json::{Value, ValueKind};

/// The properties of a request that routing and recording need, found by inspecting its body. Texts are borrowed from
/// the body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no events about a request")]
pub struct RequestSummary<'a> {
    /// The API of the body.
    pub api: WireApi,
    /// The requested model; `None` if the body has none. Gemini has it in the path.
    pub model: Option<Cow<'a, str>>,
    /// The byte range of the model in the body, with the quotes; `None` if the body has no model.
    pub model_span: Option<Range<usize>>,
    /// Whether a stream is requested. Always false for Gemini, where the path of the request states it.
    pub stream: bool,
    /// Whether the request sets `stream_options.include_usage`, so that a streamed chat completion ends with its usage.
    pub requests_stream_usage: bool,
    /// The user's messages, in order, without texts that the client injected, such as reminders. If there are only
    /// injected texts, the last one is used.
    pub user_messages: Vec<UserMessage<'a>>,
    /// Whether the request continues a running turn: its last input is a tool result or a notification of the client.
    pub continues_turn: bool,
    /// The tool results after the last message of the model.
    pub tool_results: Vec<ToolResult<'a>>,
    /// Whether the conversation contains a tool call.
    pub tool_calls_in_history: bool,
    /// The ids of the tool calls in the conversation, including calls of which only the result is present. `None` for
    /// Gemini, whose calls need no ids.
    pub call_ids: Option<BTreeSet<Cow<'a, str>>>,
    /// The capabilities that the model needs.
    pub needs: Needs,
    /// Whether the user's last message contains an image.
    pub last_message_has_images: bool,
    /// The features that the provider's API has to support.
    pub requires: BTreeSet<Requirement>,
    /// Whether the request offers the model a web search that the provider runs.
    pub web_search: bool,
    /// The skills that the client offers to the model.
    pub skills: Vec<OfferedSkill>,
    /// The size of the prompt.
    pub prompt: PromptCounts,
    /// The kind of auxiliary call, such as naming the conversation; `None` for a request of the conversation itself.
    pub auxiliary_call: Option<AuxiliaryCall>,
    /// The ids and the client in the body.
    pub identity: Identity,
    /// The first 16 bytes of a BLAKE3 hash of the API, the first text of the system prompt and the user's first
    /// message. It identifies the session of a client that sends no ids.
    pub conversation_hash: [u8; 16],
    /// The limit of output tokens; `None` if the client sets none.
    pub max_output: Option<u64>,
    /// Offsets in the body that edits need.
    pub(crate) offsets: BodyOffsets,
}

impl RequestSummary<'_> {
    /// Returns the names of the skills that match a message: the offered skills that match, and the skill that it calls
    /// as a command.
    pub fn matching_skills(&self, message: &str) -> BTreeSet<String> {
        matching_skills(&self.skills, message)
    }
}

/// Byte offsets and ranges in the request body that edits need.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BodyOffsets {
    /// The offset after the opening brace of the body, where a first member can be inserted.
    pub(crate) first_member: usize,
    /// Whether the body has any member.
    pub(crate) has_members: bool,
    /// The range of the value of `stream_options`; `None` if it is missing.
    pub(crate) stream_options: Option<Range<usize>>,
    /// The range of the list of messages, items or contents; `None` if the body has no such list.
    pub(crate) history: Option<Range<usize>>,
    /// The index of the user's last message in that list; `None` if there is none.
    pub(crate) last_user: Option<usize>,
}

/// A message that the user typed, without the texts that the client injected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage<'a> {
    /// The typed text; several parts are joined with line feeds.
    pub text: Cow<'a, str>,
    /// The byte range in the body from the start of the text to the end of its JSON string. `None` if the text differs
    /// from the body. Only the first of several parts is covered.
    pub span: Option<Range<usize>>,
    /// Whether the message contains images.
    pub has_images: bool,
}

/// The result of a tool call that the client sends back to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The id of its call; in Gemini it may be the name of the tool.
    pub call_id: Cow<'a, str>,
    /// Whether the tool failed; `None` if neither the API nor the client reports it.
    pub is_error: Option<bool>,
    /// The length of its content in the body, in bytes.
    pub bytes: u64,
    /// The content of the result in the body; `None` if it has none.
    pub(crate) content: Option<Value<'a>>,
}

impl ToolResult<'_> {
    /// Returns the extensions of the files that the texts of the result name, in lower case with the dot.
    pub fn file_extensions(&self) -> BTreeSet<String> {
        let Some(content) = &self.content else { return BTreeSet::new() };
        match content.kind {
            // Parts of content, each with a text.
            ValueKind::Array => content.elements().filter_map(|part| part.get("text")).flat_map(extensions).collect(),
            // The response object of Gemini.
            ValueKind::Object => content.members().flat_map(|(_, value)| extensions(value)).collect(),
            _ => extensions(*content),
        }
    }

    /// Returns the start of the first text of the result, at most about `bytes` bytes; empty if it has no text.
    pub fn text_start(&self, bytes: usize) -> String {
        let Some(content) = &self.content else { return String::new() };
        match content.kind {
            ValueKind::Array => content
                .elements()
                .find_map(|part| part.get("text"))
                .map(|text| start_of(text, bytes))
                .unwrap_or_default(),
            ValueKind::Object => content.members().next().map(|(_, value)| start_of(value, bytes)).unwrap_or_default(),
            _ => start_of(*content, bytes),
        }
    }
}

/// Returns the start of a JSON string, at most about `bytes` bytes; empty for other values.
fn start_of(value: Value<'_>, bytes: usize) -> String {
    value.text().map(|text| text.decoded_prefix(bytes).into_owned()).unwrap_or_default()
}

/// Returns the extensions of the files that a JSON string names; none for other values. Only the part of the string
/// that is searched is decoded.
fn extensions(value: Value<'_>) -> BTreeSet<String> {
    let Some(text) = value.text() else { return BTreeSet::new() };
    extensions_in_output(&text.decoded_prefix(MAX_OUTPUT_BYTES))
}

/// The size of a prompt by its parts. Characters are Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PromptCounts {
    /// The number of characters of the system prompt, the messages, the tool calls and their results.
    pub characters: u64,
    /// The number of messages, without the system prompt.
    pub messages: u64,
    /// The number of images in the messages.
    pub images: u64,
    /// The number of tool definitions.
    pub tools: u64,
    /// The number of characters of the tool definitions, as JSON.
    pub tool_characters: u64,
}

/// The ids and the client in a request body. The client chooses the values, so they cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// The id of the session, which contains all threads of one conversation; `None` if the body has none.
    pub session: Option<String>,
    /// The id of the thread within the session; `None` if the body has none.
    pub thread: Option<String>,
    /// The id of the thread that started this one; `None` if it is the main thread, or unknown.
    pub parent: Option<String>,
    /// Whether the request is from a sub-agent.
    pub subagent: bool,
    /// The field `prompt_cache_key`; `None` if it is missing. Some agents send the session in it, other clients any key
    /// that prompts share.
    pub cache_key: Option<String>,
    /// The absolute path of the client's working directory; `None` if unknown.
    pub workspace: Option<String>,
    /// The name of the client, if the system prompt identifies it; `None` otherwise.
    pub client: Option<&'static str>,
}

/// An error of inspecting a request body. Its message contains no content of the body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The bytes are not JSON.
    #[error("the request body is not JSON: {problem} at byte {offset}")]
    NotJson {
        /// A description of the syntax error.
        problem: &'static str,
        /// The byte offset of the error in the body.
        offset: usize,
    },
    /// The body is not an object.
    #[error("the request body is not a JSON object")]
    NotAnObject,
    /// A field has an unexpected type.
    #[error("`{field}` in the request body is not {expected}")]
    WrongType {
        /// The name of the field.
        field: &'static str,
        /// The expected type, with its article, as in `a list`.
        expected: &'static str,
    },
    /// A required field is missing.
    #[error("the request body has no `{field}`")]
    MissingField {
        /// The name of the missing field.
        field: &'static str,
    },
    /// A field is present twice, which parsers resolve differently.
    #[error("the request body has `{field}` twice")]
    DuplicateField {
        /// The name of the repeated field.
        field: &'static str,
    },
}
