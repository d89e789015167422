//! [`SkillProfile`], the parts of a skill that its score depends on, in the form in which they are compared.

use std::collections::BTreeSet;

use super::{
    glob::Glob,
    risk::{RiskClasses, RiskWords},
    stack,
    terms::terms,
};
use crate::skill::Skill;

/// The longest extension of a file that is looked for in a description, in bytes.
const MAX_EXTENSION_BYTES: usize = 8;

/// The parts of a skill that its score depends on. The instructions are not among them (003 Inputs).
#[derive(Debug, Clone)]
pub(super) struct SkillProfile {
    /// The name of the skill.
    pub(super) name: String,
    /// The length of its `SKILL.md` in bytes.
    pub(super) bytes: u64,
    /// The globs of its files.
    pub(super) globs: Vec<Glob>,
    /// The extensions in its texts, lower case and without dot; used if it has no globs.
    pub(super) extensions: BTreeSet<String>,
    /// The terms of its name, tags and keywords, which its commands have.
    pub(super) command_terms: BTreeSet<String>,
    /// The names of its technologies in the normal form of [`stack`]: its tags and its own name.
    pub(super) technologies: Vec<String>,
    /// The risk classes that it covers.
    pub(super) risk: RiskClasses,
}

impl SkillProfile {
    /// Creates the profile of a skill. `skill_terms` are the [`skill_terms`] of the skill.
    pub(super) fn new(skill: &Skill, skill_terms: &[String], risk_words: &RiskWords) -> Self {
        let named = [&skill.name].into_iter().chain(&skill.tags);
        let command_texts = named.clone().chain(&skill.keywords);
        Self {
            name: skill.name.clone(),
            bytes: skill.bytes,
            globs: skill.paths.iter().map(|path| Glob::new(path)).collect(),
            extensions: texts(skill).flat_map(extensions).collect(),
            command_terms: command_texts.flat_map(|text| terms(text)).collect(),
            technologies: named.map(|name| stack::normalize(name)).filter(|name| !name.is_empty()).collect(),
            risk: RiskClasses::of(skill_terms, risk_words),
        }
    }
}

/// Returns the distinct terms of a skill: of its name, description, keywords and section on when to use it.
pub(super) fn skill_terms(skill: &Skill) -> Vec<String> {
    let mut text = skill.name.clone();
    for part in texts(skill) {
        text.push(' ');
        text.push_str(part);
    }
    terms(&text)
}

/// Iterates over the texts of a skill other than its name.
fn texts(skill: &Skill) -> impl Iterator<Item = &str> {
    let keywords = skill.keywords.iter().map(String::as_str);
    [skill.description.as_str(), skill.when_to_use.as_str()].into_iter().chain(keywords)
}

/// Iterates over the extensions of files that a text names, such as `vtt` for `.vtt` and `*.vtt`.
fn extensions(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    let extensions = words.filter_map(|word| word.trim_end_matches('.').strip_prefix('.'));
    let is_extension = |word: &&str| (1..=MAX_EXTENSION_BYTES).contains(&word.len()) && !word.contains('.');
    extensions.filter(is_extension).map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_of_a_description_are_found() {
        let found: Vec<_> = extensions("Parses .vtt, `*.SRT` and .md files. See a.py, 1.5, .NET and docs.").collect();
        assert_eq!(found, ["vtt", "srt", "md", "net"]);
    }
}
