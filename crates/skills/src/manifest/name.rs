//! Determines the name by which a skill is loaded.

use super::limits::MAX_NAME_CHARACTERS;

/// The name of a skill, with the deviation from the specification that the author should know.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SkillName {
    /// The name.
    pub(super) name: String,
    /// The violated rule of the specification; `None` if the name follows it.
    pub(super) deviation: Option<String>,
}

/// Determines the name of a skill from the name in its front matter, or from the name of its folder if the former
/// cannot be typed as a command. `None` if both cannot.
pub(super) fn choose_name(written: &str, folder: &str) -> Option<SkillName> {
    let written = written.trim();
    if written.eq_ignore_ascii_case(folder) && is_usable(folder) {
        let deviation = violated_rule(written).map(|rule| format!("the name `{written}` {rule}"));
        return Some(SkillName { name: folder.to_owned(), deviation });
    }
    let lower = written.to_lowercase();
    if is_usable(&lower) {
        let deviation = violated_rule(written).map(|rule| format!("the name `{written}` {rule}"));
        return Some(SkillName { name: lower, deviation });
    }
    let deviation = || {
        let rule = violated_rule(written).unwrap_or("cannot be used");
        format!("the name `{}` {rule}: the name of the folder is used", shortened(written))
    };
    is_usable(folder).then(|| SkillName { name: folder.to_owned(), deviation: Some(deviation()) })
}

/// Returns whether a text can be typed as the name of a command: letters in lower case, digits, `-`, `_` and `.`, at
/// most twice the length that the specification allows.
pub(super) fn is_usable(name: &str) -> bool {
    let is_allowed =
        |letter: char| (letter.is_alphanumeric() && !letter.is_uppercase()) || matches!(letter, '-' | '_' | '.');
    let starts_with_letter = name.starts_with(char::is_alphanumeric);
    starts_with_letter && name.chars().count() <= 2 * MAX_NAME_CHARACTERS && name.chars().all(is_allowed)
}

/// Returns the first rule of the specification that a name violates, as a verb phrase; `None` if it follows all rules.
fn violated_rule(name: &str) -> Option<&'static str> {
    let is_allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if MAX_NAME_CHARACTERS < name.chars().count() {
        Some("is longer than 64 characters")
    } else if !name.chars().all(is_allowed) {
        Some("has characters other than a-z, 0-9 and `-`")
    } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        Some("starts or ends with `-` or has two in a row")
    } else {
        None
    }
}

/// Returns the first 64 characters of a text.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(MAX_NAME_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::{SkillName, choose_name};

    fn name(written: &str, folder: &str) -> (String, bool) {
        let SkillName { name, deviation } = choose_name(written, folder).unwrap();
        (name, deviation.is_some())
    }

    #[test]
    fn a_valid_name_is_used_as_written() {
        assert_eq!(name("nasa-se", "nasa-se"), ("nasa-se".into(), false));
        assert_eq!(name("nasa-se", "other"), ("nasa-se".into(), false));
    }

    #[test]
    fn a_name_that_differs_from_the_folder_only_in_case_has_the_case_of_the_folder() {
        assert_eq!(name("Bootstrap", "bootstrap"), ("bootstrap".into(), true));
    }

    #[test]
    fn a_name_that_cannot_be_typed_is_replaced_by_the_folder() {
        assert_eq!(name("My Cool Skill!", "cool"), ("cool".into(), true));
        assert_eq!(name("My_Skill", "x"), ("my_skill".into(), true));
        assert_eq!(name(&"a".repeat(65), "x"), ("a".repeat(65), true));
        assert_eq!(name(&"a".repeat(129), "x"), ("x".into(), true));
        assert_eq!(choose_name("; rm -rf", "a b"), None);
    }
}
