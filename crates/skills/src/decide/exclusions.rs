//! Skills that no layer loads: rejected by the user, switched off, stale, or forbidden by an AGENTS.md.

use contracts::{Attempt, ChainEntry, SkillChoice, SkillFailure, SkillOutcome};

use super::SkillSlots;
use crate::score::Exclusion;

impl SkillSlots<'_> {
    /// Returns why a skill is not loaded whatever the layers find; `None` if it can be loaded.
    pub(super) fn exclusion(&self, skill: &str) -> Option<SkillFailure> {
        if self.mentions.ruled_out.iter().any(|name| name == skill) {
            return Some(SkillFailure::RuledOut);
        }
        if self.router.settings().disabled.contains(skill) {
            return Some(SkillFailure::Disabled);
        }
        if let Some(exclusion) = self.request.exclusions.and_then(|exclusions| exclusions.get(skill)) {
            return Some(failure(exclusion));
        }
        let (path, line) = self.router.sources().agents.prohibition(skill, &self.paths)?;
        Some(SkillFailure::Forbidden { path: path.to_owned(), line })
    }
}

/// Converts the reason why a skill is excluded.
pub(super) fn failure(exclusion: &Exclusion) -> SkillFailure {
    match exclusion {
        Exclusion::Disabled => SkillFailure::Disabled,
        Exclusion::Stale { days } => SkillFailure::Stale { days: *days },
        Exclusion::ForbiddenByAgentsMd { path, line } => SkillFailure::Forbidden { path: path.clone(), line: *line },
    }
}

/// Adds excluded skills to the attempts of an entry. They do not change its verdict.
pub(super) fn with_excluded(
    mut entry: ChainEntry<SkillChoice>,
    excluded: impl IntoIterator<Item = (String, SkillFailure)>,
) -> ChainEntry<SkillChoice> {
    let attempts = excluded.into_iter().map(|(name, failure)| {
        let candidate = SkillOutcome::load(&name);
        Attempt { name, candidate, failure }
    });
    entry.attempts.extend(attempts);
    entry
}
