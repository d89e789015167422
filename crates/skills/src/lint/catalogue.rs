//! The length of the list of skills that a client puts into its prompt.

use crate::{
    finding::{Finding, FindingCode},
    index::SkillIndex,
};

/// The number of characters of names and descriptions that Claude Code lists; it drops descriptions beyond.
pub const MAX_CATALOGUE_CHARACTERS: usize = 15_000;

/// Returns a finding, at `path`, if the names and descriptions of the skills that a model may choose are longer than
/// [`MAX_CATALOGUE_CHARACTERS`].
pub fn lint_catalogue(index: &SkillIndex, path: &str) -> Option<Finding> {
    let listed = index.skills().iter().filter(|skill| !skill.explicit_only);
    let characters: usize = listed.map(|skill| skill.name.chars().count() + skill.description.chars().count()).sum();
    (MAX_CATALOGUE_CHARACTERS < characters).then(|| {
        let message = format!(
            "names and descriptions have {characters} characters, clients list about {MAX_CATALOGUE_CHARACTERS}: \
             shorten descriptions, or set `disable-model-invocation` for skills that only users load"
        );
        Finding::of_file(path, FindingCode::CatalogueTooLarge, message)
    })
}
