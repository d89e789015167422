//! An answer of a model that is coming in: its items, its account, and what came of its tools.
//!
//! The order of these lines changed from version to version: the account stands before the items, behind them, or
//! behind the results of the tools.

use contracts::{CacheVariant, events::StopReason};
use event_core::{EventId, Timestamp};

use super::usage::Counts;
use crate::observed::{ObservedCall, Step};

/// An answer that is coming in.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) model: String,
    /// The time of what it answers.
    pub(super) started_at: Option<Timestamp>,
    /// The time of its first line.
    pub(super) began_at: Timestamp,
    /// The time of its last item, or of its account if it has no items.
    pub(super) at: Timestamp,
    /// Messages, calls of tools and reasoning.
    pub(super) items: u32,
    pub(super) tool_calls: u32,
    pub(super) thinking_blocks: u32,
    pub(super) text: bool,
    pub(super) counts: Option<Counts>,
    /// The account came before the items.
    pub(super) counts_first: bool,
    /// The provider's id of the answer.
    pub(super) id: Option<String>,
    /// Something came that only the next answer can answer.
    pub(super) followed: bool,
    /// Tools it asked for, their results, and whatever else came meanwhile.
    pub(super) steps: Vec<Step>,
}

impl Response {
    pub(super) fn new(model: String, started_at: Option<Timestamp>, at: Timestamp) -> Self {
        Self {
            model,
            started_at: started_at.filter(|started| *started <= at),
            began_at: at,
            at,
            items: 0,
            tool_calls: 0,
            thinking_blocks: 0,
            text: false,
            counts: None,
            counts_first: false,
            id: None,
            followed: false,
            steps: Vec::new(),
        }
    }

    /// Whether another item can be part of this answer.
    pub(super) fn takes_item(&self) -> bool {
        !self.followed && (self.counts.is_none() || self.counts_first)
    }

    /// The steps of the answer: the call first, if it was accounted for. `unnamed` is its id where the provider's is
    /// not in the file.
    pub(super) fn settle(mut self, unnamed: EventId, complete: bool) -> impl Iterator<Item = Step> {
        let id = self.id.as_ref().map_or(unnamed, |id| EventId::derive(&[b"call", id.as_bytes()]));
        for step in &mut self.steps {
            if let Step::ToolCalled(tool) = step {
                tool.call = id;
            }
        }
        let stop_reason = match (self.tool_calls, self.text) {
            (1.., _) => StopReason::ToolUse,
            (0, true) => StopReason::EndTurn,
            (0, false) => StopReason::Unknown,
        };
        let call = self.counts.map(|counts| {
            Step::Call(ObservedCall {
                id,
                message: self.id.unwrap_or_else(|| id.to_string()),
                request: None,
                at: self.at,
                began_at: self.began_at,
                started_at: self.started_at,
                model: self.model,
                usage: counts.usage(),
                raw_usage: counts.raw(),
                stop_reason,
                tool_calls: self.tool_calls,
                thinking_blocks: self.thinking_blocks,
                variant: CacheVariant::PLAIN,
                complete,
            })
        });
        call.into_iter().chain(self.steps)
    }
}
