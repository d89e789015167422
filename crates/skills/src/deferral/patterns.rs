//! [`FailurePatterns`], the texts of failures and the skills of their domains.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// The settings of retries, `skills.retry` in the policy. The defaults are those of 003.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetrySettings {
    /// Whether a failure loads a deferred skill.
    pub enabled: bool,
    /// The highest number of retries with a skill for one task.
    pub max_retries_after_skill_load: u8,
    /// The patterns of failures; the first that matches decides.
    pub patterns: Vec<FailurePattern>,
}

/// A pattern of failures and the skill of their domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailurePattern {
    /// The regular expression, compared without regard to case.
    #[serde(rename = "match")]
    pub expression: String,
    /// The name of the skill.
    pub skill: String,
}

/// The patterns of 003 Deferred Activation: expressions and skills. A task without these skills ignores them.
const DEFAULTS: &[(&str, &str)] = &[
    (r"\bmigrations?\b|\bschema\b|\brelation\b.*\bdoes not exist\b|\bno such (?:table|column)\b", "database"),
    (r"\bstorybook\b|\btest (?:harness|suite|runner)\b|\b(?:vitest|jest|playwright)\b", "testing"),
    (r"\baxe\b|\baccessibility\b|\ba11y\b|\bcontrast\b|\btheme\b|\btheming\b|\bcomponents?\b", "ui-components"),
    (r"\bserver actions?\b|\blayouts?\b|\brouting\b|\brouter?s?\b", "nextjs-app-router"),
];

impl Default for RetrySettings {
    fn default() -> Self {
        let pattern = |(expression, skill): &(&str, &str)| FailurePattern {
            expression: (*expression).to_owned(),
            skill: (*skill).to_owned(),
        };
        Self { enabled: true, max_retries_after_skill_load: 1, patterns: DEFAULTS.iter().map(pattern).collect() }
    }
}

/// Error of a pattern of the settings.
#[derive(Debug, Clone, thiserror::Error)]
#[error("pattern {number} of `retry.patterns`, for the skill `{skill}`, is no regular expression")]
pub struct PatternError {
    /// The number of the pattern, from 1.
    pub number: usize,
    /// The skill of the pattern.
    pub skill: String,
    /// The error of the expression.
    pub source: regex::Error,
}

/// The highest size of a compiled expression in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The part of a failure's text that is searched, in bytes.
const SEARCHED_BYTES: usize = 16 * 1024;

/// The settings of retries with compiled expressions.
#[derive(Debug, Clone)]
pub struct FailurePatterns {
    /// Whether failures are considered.
    enabled: bool,
    /// The highest number of retries for one task.
    max_retries: u8,
    /// The expressions and their skills.
    patterns: Vec<(Regex, String)>,
}

impl FailurePatterns {
    /// Compiles the expressions of the settings.
    ///
    /// # Errors
    /// [`PatternError`] for the first expression that is invalid or too large.
    pub fn new(settings: &RetrySettings) -> Result<Self, PatternError> {
        let compile = |(number, pattern): (usize, &FailurePattern)| {
            let skill = pattern.skill.strip_prefix('/').unwrap_or(&pattern.skill).to_owned();
            let mut builder = RegexBuilder::new(&pattern.expression);
            match builder.case_insensitive(true).size_limit(MAX_COMPILED_BYTES).build() {
                Ok(expression) => Ok((expression, skill)),
                Err(source) => Err(PatternError { number, skill, source }),
            }
        };
        Ok(Self {
            enabled: settings.enabled,
            max_retries: settings.max_retries_after_skill_load,
            patterns: (1..).zip(&settings.patterns).map(compile).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the settings under which no failure is considered.
    pub const fn none() -> Self {
        Self { enabled: false, max_retries: 0, patterns: Vec::new() }
    }

    /// Returns whether failures are considered and a pattern matches a failure, whichever skills are installed.
    pub fn is_in_domain(&self, failure: &str) -> bool {
        self.enabled && self.find(failure, |_| true).is_some()
    }

    /// Returns whether failures are considered.
    pub(super) const fn enabled(&self) -> bool {
        self.enabled
    }

    /// Returns the highest number of retries for one task.
    pub(super) const fn max_retries(&self) -> u8 {
        self.max_retries
    }

    /// Returns the skill of the first pattern that matches a failure and whose skill `is_installed`, with the matched
    /// text. Only the first 16 KiB of the failure are searched.
    pub(super) fn find<'a>(
        &'a self,
        failure: &'a str,
        is_installed: impl Fn(&str) -> bool,
    ) -> Option<(&'a str, &'a str)> {
        let searched = failure.get(..failure.floor_char_boundary(SEARCHED_BYTES)).unwrap_or(failure);
        let mut installed = self.patterns.iter().filter(|(_, skill)| is_installed(skill));
        installed.find_map(|(expression, skill)| Some((skill.as_str(), expression.find(searched)?.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SC-23: retries are enabled, one for each task, and the section of the design loads.
    #[test]
    fn retries_are_enabled_by_default() {
        let settings: RetrySettings = serde_json::from_str("{}").unwrap();
        assert_eq!((settings.enabled, settings.max_retries_after_skill_load), (true, 1));
        let json = r#"{"enabled": true, "patterns": [{"match": "migration|schema", "skill": "database"}]}"#;
        let settings: RetrySettings = serde_json::from_str(json).unwrap();
        let patterns = FailurePatterns::new(&settings).unwrap();
        assert_eq!(patterns.find("A Schema error", |_| true), Some(("database", "Schema")));
    }

    #[test]
    fn an_invalid_or_huge_expression_is_an_error_with_its_number() {
        let error = |expression: &str| {
            let bad = FailurePattern { expression: expression.into(), skill: "/a".into() };
            let patterns = vec![FailurePattern { expression: "x".into(), skill: "b".into() }, bad];
            FailurePatterns::new(&RetrySettings { patterns, ..RetrySettings::default() }).unwrap_err().to_string()
        };
        let expected = "pattern 2 of `retry.patterns`, for the skill `a`, is no regular expression";
        assert_eq!([error("(unclosed"), error("((a{100}){100}){100}")], [expected; 2]);
    }
}
