//! The canonical form of a response: a sequence of events, or the response they add up to.

use contracts::{WireApi, events::ErrorClass};
use serde_json::{Value, json};

use super::tokens::Tokens;
use crate::errors::classify;

/// An event of a response, in the order that [`super::super::blocks::BlockSequencer`] ensures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// The first event.
    Started(Start),
    /// A block starts. Indices count from 0 without gaps; one block is open at a time.
    BlockStarted {
        index: usize,
        kind: BlockKind,
    },
    /// More content of the open block; never empty.
    Delta(String),
    BlockStopped,
    /// A delta of thinking that is hidden from the client.
    HiddenThinking,
    /// The last event, unless it is [`Event::Failed`].
    Finished {
        stop: Stop,
        tokens: Tokens,
    },
    Failed(Failure),
}

/// The start of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Start {
    /// The provider's id of the response.
    pub(crate) id: Option<String>,
    /// The creation time in seconds since 1970, if the provider sends one.
    pub(crate) created: Option<u64>,
    /// The token counts known so far.
    pub(crate) tokens: Tokens,
}

/// The kind of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Text,
    Thinking,
    /// A tool call. Its deltas are parts of a JSON text, or of free text if the tool is custom.
    Tool {
        id: String,
        name: String,
        custom: bool,
    },
}

/// The stop reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The response is finished.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output limit was reached.
    MaxTokens,
    /// A stop sequence was written; only Anthropic reports which one.
    Sequence(Option<String>),
    /// The model or a filter refused to continue.
    Refused,
}

/// An error that the provider reported in its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) class: ErrorClass,
    /// The provider's message. The client may see it, since it is about the client's own request.
    pub(crate) message: String,
}

impl Failure {
    /// Parses a provider's error object.
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
    pub(crate) id: String,
    pub(crate) model: String,
    /// In seconds since 1970.
    pub(crate) created: u64,
}

/// A response that is not streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) start: Start,
    pub(crate) blocks: Vec<(BlockKind, String)>,
    pub(crate) stop: Stop,
    pub(crate) tokens: Tokens,
}

impl Response {
    /// Collects events into a response, or returns the failure among them; `None` if the sequence is incomplete.
    pub(crate) fn collect(events: impl IntoIterator<Item = Event>) -> Option<Result<Self, Failure>> {
        let mut start = Start::default();
        let mut blocks: Vec<(BlockKind, String)> = Vec::new();
        for event in events {
            match event {
                Event::Started(how) => start = how,
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
