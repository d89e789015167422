//! The curation: a manual selection of models for the built-in list, with tiers, aliases and release dates.

use std::collections::BTreeMap;

use contracts::{ModelId, Tier};
use serde::Deserialize;

/// The text of `curation.yaml`.
const TEXT: &str = include_str!("../../curation.yaml");

/// The manual selection of models for the built-in list, parsed from `curation.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curation {
    /// Date of the selection as `YYYY-MM-DD`. Models deprecated on or before it are dropped.
    pub(super) as_of: String,
    /// Patterns of ids that are dropped even if a family matches; `*` matches any characters.
    leave_out: Vec<String>,
    /// Families of models that are selected. The first one that matches a model determines its tier.
    families: Vec<Family>,
    /// Models that support a system prompt although the price list states otherwise.
    pub(super) take_system_prompt: Vec<ModelId>,
    /// Release dates as `YYYY-MM-DD` of models that have no dated name.
    pub(super) released: BTreeMap<ModelId, String>,
    /// Aliases with their models.
    pub(super) aliases: BTreeMap<String, ModelId>,
}

/// A family of models in the built-in list that have the same tier.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    /// Pattern of model ids, in which `*` matches any characters.
    models: String,
    /// Tier of the models.
    tier: Tier,
}

impl Curation {
    /// Parses `curation.yaml`, which is compiled into the program.
    ///
    /// # Errors
    /// The error of the YAML parser if the file does not have the layout of [`Curation`].
    pub(super) fn parse() -> Result<Self, serde_saphyr::Error> {
        serde_saphyr::from_str(TEXT)
    }

    /// Returns the tier that the curation assigns to a model; `None` if it does not select the model.
    pub(super) fn tier(&self, id: &ModelId) -> Option<Tier> {
        let is_match = |pattern: &String| matches_pattern(pattern, id.as_str());
        if self.leave_out.iter().any(is_match) {
            return None;
        }
        self.families.iter().find(|family| is_match(&family.models)).map(|family| family.tier)
    }
}

/// Returns whether a pattern matches a whole text. `*` in the pattern matches any number of characters, also none.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(prefix) else { return false };
    let (middle, suffix) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some((_, after)) = text.split_once(part) else { return false };
        text = after;
    }
    text.ends_with(suffix)
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    /// `*` in a pattern matches any text, and everything else matches exactly.
    #[test]
    fn a_star_in_a_pattern_matches_any_text() {
        assert!(matches_pattern("openai:gpt-*-mini", "openai:gpt-5.4-mini"));
        assert!(!matches_pattern("openai:gpt-*-mini", "openai:gpt-mini"));
        assert!(!matches_pattern("openai:gpt-*-mini", "openai:gpt-5.4-mini-2026-03-17"));
        assert!(matches_pattern("*audio*", "openai:gpt-4o-audio-preview"));
        assert!(matches_pattern("*:a*b*c", "x:a-b-b-c"));
        assert!(matches_pattern("openai:o3", "openai:o3"));
        assert!(!matches_pattern("openai:o3", "openai:o3-mini"));
    }
}
