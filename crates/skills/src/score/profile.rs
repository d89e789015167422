//! [`SkillProfile`], the parts of a skill that its score depends on, in the form in which they are compared.

use std::{collections::BTreeSet, sync::OnceLock};

use super::{
    glob::Glob,
    risk::{RiskClasses, RiskWords},
    stack,
    terms::terms,
};
use crate::skill::Skill;

/// The longest extension of a file that is looked for in a description, in bytes.
const MAX_EXTENSION_BYTES: usize = 8;

/// The parts of a skill that its score depends on. The instructions are not among them (003 Inputs). Each part is computed when
/// a request first needs it: most requests name neither files nor commands, and few skills are candidates.
#[derive(Debug, Clone, Default)]
pub(super) struct SkillProfile {
    /// The files of the skill.
    files: OnceLock<SkillFiles>,
    /// The terms of its name, tags and keywords, which its commands have.
    command_terms: OnceLock<BTreeSet<String>>,
    /// The names of its technologies in the normal form of [`stack`]: its tags and its own name.
    technologies: OnceLock<Vec<String>>,
    /// The risk classes that it covers.
    risk: OnceLock<RiskClasses>,
}

/// The files that a skill is about.
#[derive(Debug, Clone)]
struct SkillFiles {
    /// The globs of its files.
    globs: Vec<Glob>,
    /// The extensions in its texts, lower case and without dot; used if it has no globs.
    extensions: BTreeSet<String>,
}

/// A skill with its profile.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProfiledSkill<'a> {
    /// The skill.
    pub(super) skill: &'a Skill,
    /// Its profile.
    pub(super) profile: &'a SkillProfile,
}

impl ProfiledSkill<'_> {
    /// Returns whether a path belongs to the skill: one of its globs matches. A skill without globs owns the files with an
    /// extension that its texts name.
    pub(super) fn owns_path(&self, path: &str) -> bool {
        let files = self.profile.files.get_or_init(|| SkillFiles {
            globs: self.skill.paths.iter().map(|path| Glob::new(path)).collect(),
            extensions: texts(self.skill).flat_map(extensions).collect(),
        });
        if !files.globs.is_empty() {
            return files.globs.iter().any(|glob| glob.matches(path));
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        extension.is_some_and(|extension| files.extensions.contains(&extension))
    }

    /// Returns whether the name, a tag or a keyword of the skill has a term.
    pub(super) fn has_command_term(&self, term: &str) -> bool {
        let texts = self.names().chain(&self.skill.keywords);
        self.profile.command_terms.get_or_init(|| texts.flat_map(|text| terms(text)).collect()).contains(term)
    }

    /// Returns the names of the technologies of the skill in the normal form of [`stack`].
    pub(super) fn technologies(&self) -> &[String] {
        let names = self.names().map(|name| stack::normalize(name)).filter(|name| !name.is_empty());
        self.profile.technologies.get_or_init(|| names.collect())
    }

    /// Returns the risk classes of the skill.
    pub(super) fn risk(&self, words: &RiskWords) -> RiskClasses {
        *self.profile.risk.get_or_init(|| RiskClasses::of(&skill_terms(self.skill), words))
    }

    /// Iterates over the name and the tags of the skill.
    fn names(&self) -> impl Iterator<Item = &String> {
        [&self.skill.name].into_iter().chain(&self.skill.tags)
    }
}

/// Iterates over the texts of a skill: its name, description, section on when to use it, and keywords.
pub(super) fn all_texts(skill: &Skill) -> impl Iterator<Item = &str> {
    [skill.name.as_str()].into_iter().chain(texts(skill))
}

/// Returns the distinct terms of a skill: of its name, description, keywords and section on when to use it.
fn skill_terms(skill: &Skill) -> Vec<String> {
    let text = all_texts(skill).collect::<Vec<_>>().join(" ");
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
