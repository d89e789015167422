//! Which models the built-in list has, with which tiers and aliases: the one place where somebody chose.

use std::collections::BTreeMap;

use contracts::{ModelId, Tier};
use serde::Deserialize;

/// The choices, as a person wrote them down.
const TEXT: &str = include_str!("../../curation.yaml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curation {
    /// Models deprecated on or before this day are dropped; `YYYY-MM-DD`.
    pub(super) as_of: String,
    /// Ids that are dropped whatever the families say.
    leave_out: Vec<String>,
    /// Which models are in the list; the first family that matches gives the tier.
    families: Vec<Family>,
    /// Models that take a system prompt whatever the price list says.
    pub(super) take_system_prompt: Vec<ModelId>,
    /// Every alias and its model.
    pub(super) aliases: BTreeMap<String, ModelId>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    models: String,
    tier: Tier,
}

impl Curation {
    pub(super) fn read() -> Result<Self, serde_saphyr::Error> {
        serde_saphyr::from_str(TEXT)
    }

    /// The tier of a model that is to be in the list.
    pub(super) fn tier(&self, id: &ModelId) -> Option<Tier> {
        let fits = |pattern: &String| matches(pattern, id.as_str());
        if self.leave_out.iter().any(fits) {
            return None;
        }
        self.families.iter().find(|family| fits(&family.models)).map(|family| family.tier)
    }
}

/// Whether a pattern, in which `*` stands for any text, matches all of a text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some((_, after)) = text.split_once(part) else { return false };
        text = after;
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("openai:gpt-*-mini", "openai:gpt-5.4-mini"));
        assert!(!matches("openai:gpt-*-mini", "openai:gpt-mini"));
        assert!(!matches("openai:gpt-*-mini", "openai:gpt-5.4-mini-2026-03-17"));
        assert!(matches("*audio*", "openai:gpt-4o-audio-preview"));
        assert!(matches("*:a*b*c", "x:a-b-b-c"));
        assert!(matches("openai:o3", "openai:o3"));
        assert!(!matches("openai:o3", "openai:o3-mini"));
    }
}
