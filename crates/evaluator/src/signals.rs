//! The signals of one model's work, bounded in number.

use std::cmp::Reverse;

use contracts::events::{Signal, SignalKind};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::weights::Weights;

/// The greatest number of signals listed in a verdict, so that the event stays below 4 KiB.
pub(crate) const MAX_SIGNALS: usize = 64;

/// The signals (evidence of quality) about one model's work, in the order in which they were added. Lists at most
/// [`MAX_SIGNALS`]; further ones are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct SignalList {
    /// The listed signals, at most [`MAX_SIGNALS`].
    entries: Vec<Signal>,
    /// The number of signals that were omitted from the list.
    omitted: u32,
    /// The number of successful tools, of which only the first is listed.
    tools_succeeded: u32,
    /// The number of failed tools.
    tools_failed: u32,
}

impl SignalList {
    /// Adds a signal of this kind; `event` is the id of the event that is its evidence. Of successful tools only the
    /// first is listed, and a rating replaces earlier ratings.
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
                self.entries.retain(|signal| !matches!(signal.kind, SignalKind::RatingUp | SignalKind::RatingDown));
            }
            _ => {}
        }
        self.entries.push(Signal { kind, event });
        if MAX_SIGNALS < self.entries.len() {
            self.omit_least_weighted();
        }
    }

    /// Removes one signal from the list and counts it as omitted. Only kinds that are listed more than once are
    /// considered, so that every kind remains; of the kind of least weight, the last signal is removed.
    fn omit_least_weighted(&mut self) {
        let is_repeated = |kind| 1 < self.entries.iter().filter(|signal| signal.kind == kind).count();
        let candidates = self.entries.iter().enumerate().filter(|(_, signal)| is_repeated(signal.kind));
        let weight = |kind| Weights::default().weight(kind);
        let lightest = candidates.min_by_key(|(index, signal)| (weight(signal.kind), Reverse(*index)));
        if let Some(index) = lightest.map(|(index, _)| index) {
            self.entries.remove(index);
            self.omitted = self.omitted.saturating_add(1);
        }
    }

    /// Returns the distinct kinds of the listed signals.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = SignalKind> {
        let is_first = |index: usize, kind| self.entries[..index].iter().all(|signal| signal.kind != kind);
        let signals = self.entries.iter().enumerate();
        signals.filter(move |(index, signal)| is_first(*index, signal.kind)).map(|(_, signal)| signal.kind)
    }

    /// Whether any listed signal has this kind. Every kind that was added is listed.
    pub(crate) fn contains(&self, kind: SignalKind) -> bool {
        self.entries.iter().any(|signal| signal.kind == kind)
    }

    /// Returns the listed signals, at most [`MAX_SIGNALS`].
    pub(crate) fn entries(&self) -> &[Signal] {
        &self.entries
    }

    /// Returns the number of signals that were omitted from the list.
    pub(crate) const fn omitted(&self) -> u32 {
        self.omitted
    }

    /// Returns the number of all successful tools, listed or not.
    pub(crate) const fn tools_succeeded(&self) -> u32 {
        self.tools_succeeded
    }

    /// Returns the number of all failed tools, listed or not.
    pub(crate) const fn tools_failed(&self) -> u32 {
        self.tools_failed
    }
}
