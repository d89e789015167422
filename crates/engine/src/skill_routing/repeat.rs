//! Repeats recorded skill decisions from the log and its texts alone.

use std::sync::Arc;

use contracts::{ContentHash, events::SkillRouted};
use event_bus::{LogError, TextStore};
use router_core::Policy;
use skills::{SKILL_DECIDER_VERSION, SkillRouter, SkillRouterError, SkillSettings, SkillSources};

use super::decide::SkillDecision;

/// The error of repeating a skill decision.
#[derive(Debug, thiserror::Error)]
pub enum SkillRepeatError {
    /// The text store cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The text store does not have the skills of the decision.
    #[error("the log has no text with the skills {0}")]
    Missing(ContentHash),
    /// The recorded skills cannot be decoded.
    #[error("the recorded skills {hash} cannot be read")]
    Sources {
        /// The hash of their text.
        hash: ContentHash,
        /// The cause.
        source: serde_json::Error,
    },
    /// The policy of the decision has invalid settings of skill routing.
    #[error("the settings of skill routing are not valid: {0}")]
    Settings(String),
    /// The recorded skills cannot be searched.
    #[error(transparent)]
    Router(#[from] SkillRouterError),
}

/// Repeats skill decisions. Remembers the skills of the last decision, which most decisions have in common.
#[derive(Debug, Default)]
pub struct SkillReplay {
    /// The skills of the last decision; `None` before the first.
    last: Option<RecordedSkills>,
}

/// The skills of a recorded decision, prepared for repetitions.
#[derive(Debug)]
struct RecordedSkills {
    /// The hash of the skills; `None` if none were known.
    sources: Option<ContentHash>,
    /// The hash of the policy.
    policy: ContentHash,
    /// The skills with the settings of the policy.
    router: Arc<SkillRouter>,
}

impl SkillReplay {
    /// Repeats a recorded decision about `message` under `policy`. Values that do not follow from the log are copied from
    /// `recorded`. With an equal policy and equal decision code, the result is equal to `recorded`.
    ///
    /// # Errors
    /// [`SkillRepeatError`] if the skills of the decision are not in the text store, or cannot be used.
    pub fn repeat(
        &mut self,
        recorded: &SkillRouted,
        message: &str,
        policy: &Policy,
        texts: &dyn TextStore,
    ) -> Result<SkillRouted, SkillRepeatError> {
        let router = self.router(recorded, policy, texts)?;
        let SkillDecision { decision, omitted } = SkillDecision::new(&router, message, &recorded.inputs);
        Ok(SkillRouted { decider: SKILL_DECIDER_VERSION, decision, omitted, ..recorded.clone() })
    }

    /// Returns the recorded skills of a decision.
    fn router(
        &mut self,
        recorded: &SkillRouted,
        policy: &Policy,
        texts: &dyn TextStore,
    ) -> Result<Arc<SkillRouter>, SkillRepeatError> {
        let is_same = |known: &&RecordedSkills| (known.sources, known.policy) == (recorded.sources, recorded.policy);
        if let Some(known) = self.last.as_ref().filter(is_same) {
            return Ok(Arc::clone(&known.router));
        }
        let sources = match recorded.sources {
            None => SkillSources::default(),
            Some(hash) => {
                let text = texts.get(hash.0)?.ok_or(SkillRepeatError::Missing(hash))?;
                serde_json::from_str(&text).map_err(|source| SkillRepeatError::Sources { hash, source })?
            }
        };
        let settings =
            SkillSettings::of_policy(policy).map_err(|problem| SkillRepeatError::Settings(problem.to_string()))?;
        let router = Arc::new(SkillRouter::new(sources, settings)?);
        let known = RecordedSkills { sources: recorded.sources, policy: recorded.policy, router: Arc::clone(&router) };
        self.last = Some(known);
        Ok(router)
    }
}
