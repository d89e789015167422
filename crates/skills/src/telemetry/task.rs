//! [`TaskRecord`], the skills of one task and its label.

use event_core::EventId;
use serde::{Deserialize, Serialize};

/// The skill routing of one task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The id of the event of the task's decision.
    pub event: EventId,
    /// The skills that were loaded.
    pub loaded: Vec<String>,
    /// Whether the user was asked.
    pub asked: bool,
    /// The skills that the task needed; `None` if it has no label.
    pub label: Option<TaskLabel>,
}

/// The skills that a task needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskLabel {
    /// The skills that the task needed; empty if it needed none.
    pub needed: Vec<String>,
    /// Skills that are neither needed nor unnecessary.
    pub acceptable: Vec<String>,
    /// The origin of the label.
    pub source: TruthSource,
}

/// The origin of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TruthSource {
    /// A person labelled the task.
    Labelled,
    /// The user corrected the decision.
    Corrected,
    /// A deferred skill was activated after a failure, and the retry succeeded.
    DeferredActivation,
    /// The agent loaded the skills in a turn that was completed; none if the request needed none.
    Loaded,
}

impl TaskLabel {
    /// Returns whether a loaded skill is correct.
    pub(super) fn accepts(&self, skill: &String) -> bool {
        self.needed.contains(skill) || self.acceptable.contains(skill)
    }

    /// Returns whether a needed skill was not loaded. An acceptable skill replaces the needed ones.
    pub(super) fn misses(&self, loaded: &[String]) -> bool {
        let replaced = loaded.iter().any(|skill| self.acceptable.contains(skill));
        !replaced && self.needed.iter().any(|skill| !loaded.contains(skill))
    }
}
