//! [`ScoringSettings`], the thresholds of the SCORE layer.

use serde::{Deserialize, Serialize};

/// The settings of the SCORE layer, `skills.scoring` in the policy. The defaults are those of 003 Default Configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScoringSettings {
    /// The lowest score at which a skill is loaded.
    pub auto_load: u8,
    /// The lowest score at which the user is asked, or the skill is deferred until a failure.
    pub clarify_or_defer: u8,
    /// The highest difference of two scores at which similar skills are rivals.
    pub tie_margin_points: u8,
    /// The highest number of skills that one request loads.
    pub max_initial_skills: u8,
    /// Whether the points of components that do not apply are distributed over the others.
    pub redistribute: bool,
    /// The coverage of a request's content words at which intent is complete, in percent.
    pub full_intent_percent: u8,
    /// The weight of a word that no skill knows, in percent of the weight of a known word.
    pub unknown_word_percent: u8,
    /// The least number of words of a request that a skill must know to be loaded for them, at least one of which is no
    /// everyday word such as "test" or "file". With 0 or 1 a single word of any kind is enough.
    pub min_matched_words: u8,
    /// The share of common words at which two skills rest on the same evidence, in percent.
    pub similar_percent: u8,
    /// The number of best skills that a decision records.
    pub recorded_skills: u8,
}

impl Default for ScoringSettings {
    fn default() -> Self {
        Self {
            auto_load: 70,
            clarify_or_defer: 55,
            tie_margin_points: 5,
            max_initial_skills: 2,
            redistribute: true,
            full_intent_percent: 50,
            unknown_word_percent: 35,
            min_matched_words: 2,
            similar_percent: 50,
            recorded_skills: 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SC-23: an empty section has the defaults of the specification, and a misspelt key is an error.
    #[test]
    fn an_empty_section_has_the_defaults() {
        let settings: ScoringSettings = serde_json::from_str("{}").unwrap();
        let numbers =
            (settings.max_initial_skills, settings.tie_margin_points, settings.auto_load, settings.clarify_or_defer);
        assert_eq!(numbers, (2, 5, 70, 55));
        assert_eq!(settings, ScoringSettings::default());
        let changed: ScoringSettings = serde_json::from_str(r#"{"auto_load": 80}"#).unwrap();
        assert_eq!(changed, ScoringSettings { auto_load: 80, ..ScoringSettings::default() });
        let error = serde_json::from_str::<ScoringSettings>(r#"{"auto_laod": 80}"#).unwrap_err();
        assert!(error.to_string().contains("auto_laod"), "{error}");
    }
}
