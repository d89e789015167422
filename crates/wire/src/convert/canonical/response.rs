//! An answer, whichever API gives it: a sequence of events, or what they add up to.

use contracts::{WireApi, events::ErrorClass};
use serde_json::{Value, json};

use super::tokens::Tokens;
use crate::errors::classify;

/// What happens in an answer, in an order that [`super::super::blocks::Blocks`] keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// First, once.
    Started(Start),
    /// Indices count from 0 without gaps; one block is open at a time.
    BlockStarted {
        index: usize,
        kind: Kind,
    },
    /// More of the open block. Never empty.
    Delta(String),
    BlockStopped,
    /// The model thinks, and the client is not shown what.
    Thinking,
    /// Last, once; or else [`Event::Failed`].
    Finished {
        stop: Stop,
        tokens: Tokens,
    },
    Failed(Failure),
}

/// How an answer begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Start {
    /// What the provider calls the answer.
    pub(crate) id: Option<String>,
    /// When, in seconds since 1970, where the provider says it.
    pub(crate) created: Option<u64>,
    /// What is known of the usage by then.
    pub(crate) tokens: Tokens,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Thinking,
    /// Its deltas are pieces of JSON, or of free text when the tool is custom.
    Tool {
        id: String,
        name: String,
        custom: bool,
    },
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It had said all.
    EndTurn,
    /// It waits for the results of its tools.
    ToolUse,
    /// It was cut off.
    MaxTokens,
    /// It wrote one of the sequences it was to stop at; only Anthropic says which.
    Sequence(Option<String>),
    /// It, or a filter, would not go on.
    Refused,
}

/// How a provider's answer failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) class: ErrorClass,
    /// For the client, which it may be shown to: the provider wrote it about the client's own request.
    pub(crate) message: String,
}

impl Failure {
    /// What a provider says about its failure.
    pub(crate) fn of(api: WireApi, error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let class = classify(api, code.unwrap_or(0), json!({"error": error}).to_string().as_bytes());
        let message = error.as_str().or_else(|| error.get("message")?.as_str()).unwrap_or("the provider failed");
        Self { class, message: message.to_owned() }
    }
}

/// How an answer is headed for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) model: String,
    /// In seconds since 1970.
    pub(crate) created: u64,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) start: Start,
    pub(crate) blocks: Vec<(Kind, String)>,
    pub(crate) stop: Stop,
    pub(crate) tokens: Tokens,
}

impl Answer {
    /// What `events` add up to; the failure in them otherwise. `None` when they do not end.
    pub(crate) fn of(events: impl IntoIterator<Item = Event>) -> Option<Result<Self, Failure>> {
        let mut start = Start::default();
        let mut blocks: Vec<(Kind, String)> = Vec::new();
        for event in events {
            match event {
                Event::Started(how) => start = how,
                Event::BlockStarted { kind, .. } => blocks.push((kind, String::new())),
                Event::Delta(more) => {
                    if let Some((_, content)) = blocks.last_mut() {
                        content.push_str(&more);
                    }
                }
                Event::BlockStopped | Event::Thinking => {}
                Event::Finished { stop, tokens } => return Some(Ok(Self { start, blocks, stop, tokens })),
                Event::Failed(failure) => return Some(Err(failure)),
            }
        }
        None
    }
}
