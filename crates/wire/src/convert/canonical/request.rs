//! The canonical form of a request: messages, tools and settings.

use contracts::Requirement;
use serde_json::{Map, Number, Value};

use crate::{
    convert::{ConvertError, fields::reject_inexact_numbers},
    limits::is_blank,
};

/// A request in the canonical form. A conversion parses the client's request to it and writes the provider's request
/// from it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// The texts of the system prompt, in order.
    pub(crate) system: Vec<String>,
    /// The conversation, in order.
    pub(crate) messages: Vec<Message>,
    /// The definitions of the tools that the model may call.
    pub(crate) tools: Vec<Tool>,
    /// Which tools may be called; `None` for the API's default.
    pub(crate) tool_choice: Option<ToolChoice>,
    /// Whether several tools may be called at once; if `None`, all APIs allow it.
    pub(crate) parallel_tools: Option<bool>,
    /// The required format of the response; `None` for text.
    pub(crate) format: Option<Format>,
    /// The reasoning effort; `None` for the model's default.
    pub(crate) effort: Option<Effort>,
    /// The limit of thinking in tokens, above 0; `None` if the client sets none.
    pub(crate) thinking_budget: Option<u64>,
    /// The output limit in tokens; `None` if the client sets none.
    pub(crate) max_output: Option<u64>,
    /// The texts at which the model stops; empty if the client sets none.
    pub(crate) stop: Vec<String>,
    /// The sampling parameters.
    pub(crate) sampling: Sampling,
    /// The settings that only `OpenAI`'s two APIs have.
    pub(crate) openai: OpenAiSettings,
}

/// A message of the conversation in the canonical form.
#[derive(Debug, PartialEq)]
pub(crate) struct Message {
    /// The author.
    pub(crate) role: Role,
    /// The content, in order.
    pub(crate) blocks: Vec<Block>,
}

impl Message {
    /// Returns whether the message has content other than white space.
    pub(crate) fn has_content(&self) -> bool {
        self.blocks.iter().any(|block| !matches!(block, Block::Text(text) if is_blank(text)))
    }
}

/// The author of a message in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A system message within the conversation; those before it are in [`Request::system`].
    System,
    /// The user, or a tool whose result the message contains.
    User,
    /// The model.
    Assistant,
}

/// A part of a message's content in the canonical form.
#[derive(Debug, PartialEq)]
pub(crate) enum Block {
    /// A text.
    Text(String),
    /// An image of the user or in a tool result.
    Image(Image),
    /// A tool call by the model.
    ToolCall(ToolCall),
    /// The result of a tool call, in a message of the user.
    ToolResult(ToolResult),
}

/// An image in a message or a tool result of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// An image in the request.
    Inline {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The bytes of the image in base64.
        data: String,
    },
    /// The URL from which the provider fetches the image.
    Remote(String),
}

impl Image {
    /// Converts a URL to an image: inline for a base64 `data:` URL, remote for any other.
    pub(crate) fn from_url(url: String) -> Self {
        let inline_parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match inline_parts {
            Some((media_type, data)) => Self::Inline { media_type: media_type.to_owned(), data: data.to_owned() },
            None => Self::Remote(url),
        }
    }

    /// Converts the image to a URL: a base64 `data:` URL if it is inline.
    pub(crate) fn into_url(self) -> String {
        match self {
            Self::Inline { media_type, data } => format!("data:{media_type};base64,{data}"),
            Self::Remote(url) => url,
        }
    }
}

/// A call of a tool by the model, in the canonical form.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolCall {
    /// The id, by which the result refers to the call.
    pub(crate) id: String,
    /// The name of the tool.
    pub(crate) name: String,
    /// The arguments.
    pub(crate) input: ToolInput,
}

/// The arguments of a tool call in a request, in the canonical form.
#[derive(Debug, PartialEq)]
pub(crate) enum ToolInput {
    /// A parsed JSON object.
    Object(Map<String, Value>),
    /// The text of a JSON object that is not parsed, as in `OpenAI`'s APIs. It may be empty or invalid.
    Json(String),
    /// Free text, the input of a custom tool.
    Free(String),
}

impl ToolInput {
    /// Returns the arguments as JSON text, or the free text of a custom tool. Empty arguments become `{}`.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Object(map) => Value::Object(map).to_string(),
            Self::Json(text) if text.trim().is_empty() => "{}".to_owned(),
            Self::Json(text) | Self::Free(text) => text,
        }
    }

    /// Returns the arguments as an object; empty text becomes an empty object.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] with [`Requirement::BrokenArguments`] if the text is not a JSON object that can be
    /// represented exactly, and with [`Requirement::CustomTools`] if it is the free text of a custom tool.
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

/// Parses the JSON text of a tool call's arguments. Empty text and `null` result in an empty object; tools without
/// parameters are often called like this.
///
/// # Errors
/// [`ConvertError::Malformed`] if the text is not a JSON object.
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

/// The result of a tool call, in the canonical form.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolResult {
    /// The id of the call.
    pub(crate) call_id: String,
    /// The output of the tool: texts and images.
    pub(crate) content: Vec<Block>,
    /// Whether the tool failed.
    pub(crate) has_failed: bool,
}

impl ToolResult {
    /// Returns the content for APIs without a field for failures. If the tool failed, the content starts with a note
    /// about it.
    pub(crate) fn content_with_failure(self) -> Vec<Block> {
        const FAILED: &str = "The tool failed: ";
        let mut content = self.content;
        match content.first_mut() {
            _ if !self.has_failed => {}
            Some(Block::Text(text)) => text.insert_str(0, FAILED),
            _ => content.insert(0, Block::Text(FAILED.trim_end().to_owned())),
        }
        content
    }
}

/// The definition of a tool that the client runs, in the canonical form.
#[derive(Debug, PartialEq)]
pub(crate) struct Tool {
    /// The name by which the model calls the tool.
    pub(crate) name: String,
    /// The description for the model; `None` if the client sends none.
    pub(crate) description: Option<String>,
    /// The kind of the tool.
    pub(crate) kind: ToolKind,
}

/// The kind of a tool that a request defines, with the format of its arguments.
#[derive(Debug, PartialEq)]
pub(crate) enum ToolKind {
    /// A function with a JSON object as arguments.
    Function {
        /// The JSON schema of the arguments; `None` if there are none.
        parameters: Option<Value>,
        /// Whether the arguments have to match the schema exactly; `None` for the API's default.
        strict: Option<bool>,
    },
    /// A custom tool of `OpenAI`'s APIs with free text as input.
    Custom {
        /// The grammar of the input; `None` if any text is allowed.
        grammar: Option<Grammar>,
    },
}

/// The grammar that restricts the input of a custom tool, in `OpenAI`'s format.
#[derive(Debug, PartialEq)]
pub(crate) struct Grammar {
    /// The language of the grammar, such as `lark` or `regex`.
    pub(crate) syntax: Value,
    /// The text of the grammar.
    pub(crate) definition: Value,
}

/// The constraint in a request on which tools the model may or must call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    /// The model decides whether to call a tool.
    Auto,
    /// The model must call at least one tool.
    Any,
    /// The model must not call a tool.
    None,
    /// The model must call the tool with this name.
    Named(String),
}

impl ToolChoice {
    /// Parses the tool choice of `OpenAI`'s APIs if it is a keyword; `None` for unknown keywords.
    pub(crate) fn from_openai(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "required" => Some(Self::Any),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// Converts the choice to JSON of `OpenAI`'s APIs, which differ in how they write the choice of one tool.
    /// `write_named` writes that choice, given the kind of the tool (`function` or `custom`) and its name. `tools` are
    /// the tools of the request, from which the kind is read.
    pub(crate) fn into_openai(self, tools: &[Tool], write_named: impl FnOnce(&str, String) -> Value) -> Value {
        let name = match self {
            Self::Auto => return Value::from("auto"),
            Self::Any => return Value::from("required"),
            Self::None => return Value::from("none"),
            Self::Named(name) => name,
        };
        let is_custom = |tool: &Tool| tool.name == name && matches!(tool.kind, ToolKind::Custom { .. });
        write_named(if tools.iter().any(is_custom) { "custom" } else { "function" }, name)
    }
}

/// The format that a request requires of the response.
#[derive(Debug, PartialEq)]
pub(crate) enum Format {
    /// Any JSON object, without a schema.
    JsonObject,
    /// JSON that matches a schema. The name and description of the schema are `None` if the client sends none; `strict`
    /// is whether the response has to match exactly, `None` for the API's default.
    JsonSchema { name: Option<String>, description: Option<String>, schema: Value, strict: Option<bool> },
}

/// The level of reasoning effort that a request sets, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// Thinking is switched off.
    None,
    /// `minimal`, below `low`.
    Minimal,
    /// `low`.
    Low,
    /// `medium`.
    Medium,
    /// `high`.
    High,
    /// `xhigh`, above `high`.
    ExtraHigh,
    /// `max`, the highest level.
    Max,
}

impl Effort {
    /// The smallest thinking budget, in tokens, that corresponds to [`Effort::Medium`]. The compatibility layer of
    /// Gemini for `OpenAI`'s clients documents budgets of 1,024, 8,192 and 24,576 tokens for low, medium and high.
    const MEDIUM_BUDGET: u64 = 8_192;
    /// The smallest thinking budget, in tokens, that corresponds to [`Effort::High`].
    const HIGH_BUDGET: u64 = 24_576;

    /// All levels with their names in the APIs, in lower case.
    const NAMES: [(Self, &'static str); 7] = [
        (Self::None, "none"),
        (Self::Minimal, "minimal"),
        (Self::Low, "low"),
        (Self::Medium, "medium"),
        (Self::High, "high"),
        (Self::ExtraHigh, "xhigh"),
        (Self::Max, "max"),
    ];

    /// Returns the level that corresponds to a thinking budget of `tokens`: low, medium from 8,192 tokens on, high from
    /// 24,576 tokens on. Budgets below 1,024 tokens are low too, because not every model has a lower level.
    pub(crate) const fn from_thinking_budget(tokens: u64) -> Self {
        match tokens {
            0..Self::MEDIUM_BUDGET => Self::Low,
            Self::MEDIUM_BUDGET..Self::HIGH_BUDGET => Self::Medium,
            Self::HIGH_BUDGET.. => Self::High,
        }
    }

    /// Returns the name of the level in the APIs.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(effort, _)| *effort == self).map_or("medium", |(_, name)| name)
    }

    /// Parses the name of a level, in upper or lower case; `None` if it is unknown.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| name.eq_ignore_ascii_case(known)).map(|(effort, _)| *effort)
    }
}

/// The sampling parameters of a request, as the client sent them; `None` for the model's default.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sampling {
    /// The temperature, from 0; how far it may exceed 1 depends on the API.
    pub(crate) temperature: Option<Number>,
    /// The probability mass of the tokens that are considered, from 0 to 1.
    pub(crate) top_p: Option<Number>,
    /// The number of the most probable tokens that are considered.
    pub(crate) top_k: Option<Number>,
    /// The seed for reproducible sampling.
    pub(crate) seed: Option<Number>,
    /// The penalty on tokens that the text contains already.
    pub(crate) presence_penalty: Option<Number>,
    /// The penalty on tokens by how often the text contains them.
    pub(crate) frequency_penalty: Option<Number>,
}

/// Settings that only `OpenAI`'s two APIs have. A conversion between these two preserves them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OpenAiSettings {
    /// `prompt_cache_key`: prompts with the same key share a cache.
    pub(crate) cache_key: Option<String>,
    /// `prompt_cache_retention`: how long the provider caches the prompt.
    pub(crate) cache_retention: Option<Value>,
    /// `safety_identifier`: an id of the user for abuse checks.
    pub(crate) safety_identifier: Option<String>,
    /// `verbosity`: the length of responses; `None` for the default `medium`.
    pub(crate) verbosity: Option<String>,
}
