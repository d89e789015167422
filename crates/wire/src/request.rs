//! What the gateway has to know of a request: the nouns of an inspection.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use contracts::{AuxiliaryCall, Needs, Requirement, WireApi};

/// What the gateway has to know of a request body; the texts are borrowed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no events about a request")]
pub struct Inspected<'a> {
    /// The API the body belongs to.
    pub api: WireApi,
    /// The model asked for; `None` when the body does not say. Gemini names it in the path.
    pub model: Option<Cow<'a, str>>,
    /// The bytes of its JSON string, quotes included.
    pub model_span: Option<Range<usize>>,
    /// Whether the answer is to be streamed. Always false for Gemini, where the path says it.
    pub stream: bool,
    /// Chat completions: whether the client asks for the usage at the end of a stream.
    pub asks_usage: bool,
    /// What the user wrote, in order. What clients put beside it (reminders, the environment) is dropped; a request
    /// that holds nothing else counts with the last message of the role `user`.
    pub user_messages: Vec<UserMessage<'a>>,
    /// Whether the request goes on with a running turn: the last thing in it that a user or a client says is a tool's
    /// result, or news that the client reports by itself.
    pub continues: bool,
    /// The results of tools after the last message of the model.
    pub tool_results: Vec<ToolResult<'a>>,
    /// Whether the history holds a call of a tool.
    pub tool_calls_in_history: bool,
    /// The ids of the calls in the history, those among them of which only the result is left. `None` in Gemini's API,
    /// where calls need no ids.
    pub calls: Option<BTreeSet<Cow<'a, str>>>,
    /// What the request needs of a model.
    pub needs: Needs,
    /// Whether the last of the user's messages holds an image.
    pub message_has_images: bool,
    /// What the request needs an API to carry.
    pub requires: BTreeSet<Requirement>,
    /// How much there is to read for a model.
    pub prompt: PromptCounts,
    /// Set when the client asks for something beside the conversation.
    pub side: Option<AuxiliaryCall>,
    /// Who asks, as far as the body says it.
    pub identity: Identity,
    /// The start of a BLAKE3 hash of the API, the first system text and the user's first message: stands for the
    /// session of a client that sends no ids.
    pub opening: [u8; 16],
    /// The most tokens the model may write, when the client says it.
    pub max_output: Option<u64>,
    /// Where edits are made.
    pub(crate) places: Places,
}

/// Places in the body that edits need.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Places {
    /// Behind the opening brace of the body.
    pub(crate) start: usize,
    /// Whether the body has any member.
    pub(crate) members: bool,
    /// The value of `stream_options`, when it is there.
    pub(crate) stream_options: Option<Range<usize>>,
    /// The list of messages, items or contents.
    pub(crate) history: Option<Range<usize>>,
    /// The index in that list of the last message that the user wrote.
    pub(crate) last_user: Option<usize>,
}

/// A message that the user wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage<'a> {
    /// What was typed; several pieces are joined with line feeds.
    pub text: Cow<'a, str>,
    /// The bytes of the JSON string, without its quotes, from where the text begins to the end of that string. `None`
    /// when the text is not in the body as it is here. Only the first piece of several is covered.
    pub span: Option<Range<usize>>,
    /// Whether it holds images.
    pub images: bool,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The call it answers; Gemini may name the tool instead.
    pub call: Cow<'a, str>,
    /// Whether the tool failed, where the API or the client says it.
    pub is_error: Option<bool>,
    /// Its length in the body, in bytes.
    pub bytes: u64,
}

/// How much there is to read for a model. Characters are Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PromptCounts {
    /// Characters of the system prompt, the messages, the tool calls and their results.
    pub characters: u64,
    /// Messages, the system prompt not among them.
    pub messages: u64,
    /// Images in them.
    pub images: u64,
    /// Definitions of tools.
    pub tools: u64,
    /// Characters of those definitions, as JSON.
    pub tool_characters: u64,
}

/// Who asks, as far as a body says it. Nothing here is to be trusted with more than a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// The session: all threads of one conversation.
    pub session: Option<String>,
    /// The thread within the session.
    pub thread: Option<String>,
    /// The thread that started this one.
    pub parent: Option<String>,
    /// Whether the body says that a sub-agent asks.
    pub subagent: bool,
    /// `prompt_cache_key`: an agent's session, or, from others, whatever prompts have in common.
    pub cache_key: Option<String>,
    /// The directory the client works in.
    pub workspace: Option<String>,
    /// The client, where only its system prompt tells.
    pub client: Option<&'static str>,
}

/// Why a body could not be read. Says what and where, never the content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The bytes are not JSON.
    #[error("the request body is not JSON: {what} at byte {at}")]
    NotJson {
        /// What is wrong.
        what: &'static str,
        /// Where, in bytes from the start.
        at: usize,
    },
    /// The body is JSON, but not an object.
    #[error("the request body is not a JSON object")]
    NotAnObject,
    /// A field has another type than the API gives it.
    #[error("`{field}` in the request body is not {expected}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// The type it has to have.
        expected: &'static str,
    },
    /// A field without which there is nothing to answer.
    #[error("the request body has no `{field}`")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A field is there twice, and readers differ on which one counts.
    #[error("the request body has `{field}` twice")]
    Twice {
        /// The field.
        field: &'static str,
    },
}
