//! The operation that records decisions which hooks made without a gateway.

use std::collections::BTreeMap;

use contracts::{ContentHash, events::SkillRouted};
use engine::Engine;
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// Decision of a hook that no gateway answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookDecision {
    /// Time at which the hook was called.
    pub at: Timestamp,
    /// The decision.
    pub routed: SkillRouted,
    /// Text of the message; `None` if the policy does not allow it to be kept.
    pub text: Option<String>,
}

/// The request to record decisions of hooks that no gateway answered. A decision that is recorded already stays as it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordHookDecisions {
    /// The decisions in the order in which they were made.
    pub decisions: Vec<HookDecision>,
    /// Skills that the decisions read, as JSON texts, by the hashes of the texts.
    pub sources: BTreeMap<ContentHash, String>,
}

/// Result of [`RecordHookDecisions`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedHookDecisions {
    /// Number of decisions that are in the log now.
    pub recorded: u64,
    /// Number of decisions that were left out: their skills are missing or damaged, so that they could not be repeated.
    pub skipped: u64,
}

impl Operation for RecordHookDecisions {
    type Response = RecordedHookDecisions;

    fn execute(self, engine: &mut Engine) -> Result<RecordedHookDecisions, ControlError> {
        let mut result = RecordedHookDecisions::default();
        for HookDecision { at, routed, text } in &self.decisions {
            let sources = routed.sources.and_then(|hash| self.sources.get(&hash)).map(String::as_str);
            if engine.record_kept_decision(routed, *at, text.as_deref(), sources)? {
                result.recorded += 1;
            } else {
                result.skipped += 1;
            }
        }
        Ok(result)
    }
}
