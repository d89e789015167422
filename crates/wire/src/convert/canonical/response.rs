//! The canonical form of a response: a sequence of events, or the response they add up to.

use contracts::{WireApi, events::ErrorClass};
use serde_json::{Value, json};

use super::tokens::Tokens;
use crate::errors::classify;

/// An event of a response in the canonical form. [`super::super::blocks::BlockSequencer`] ensures their order:
/// `Started`, then blocks one after the other, then `Finished` or `Failed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// The response has started.
    Started(Start),
    /// A block has started.
    BlockStarted {
        /// The index of the block, counted from 0 without gaps.
        index: usize,
        /// The kind of the block.
        kind: BlockKind,
    },
    /// More content of the open block. It is never empty.
    Delta(String),
    /// The open block has ended.
    BlockStopped,
    /// The model is thinking, in a block that is hidden from the client.
    HiddenThinking,
    /// The response is complete, with the reason it ended and its token counts.
    Finished { stop: Stop, tokens: Tokens },
    /// The provider reported an error within the response.
    Failed(Failure),
}

/// The properties that a provider sends at the start of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Start {
    /// The provider's id of the response; `None` if it sends none.
    pub(crate) id: Option<String>,
    /// The creation time in seconds since 1970; `None` if the provider sends none.
    pub(crate) created: Option<u64>,
    /// The token counts known so far.
    pub(crate) tokens: Tokens,
}

/// The kind of a content block of a response, in the canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Text of the response.
    Text,
    /// Thinking of the model.
    Thinking,
    /// A tool call. Its content is the JSON text of the arguments, or free text if the tool is custom.
    Tool {
        /// The id of the call.
        id: String,
        /// The name of the tool.
        name: String,
        /// Whether the tool is a custom tool of `OpenAI`'s APIs.
        custom: bool,
    },
}

/// The reason why the model stopped, in the canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The model finished its turn.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output limit was reached.
    MaxTokens,
    /// The model wrote a stop sequence. Only Anthropic reports which one.
    Sequence(Option<String>),
    /// The model or a filter refused to continue.
    Refused,
}

/// An error that the provider reported in its response, with its class and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The class of the error.
    pub(crate) class: ErrorClass,
    /// The provider's message. The client may see it, since it is about the client's own request.
    pub(crate) message: String,
}

impl Failure {
    /// Parses and classifies a provider's error object of `api`, which may also be a string. The HTTP status is read
    /// from its `code`, if that is a number. An error without a message gets a general one.
    pub(crate) fn parse(api: WireApi, error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let class = classify(api, code.unwrap_or(0), json!({"error": error}).to_string().as_bytes());
        let message = error.as_str().or_else(|| error.get("message")?.as_str()).unwrap_or("the provider failed");
        Self { class, message: message.to_owned() }
    }
}

/// The id, model name and creation time of a response, as the client receives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    /// The id of the response.
    pub(crate) id: String,
    /// The client's name of the model.
    pub(crate) model: String,
    /// The creation time in seconds since 1970.
    pub(crate) created: u64,
}

/// A complete response in the canonical form, collected from its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    /// The id and creation time from the provider.
    pub(crate) start: Start,
    /// The kind and content of each block.
    pub(crate) blocks: Vec<(BlockKind, String)>,
    /// Why the model stopped.
    pub(crate) stop: Stop,
    /// The final token counts.
    pub(crate) tokens: Tokens,
}

impl Response {
    /// Collects the events of a response into one value. `None` if the last event is missing; the inner error is the
    /// provider's failure.
    pub(crate) fn from_events(events: impl IntoIterator<Item = Event>) -> Option<Result<Self, Failure>> {
        let mut start = Start::default();
        let mut blocks: Vec<(BlockKind, String)> = Vec::new();
        for event in events {
            match event {
                Event::Started(started) => start = started,
                Event::BlockStarted { kind, .. } => blocks.push((kind, String::new())),
                Event::Delta(more) => {
                    if let Some((_, content)) = blocks.last_mut() {
                        content.push_str(&more);
                    }
                }
                Event::BlockStopped | Event::HiddenThinking => {}
                Event::Finished { stop, tokens } => return Some(Ok(Self { start, blocks, stop, tokens })),
                Event::Failed(failure) => return Some(Err(failure)),
            }
        }
        None
    }
}
