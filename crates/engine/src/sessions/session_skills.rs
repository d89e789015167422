//! The skill decisions of a session that later ones read.

use contracts::{
    ContentHash, SkillOutcome, Thread,
    events::{SkillReused, SkillRouted, SkillRoutingMode},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of decisions of hooks that wait for their turns; the oldest is removed first.
const MAX_HOOK_DECISIONS: usize = 64;
/// The longest time between the decision of a hook and the start of its turn, in microseconds: ten minutes. A client can
/// hold a prompt back while an earlier turn is running.
const MAX_WAIT_MICROS: u64 = 10 * 60 * 1_000_000;

/// The skill decisions of the main conversation of a session: what the next one reads of the previous one, and the
/// decisions of hooks whose turns have not started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSkills {
    /// The first skill that the previous decision loads; `None` if it loads none.
    prior_skill: Option<String>,
    /// Whether the previous decision is a question to the user.
    has_asked: bool,
    /// The decisions of hooks whose turns have not started, the oldest first.
    waiting: Vec<HookDecision>,
}

/// The decision of a hook whose turn has not started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookDecision {
    /// The id of its event.
    pub event: EventId,
    /// The hash of the message.
    pub text: ContentHash,
    /// The time of the decision.
    pub at: Timestamp,
    /// The skills that it loads.
    pub loaded: Vec<String>,
}

impl SessionSkills {
    /// Returns the first skill that the previous decision loads; `None` if it loads none.
    pub fn prior_skill(&self) -> Option<&str> {
        self.prior_skill.as_deref()
    }

    /// Returns whether the previous decision is a question to the user.
    pub const fn has_asked(&self) -> bool {
        self.has_asked
    }

    /// Returns the oldest decision of a hook about the message with the hash `text` for a turn that starts at `at`. `None` if
    /// there is none within ten minutes.
    pub fn hook_decision(&self, text: ContentHash, at: Timestamp) -> Option<&HookDecision> {
        let is_near = |decision: &&HookDecision| at.0.abs_diff(decision.at.0) <= MAX_WAIT_MICROS;
        self.waiting.iter().filter(|decision| decision.text == text).find(is_near)
    }

    /// Returns whether the history is that of a session without skill decisions that matter.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Updates the history with a decision. `id` and `at` are those of its event.
    pub(super) fn apply_routed(&mut self, routed: &SkillRouted, id: EventId, at: Timestamp) {
        if routed.thread != Thread::Main {
            return;
        }
        let loaded = routed.decision.chosen.as_ref().map_or(&[][..], SkillOutcome::loaded);
        self.prior_skill = loaded.first().cloned();
        self.has_asked = matches!(routed.decision.chosen, Some(SkillOutcome::Ask { .. }));
        if routed.mode == SkillRoutingMode::Hook {
            if MAX_HOOK_DECISIONS <= self.waiting.len() {
                self.waiting.remove(0);
            }
            self.waiting.push(HookDecision { event: id, text: routed.text, at, loaded: loaded.to_vec() });
        }
    }

    /// Removes the decision of a hook that a turn uses, and returns it; `None` if it is not known.
    pub(super) fn apply_reused(&mut self, reused: &SkillReused) -> Option<HookDecision> {
        let position = self.waiting.iter().position(|decision| decision.event == reused.decision);
        position.map(|position| self.waiting.remove(position))
    }
}
