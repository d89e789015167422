//! [`ScoredPolicyFile`], the configuration in the form of 003 Default Configuration.

use serde::Deserialize;

use super::settings::ScoringSettings;
use crate::deferral::RetrySettings;

/// A configuration file in the form of 003: a section `routing` with thresholds and retries. Absent keys have the
/// defaults, unknown keys are errors.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoredPolicyFile {
    /// The section.
    routing: Routing,
}

/// The section `routing`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Routing {
    /// The highest number of skills that one request loads.
    max_initial_skills: u8,
    /// The highest difference of the scores of rivals.
    tie_margin_points: u8,
    /// The thresholds of the scores.
    thresholds: Thresholds,
    /// The retries after a failure.
    retry: RetrySettings,
}

/// The thresholds of the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Thresholds {
    /// The lowest score at which a skill is loaded.
    auto_load: u8,
    /// The lowest score at which the user is asked, or the skill is deferred.
    clarify_or_defer: u8,
}

impl Default for Routing {
    fn default() -> Self {
        let ScoringSettings { max_initial_skills, tie_margin_points, .. } = ScoringSettings::default();
        Self {
            max_initial_skills,
            tie_margin_points,
            thresholds: Thresholds::default(),
            retry: RetrySettings::default(),
        }
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        let ScoringSettings { auto_load, clarify_or_defer, .. } = ScoringSettings::default();
        Self { auto_load, clarify_or_defer }
    }
}

impl ScoredPolicyFile {
    /// Returns the settings of the scores and of retries.
    pub fn into_settings(self) -> (ScoringSettings, RetrySettings) {
        let Routing { max_initial_skills, tie_margin_points, thresholds, retry } = self.routing;
        let Thresholds { auto_load, clarify_or_defer } = thresholds;
        let scoring = ScoringSettings {
            auto_load,
            clarify_or_defer,
            tie_margin_points,
            max_initial_skills,
            ..ScoringSettings::default()
        };
        (scoring, retry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SC-23: the configuration that the specification prints has the values of the defaults.
    #[test]
    fn the_printed_configuration_has_the_defaults() {
        let text = "routing:\n  max_initial_skills: 2\n  tie_margin_points: 5\n  thresholds:\n    auto_load: 70\n    \
            clarify_or_defer: 55\n  retry:\n    enabled: true\n    max_retries_after_skill_load: 1\n";
        let file: ScoredPolicyFile = serde_saphyr::from_str(text).unwrap();
        assert_eq!(file.into_settings(), (ScoringSettings::default(), RetrySettings::default()));
        let changed = text.replace("auto_load: 70", "auto_load: 80").replace("margin_points: 5", "margin_points: 3");
        let (scoring, _) = serde_saphyr::from_str::<ScoredPolicyFile>(&changed).unwrap().into_settings();
        assert_eq!((scoring.auto_load, scoring.tie_margin_points), (80, 3));
        assert!(serde_saphyr::from_str::<ScoredPolicyFile>(&text.replace("auto_load", "autoload")).is_err());
    }
}
