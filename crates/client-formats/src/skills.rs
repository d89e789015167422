//! Skills that a client offers to its model, and which of them match a message. A skill is a set of instructions that
//! the model can load by name.
//!
//! Claude Code lists its skills in a reminder or a system message, Codex in its instructions, one per line: `- name:
//! description`.

use std::collections::BTreeSet;

use memchr::memmem;

/// Texts before the list of skills: of Claude Code and of Codex.
const LIST_MARKERS: [&str; 2] = ["skills are available for use with the Skill tool", "<skills_instructions>"];
/// Tags after the list of skills: of Claude Code and of Codex.
const LIST_END_TAGS: [&str; 2] = ["</system-reminder>", "</skills_instructions>"];
/// The greatest number of skills that are read from one list.
const MAX_SKILLS: usize = 200;
/// The greatest length of a skill's name, in bytes. Lines with longer names are ignored.
const MAX_NAME_BYTES: usize = 80;
/// The length in bytes to which descriptions are truncated.
const MAX_DESCRIPTION_BYTES: usize = 1_000;
/// The length in bytes to which a message is truncated before it is compared with descriptions.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// The number of different words that a message and a description must share to match.
const MIN_SHARED_WORDS: usize = 2;
/// The length in bytes of the shortest word that is compared.
const MIN_WORD_BYTES: usize = 4;
/// Words that occur in descriptions of all kinds and are not compared. They are listed without a plural ending.
const IGNORED_WORDS: [&str; 34] = [
    "about",
    "after",
    "also",
    "another",
    "before",
    "being",
    "both",
    "doe",
    "each",
    "ensure",
    "every",
    "following",
    "from",
    "have",
    "help",
    "into",
    "more",
    "must",
    "need",
    "only",
    "other",
    "skill",
    "some",
    "such",
    "than",
    "that",
    "their",
    "them",
    "then",
    "this",
    "used",
    "user",
    "when",
    "with",
];

/// A skill that a client offers to its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedSkill {
    /// The name, such as `superpowers:writing-plans`.
    pub name: String,
    /// The description, truncated to 1,000 bytes.
    pub description: String,
}

/// Returns whether a text contains a list of skills. The text may be the content of a JSON string, with its escapes.
pub fn may_list_skills(text: &str) -> bool {
    LIST_MARKERS.iter().any(|marker| memmem::find(text.as_bytes(), marker.as_bytes()).is_some())
}

/// Parses the list of skills in a text. Returns at most 200 skills; none if the text has no list.
pub fn offered_skills(text: &str) -> Vec<OfferedSkill> {
    let Some((_, list)) = LIST_MARKERS.iter().find_map(|marker| text.split_once(marker)) else { return Vec::new() };
    let end = LIST_END_TAGS.iter().filter_map(|end| list.find(end)).min().unwrap_or(list.len());
    let lines = list.get(..end).unwrap_or_default().lines();
    let skills = lines.filter_map(|line| {
        let (name, description) = line.trim_start().strip_prefix("- ")?.split_once(": ")?;
        let is_name = !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.contains(char::is_whitespace);
        let end = description.floor_char_boundary(MAX_DESCRIPTION_BYTES);
        is_name.then(|| OfferedSkill { name: name.to_owned(), description: description[..end].to_owned() })
    });
    skills.take(MAX_SKILLS).collect()
}

/// Returns the names of the skills that match a message. These are the skill that the message calls as a command
/// (`/name`), and each of the `offered` skills if the message contains its name or two words of its description.
///
/// Words are compared without case and plural ending; short and very common words are ignored. Of a longer message the
/// first 16 KiB are compared.
pub fn matching_skills(offered: &[OfferedSkill], message: &str) -> BTreeSet<String> {
    let mut skill_names: BTreeSet<String> = called_skill(message).map(str::to_owned).into_iter().collect();
    if offered.is_empty() {
        return skill_names;
    }
    let message = &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)];
    let (message_words, words) = (space_delimited_words(message), content_words(message));
    for skill in offered {
        let own_name = skill.name.rsplit(':').next().unwrap_or_default();
        let is_called = called_skill(message).is_some_and(|called| called == own_name);
        let shared_words = content_words(&skill.description).intersection(&words).count();
        if is_called || MIN_SHARED_WORDS <= shared_words || message_words.contains(&space_delimited_words(own_name)) {
            skill_names.insert(skill.name.clone());
        }
    }
    skill_names
}

/// Returns the name of the skill in a message that is a command, such as `review` in `/review the diff`; `None` for
/// other messages.
fn called_skill(message: &str) -> Option<&str> {
    let name = message.strip_prefix('/')?.split_whitespace().next()?;
    let is_name = name.len() <= MAX_NAME_BYTES && !name.contains('/');
    is_name.then_some(name)
}

/// Converts a text to lower case, with exactly one space before and after each run of letters and digits. A phrase can
/// then be found as a substring without matching parts of words.
fn space_delimited_words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + word + " ")
}

/// Returns the words of a text that describe its subject, in lower case and without a plural ending. Short words and
/// [`IGNORED_WORDS`] are omitted.
fn content_words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| MIN_WORD_BYTES <= word.len());
    let singular = words.map(|word| word.strip_suffix('s').unwrap_or(word));
    singular.filter(|word| !IGNORED_WORDS.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{OfferedSkill, matching_skills, may_list_skills, offered_skills};

    const LIST: &str = "<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n\
        - sql-review: Review database migrations and schema changes before they are applied\n\
        - superpowers:writing-plans: Use when you have requirements for a multi-step task\n\
        - no description\n  continued\n</system-reminder>\n- other: not in the list";

    fn matching(message: &str) -> Vec<String> {
        matching_skills(&offered_skills(LIST), message).into_iter().collect()
    }

    #[test]
    fn the_lists_of_claude_code_and_codex_are_read() {
        let names = |text| offered_skills(text).into_iter().map(|skill| skill.name).collect::<Vec<_>>();
        assert!(may_list_skills(LIST));
        assert_eq!(names(LIST), ["sql-review", "superpowers:writing-plans"]);
        let codex = "<skills_instructions>\n## Skills\n### Available skills\n- imagegen: Generate images (file: /a/SKILL.md)\n</skills_instructions>";
        assert_eq!(names(codex), ["imagegen"]);
        assert!(!may_list_skills("- a: b") && names("- a: b").is_empty());
    }

    #[test]
    fn a_message_matches_by_command_name_or_words_of_the_description() {
        assert_eq!(matching("please look at the database schema"), ["sql-review"]);
        assert_eq!(matching("review this Migration"), ["sql-review"]);
        assert_eq!(matching("do an SQL review"), ["sql-review"]);
        assert_eq!(matching("I am writing plans"), ["superpowers:writing-plans"]);
        assert_eq!(matching("/writing-plans for the shop"), ["superpowers:writing-plans", "writing-plans"]);
        assert_eq!(matching("/superpowers:writing-plans"), ["superpowers:writing-plans"]);
        assert!(matching("the database is slow").is_empty(), "one word of a description is not enough");
        assert!(matching("before they are used with this, what is in the folder?").is_empty());
        assert!(matching("/usr/bin is full").is_empty(), "a path is no command");
    }

    #[test]
    fn without_a_list_only_a_command_names_a_skill() {
        let matching = |message| matching_skills(&[], message).into_iter().collect::<Vec<_>>();
        assert_eq!(matching("/commit the fix"), ["commit"]);
        assert!(matching("commit the fix").is_empty() && matching("").is_empty() && matching("/").is_empty());
        let skills = [OfferedSkill { name: "a".to_owned(), description: "é".repeat(3_000) }];
        assert!(matching_skills(&skills, &"é".repeat(30_000)).is_empty());
    }
}
