//! The canonical form of a request.

use contracts::Requirement;
use serde_json::{Map, Number, Value};

use crate::{
    convert::{ConvertError, fields::reject_inexact_numbers},
    limits::is_blank,
};

/// A request in the canonical form, which each API's requests are converted from and to.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// The system prompt.
    pub(crate) system: Vec<String>,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) tool_choice: Option<ToolChoice>,
    /// Whether parallel tool calls are allowed; by default all APIs allow them.
    pub(crate) parallel_tools: Option<bool>,
    pub(crate) format: Option<Format>,
    pub(crate) effort: Option<Effort>,
    /// In tokens.
    pub(crate) max_output: Option<u64>,
    pub(crate) stop: Vec<String>,
    pub(crate) sampling: Sampling,
    pub(crate) openai: OpenAiSettings,
}

/// One message of the conversation.
#[derive(Debug, PartialEq)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) blocks: Vec<Block>,
}

impl Message {
    /// Whether it has content other than white space.
    pub(crate) fn has_content(&self) -> bool {
        self.blocks.iter().any(|block| !matches!(block, Block::Text(text) if is_blank(text)))
    }
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A system message within the conversation; those before it are in [`Request::system`].
    System,
    User,
    Assistant,
}

/// A content block.
#[derive(Debug, PartialEq)]
pub(crate) enum Block {
    Text(String),
    Image(Image),
    ToolCall(ToolCall),
    ToolResult(ToolResult),
}

/// An image in a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Image {
    Inline {
        media_type: String,
        /// In base64.
        data: String,
    },
    /// The URL from which the provider fetches it.
    Remote(String),
}

impl Image {
    /// Parses a URL; one other than a base64 `data:` URL is remote.
    pub(crate) fn from_url(url: String) -> Self {
        let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match inline {
            Some((media_type, data)) => Self::Inline { media_type: media_type.to_owned(), data: data.to_owned() },
            None => Self::Remote(url),
        }
    }

    pub(crate) fn into_url(self) -> String {
        match self {
            Self::Inline { media_type, data } => format!("data:{media_type};base64,{data}"),
            Self::Remote(url) => url,
        }
    }
}

/// A tool call.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: ToolInput,
}

/// The arguments of a tool call.
#[derive(Debug, PartialEq)]
pub(crate) enum ToolInput {
    Object(Map<String, Value>),
    /// The JSON text of an object, as in `OpenAI`'s APIs.
    Json(String),
    /// Free text for a custom tool.
    Free(String),
}

impl ToolInput {
    /// Converts the arguments to JSON text, or returns the free text.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Object(map) => Value::Object(map).to_string(),
            Self::Json(text) if text.trim().is_empty() => "{}".to_owned(),
            Self::Json(text) | Self::Free(text) => text,
        }
    }

    /// Converts the arguments to an object.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if the text is not a JSON object that can be represented exactly.
    pub(crate) fn into_object(self) -> Result<Map<String, Value>, ConvertError> {
        const BROKEN: ConvertError = ConvertError::Requires(Requirement::BrokenArguments);
        match self {
            Self::Object(map) => Ok(map),
            Self::Json(text) => {
                let object = parse_arguments(&text).map_err(|_| BROKEN)?;
                object.values().try_for_each(reject_inexact_numbers).map_err(|_| BROKEN)?;
                Ok(object)
            }
            Self::Free(_) => Err(ConvertError::Requires(Requirement::CustomTools)),
        }
    }
}

/// Parses the arguments of a tool call. Empty text is an empty object, which is how tools without parameters are often
/// called.
pub(crate) fn parse_arguments(text: &str) -> Result<Map<String, Value>, ConvertError> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        _ => Err(ConvertError::malformed("a tool call", "has arguments that are not a JSON object")),
    }
}

/// The result of a tool call.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolResult {
    /// The id of the call.
    pub(crate) call: String,
    /// Text and images.
    pub(crate) content: Vec<Block>,
    pub(crate) failed: bool,
}

impl ToolResult {
    /// Returns the content, prefixed with a note if the tool failed, for APIs without a field for failures.
    pub(crate) fn content_with_failure(self) -> Vec<Block> {
        const FAILED: &str = "The tool failed: ";
        let mut content = self.content;
        match content.first_mut() {
            _ if !self.failed => {}
            Some(Block::Text(text)) => text.insert_str(0, FAILED),
            _ => content.insert(0, Block::Text(FAILED.trim_end().to_owned())),
        }
        content
    }
}

/// The definition of a tool that the client runs.
#[derive(Debug, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) kind: ToolKind,
}

/// The kind of a tool, with the format of its arguments.
#[derive(Debug, PartialEq)]
pub(crate) enum ToolKind {
    Function {
        /// A JSON schema.
        parameters: Option<Value>,
        /// Whether the arguments have to match the schema exactly.
        strict: Option<bool>,
    },
    Custom {
        grammar: Option<Grammar>,
    },
}

/// The grammar of a custom tool's input.
#[derive(Debug, PartialEq)]
pub(crate) struct Grammar {
    pub(crate) syntax: Value,
    pub(crate) definition: Value,
}

/// The constraint on which tools the model may or must call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    Auto,
    Any,
    None,
    Named(String),
}

impl ToolChoice {
    /// Parses a keyword of `OpenAI`'s APIs; `None` if it is unknown.
    pub(crate) fn from_openai(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "required" => Some(Self::Any),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// Converts the choice to the form of `OpenAI`'s APIs. `named` writes the choice of one tool, given its kind
    /// (`function` or `custom`) and its name.
    pub(crate) fn into_openai(self, tools: &[Tool], named: impl FnOnce(&str, String) -> Value) -> Value {
        let name = match self {
            Self::Auto => return Value::from("auto"),
            Self::Any => return Value::from("required"),
            Self::None => return Value::from("none"),
            Self::Named(name) => name,
        };
        let is_custom = |tool: &Tool| tool.name == name && matches!(tool.kind, ToolKind::Custom { .. });
        named(if tools.iter().any(is_custom) { "custom" } else { "function" }, name)
    }
}

/// The required format of the response.
#[derive(Debug, PartialEq)]
pub(crate) enum Format {
    JsonObject,
    JsonSchema { name: Option<String>, description: Option<String>, schema: Value, strict: Option<bool> },
}

/// The reasoning effort, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    ExtraHigh,
    Max,
}

impl Effort {
    const NAMES: [(Self, &'static str); 7] = [
        (Self::None, "none"),
        (Self::Minimal, "minimal"),
        (Self::Low, "low"),
        (Self::Medium, "medium"),
        (Self::High, "high"),
        (Self::ExtraHigh, "xhigh"),
        (Self::Max, "max"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(effort, _)| *effort == self).map_or("medium", |(_, name)| name)
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| name.eq_ignore_ascii_case(known)).map(|(effort, _)| *effort)
    }
}

/// Sampling parameters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sampling {
    pub(crate) temperature: Option<Number>,
    pub(crate) top_p: Option<Number>,
    pub(crate) top_k: Option<Number>,
    pub(crate) seed: Option<Number>,
    pub(crate) presence_penalty: Option<Number>,
    pub(crate) frequency_penalty: Option<Number>,
}

/// Settings that only `OpenAI`'s two APIs have. They are kept when converting between the two.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OpenAiSettings {
    pub(crate) cache_key: Option<String>,
    pub(crate) cache_retention: Option<Value>,
    pub(crate) safety_identifier: Option<String>,
    pub(crate) verbosity: Option<String>,
}
