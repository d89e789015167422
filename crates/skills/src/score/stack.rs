//! Stack match: the technologies that a workspace documents, compared with those of a skill (003 Components).

use std::collections::BTreeSet;

use super::{components::MAX_STACK, profile::ProfiledSkill};

/// The documented technologies of a workspace in a form that names can be looked up in.
#[derive(Debug, Clone, Default)]
pub(super) struct Stack {
    /// The names of all technologies, and every part of them that starts and ends at a word.
    names: BTreeSet<String>,
}

/// The highest number of words of a technology's name.
const MAX_NAME_WORDS: usize = 4;

impl Stack {
    /// Creates the stack from cells of a Stack table and names of a manifest, such as `Next.js 15 (App Router)`.
    pub(super) fn new(entries: &[String]) -> Self {
        let mut names = BTreeSet::new();
        for entry in entries {
            let words: Vec<String> = entry.split(|letter: char| !is_name_letter(letter)).map(normalize).collect();
            for length in 1..=MAX_NAME_WORDS {
                names.extend(words.windows(length).map(<[String]>::concat));
            }
        }
        names.remove("");
        Self { names }
    }

    /// Returns the points of a skill by its technologies; `None` if no stack is documented.
    pub(super) fn points(&self, skill: ProfiledSkill<'_>) -> Option<u8> {
        if self.names.is_empty() {
            return None;
        }
        Some(if skill.technologies().iter().any(|name| self.names.contains(name)) { MAX_STACK } else { 0 })
    }
}

/// Returns whether a letter is part of a word of a name: `Next.js`, `C#` and `C++` are one word.
fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '#' | '+')
}

/// Returns the normal form of a technology's name: lower case, only letters, digits, `#` and `+`. `Next.js` is `nextjs`.
pub(super) fn normalize(name: &str) -> String {
    let letters = name.chars().filter(|letter| is_name_letter(*letter) && *letter != '.');
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::profile::SkillProfile, *};
    use crate::skill::Skill;

    /// SC-12: a skill of the documented stack has 15 points, another one 0; without a documented stack nothing applies.
    #[test]
    fn a_skill_of_the_documented_stack_has_all_points() {
        let stack = Stack::new(&["Next.js 15 (App Router)".into(), "Tailwind CSS 4 + shadcn/ui".into()]);
        let points_of = |stack: &Stack, name: &str| {
            let skill = Skill { name: name.to_owned(), ..Skill::default() };
            stack.points(ProfiledSkill { skill: &skill, profile: &SkillProfile::default() })
        };
        let points = |name: &str| points_of(&stack, name);
        assert_eq!((points("nextjs"), points("app-router"), points("tailwind-css")), (Some(15), Some(15), Some(15)));
        assert_eq!((points("next"), points("django"), points("")), (Some(0), Some(0), Some(0)));
        assert_eq!(points_of(&Stack::new(&[]), "nextjs"), None);
    }
}
