//! What was noticed about one model's work on a turn, bounded.

use contracts::events::{Signal, SignalKind};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::rubric::Weights;

/// The most signals a verdict lists, so that the event stays within its 4 KiB.
pub(crate) const MOST_SIGNALS: usize = 64;

/// The signals, in the order in which they were noticed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Signals {
    listed: Vec<Signal>,
    /// Signals that count and are not listed.
    omitted: u32,
    tools_succeeded: u32,
    tools_failed: u32,
}

impl Signals {
    /// Adds a signal. The first tool that succeeded stands for all of them, and a rating replaces earlier ratings.
    pub(crate) fn add(&mut self, kind: SignalKind, event: EventId) {
        match kind {
            SignalKind::ToolSucceeded => {
                self.tools_succeeded = self.tools_succeeded.saturating_add(1);
                if 1 < self.tools_succeeded {
                    return;
                }
            }
            SignalKind::ToolFailed => self.tools_failed = self.tools_failed.saturating_add(1),
            SignalKind::RatingUp | SignalKind::RatingDown => {
                self.listed.retain(|signal| !matches!(signal.kind, SignalKind::RatingUp | SignalKind::RatingDown));
            }
            _ => {}
        }
        self.listed.push(Signal { kind, event });
        if MOST_SIGNALS < self.listed.len() {
            self.omit_one();
        }
    }

    /// Leaves out the last signal of the lightest kind that is listed more than once: every kind stays.
    fn omit_one(&mut self) {
        let repeated = |kind| 1 < self.listed.iter().filter(|signal| signal.kind == kind).count();
        let candidates = self.listed.iter().enumerate().filter(|(_, signal)| repeated(signal.kind));
        let weight = |kind| Weights::default().of(kind);
        let lightest = candidates.min_by_key(|(place, signal)| (weight(signal.kind), std::cmp::Reverse(*place)));
        if let Some(place) = lightest.map(|(place, _)| place) {
            self.listed.remove(place);
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    /// The kinds present, each once.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = SignalKind> {
        let listed = &self.listed;
        let first = |place: usize, kind| listed[..place].iter().all(|signal| signal.kind != kind);
        listed.iter().enumerate().filter(move |(place, signal)| first(*place, signal.kind)).map(|(_, one)| one.kind)
    }

    /// Whether a kind is part of what tools count together.
    pub(crate) const fn is_tool(kind: SignalKind) -> bool {
        matches!(kind, SignalKind::ToolSucceeded | SignalKind::ToolFailed)
    }

    pub(crate) fn has(&self, kind: SignalKind) -> bool {
        self.listed.iter().any(|signal| signal.kind == kind)
    }

    pub(crate) fn listed(&self) -> &[Signal] {
        &self.listed
    }

    pub(crate) const fn omitted(&self) -> u32 {
        self.omitted
    }

    pub(crate) const fn tools_succeeded(&self) -> u32 {
        self.tools_succeeded
    }

    pub(crate) const fn tools_failed(&self) -> u32 {
        self.tools_failed
    }
}
