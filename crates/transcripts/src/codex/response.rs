//! A response of a model while its lines are read: items, usage report, and steps of its tools.
//!
//! The order of these lines differs between versions: the usage report is before the items, after them, or after the
//! tool results.

use contracts::{CacheVariant, events::StopReason};
use event_core::{EventId, Timestamp};

use super::usage::Counts;
use crate::observed::{ObservedCall, Step};

/// A response of the model whose lines are still being read. [`Response::into_steps`] converts it to steps of the turn.
#[derive(Debug)]
pub(super) struct Response {
    /// Model as `provider:model`.
    pub(super) model: String,
    /// Time of the last input before the response, at which the call is assumed to start; `None` if unknown.
    pub(super) started_at: Option<Timestamp>,
    /// Time of the first line of the response.
    pub(super) began_at: Timestamp,
    /// Time of the last item of the response, or of its usage report if it has no items.
    pub(super) at: Timestamp,
    /// Number of messages, tool calls and reasoning items.
    pub(super) items: u32,
    /// Number of tool calls, without those of the provider's own tools.
    pub(super) tool_calls: u32,
    /// Number of reasoning items.
    pub(super) thinking_blocks: u32,
    /// Whether the response contains text.
    pub(super) has_text: bool,
    /// Usage report; `None` until it is read.
    pub(super) counts: Option<Counts>,
    /// Whether the usage report preceded the items.
    pub(super) has_counts_first: bool,
    /// The provider's id of the response; `None` if not recorded.
    pub(super) id: Option<String>,
    /// Whether input for the next response followed, so that no more items can.
    pub(super) has_following_input: bool,
    /// Tool calls of the response, their results, and other steps in the meantime, in the order of the file.
    pub(super) steps: Vec<Step>,
}

impl Response {
    /// Creates a response of `model` without items, whose first line is at `at`. A `started_at` after that is ignored.
    pub(super) fn new(model: String, started_at: Option<Timestamp>, at: Timestamp) -> Self {
        Self {
            model,
            started_at: started_at.filter(|started| *started <= at),
            began_at: at,
            at,
            items: 0,
            tool_calls: 0,
            thinking_blocks: 0,
            has_text: false,
            counts: None,
            has_counts_first: false,
            id: None,
            has_following_input: false,
            steps: Vec::new(),
        }
    }

    /// Returns whether another item can belong to this response.
    pub(super) fn accepts_item(&self) -> bool {
        !self.has_following_input && (self.counts.is_none() || self.has_counts_first)
    }

    /// Converts the response to steps of its turn: the model call, if the response has a usage report, and then its
    /// tool calls and results. `derived_id` is the id of the call if the provider's id is not recorded. `is_complete` is
    /// whether no line of the response is missing.
    pub(super) fn into_steps(mut self, derived_id: EventId, is_complete: bool) -> impl Iterator<Item = Step> {
        let id = self.id.as_ref().map_or(derived_id, |id| EventId::derive(&[b"call", id.as_bytes()]));
        for step in &mut self.steps {
            if let Step::ToolCalled(tool) = step {
                tool.call = id;
            }
        }
        let stop_reason = match (self.tool_calls, self.has_text) {
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
                complete: is_complete,
            })
        });
        call.into_iter().chain(self.steps)
    }
}
