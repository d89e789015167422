//! Deferred activation: a skill is loaded after a failure of its domain, for one retry (003 Deferred Activation).

mod patterns;

use serde::{Deserialize, Serialize};

pub use patterns::{FailurePattern, FailurePatterns, PatternError, RetrySettings};

use crate::index::SkillIndex;

/// Whether loading a skill was deferred in a task, and what happened since (003 Deferred activation).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deferral {
    /// The best candidate, which was not loaded; `None` if nothing is deferred.
    pub deferred: Option<String>,
    /// The number of skills that were loaded since then because a step failed.
    pub activations: u8,
}

/// The response to a failure of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureResponse {
    /// Loads a skill and retries once.
    Activate {
        /// The skill of the failure's domain.
        skill: String,
        /// The part of the failure's text that the pattern matched.
        matched: String,
    },
    /// Loads nothing.
    Ignore(IgnoredFailure),
}

/// Reason why a failure loads nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoredFailure {
    /// The policy disables retries.
    Disabled,
    /// The task has no deferral: its decision loaded a skill or needed none.
    NotDeferred,
    /// The retries of the task are used.
    RetriesUsed,
    /// No pattern of an installed skill matches the failure.
    NoPattern,
}

impl FailurePatterns {
    /// Decides on a failure of a task. The skill is that of the first pattern that matches: it is evidence of the
    /// failure's domain, whereas the deferred skill was only the best guess before.
    pub fn respond(&self, failure: &str, deferral: &Deferral, index: &SkillIndex) -> FailureResponse {
        if !self.enabled() {
            return FailureResponse::Ignore(IgnoredFailure::Disabled);
        }
        if deferral.deferred.is_none() {
            return FailureResponse::Ignore(IgnoredFailure::NotDeferred);
        }
        if self.max_retries() <= deferral.activations {
            return FailureResponse::Ignore(IgnoredFailure::RetriesUsed);
        }
        match self.find(failure, |skill| index.get(skill).is_some()) {
            Some((skill, matched)) => {
                FailureResponse::Activate { skill: skill.to_owned(), matched: matched.to_owned() }
            }
            None => FailureResponse::Ignore(IgnoredFailure::NoPattern),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::Skill;

    /// Returns the response of the default patterns to a failure of a task with a deferral.
    fn respond(failure: &str, activations: u8) -> FailureResponse {
        let names = ["database", "nextjs-app-router", "testing", "ui-components"];
        let skills = names.map(|name| Skill { name: name.into(), ..Skill::default() });
        let deferral = Deferral { deferred: Some("testing".into()), activations };
        let patterns = FailurePatterns::new(&RetrySettings::default()).unwrap();
        patterns.respond(failure, &deferral, &SkillIndex::new(skills.to_vec()))
    }

    /// Returns the skill that a failure activates.
    #[track_caller]
    fn activated(failure: &str) -> String {
        match respond(failure, 0) {
            FailureResponse::Activate { skill, .. } => skill,
            FailureResponse::Ignore(reason) => panic!("{failure}: {reason:?}"),
        }
    }

    /// SC-31, TV-80: an error of a migration or schema activates `database`.
    #[test]
    fn a_failed_migration_activates_database() {
        assert_eq!(activated("relation \"tasks\" does not exist, migration 0004 not applied"), "database");
        assert_eq!(activated("Error: schema \"auth\" is out of date"), "database");
    }

    /// SC-32, TV-81: a mismatch of the test harness or Storybook activates `testing`.
    #[test]
    fn a_storybook_mismatch_activates_testing() {
        assert_eq!(activated("Storybook: unable to find story \"board--default\""), "testing");
        assert_eq!(activated("vitest: no test suite found in file board.test.ts"), "testing");
    }

    /// SC-33, TV-82: drift of components, theme or accessibility activates `ui-components`.
    #[test]
    fn an_accessibility_violation_activates_ui_components() {
        assert_eq!(activated("axe: color-contrast violation on Button (theme dark)"), "ui-components");
    }

    /// SC-34, TV-83: a mismatch of routing, layout or server actions activates `nextjs-app-router`.
    #[test]
    fn a_server_action_mismatch_activates_the_router_skill() {
        assert_eq!(activated("server action mismatch in layout /projects"), "nextjs-app-router");
    }

    /// SC-35: a failure of no domain loads nothing.
    #[test]
    fn a_failure_without_pattern_loads_nothing() {
        for failure in ["connect ECONNREFUSED 127.0.0.1:5432: ECONNRESET", "Killed", ""] {
            assert_eq!(respond(failure, 0), FailureResponse::Ignore(IgnoredFailure::NoPattern), "{failure}");
        }
    }

    /// SC-30: after one activation a second failure loads nothing.
    #[test]
    fn a_task_has_one_retry() {
        let failure = "migration 0004 not applied";
        assert!(matches!(respond(failure, 0), FailureResponse::Activate { .. }));
        assert_eq!(respond(failure, 1), FailureResponse::Ignore(IgnoredFailure::RetriesUsed));
    }

    /// SC-29: only a task whose decision deferred a skill is retried, and only if the policy enables it.
    #[test]
    fn a_task_without_deferral_is_not_retried() {
        let index = SkillIndex::new(vec![Skill { name: "database".into(), ..Skill::default() }]);
        let patterns = FailurePatterns::new(&RetrySettings::default()).unwrap();
        let respond = |patterns: &FailurePatterns, deferral| patterns.respond("migration failed", &deferral, &index);
        let not_deferred = respond(&patterns, Deferral::default());
        assert_eq!(not_deferred, FailureResponse::Ignore(IgnoredFailure::NotDeferred));
        let disabled = FailurePatterns::new(&RetrySettings { enabled: false, ..RetrySettings::default() }).unwrap();
        let deferral = Deferral { deferred: Some("database".into()), activations: 0 };
        assert_eq!(respond(&disabled, deferral.clone()), FailureResponse::Ignore(IgnoredFailure::Disabled));
        assert!(matches!(respond(&patterns, deferral), FailureResponse::Activate { .. }));
    }

    /// SC-31, SC-35: a pattern whose skill is not installed is skipped.
    #[test]
    fn patterns_of_missing_skills_are_skipped() {
        let index = SkillIndex::new(vec![Skill { name: "testing".into(), ..Skill::default() }]);
        let patterns = FailurePatterns::new(&RetrySettings::default()).unwrap();
        let deferral = Deferral { deferred: Some("testing".into()), activations: 0 };
        let response = patterns.respond("migration 4: storybook missing", &deferral, &index);
        assert!(matches!(response, FailureResponse::Activate { skill, .. } if skill == "testing"));
    }
}
