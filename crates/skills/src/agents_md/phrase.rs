//! Phrases that name a skill to load, such as ``load skill `testing` ``, or one that must not be loaded.

/// A phrase that names a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SkillPhrase {
    /// The name of the skill.
    pub(super) skill: String,
    /// Whether the phrase forbids the skill.
    pub(super) forbids: bool,
    /// The text without the phrase.
    pub(super) rest: String,
}

/// Verbs that load a skill.
const VERBS: &[&str] = &["load", "use", "activate", "invoke"];
/// Words before the verb that forbid the skill.
const NEGATIONS: &[&str] = &["not", "never", "dont", "don't", "don’t", "cannot"];
/// Characters around a word that are not part of it.
const PUNCTUATION: &[char] = &['.', ',', ':', ';', '!', '(', ')', '*', '"', '—', '→'];
/// The greatest number of words between the verb and the word `skill`.
const MAX_DISTANCE: usize = 3;

/// Finds the first phrase that names a skill: a verb, the word `skill`, and a name in backticks beside that word.
pub(super) fn find_phrase(text: &str) -> Option<SkillPhrase> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &str, expected: &[&str]| {
        expected.iter().any(|other| word.trim_matches(PUNCTUATION).eq_ignore_ascii_case(other))
    };
    (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| is_word(word, &["skill"]))).find_map(|at| {
        let name_at = [at.checked_sub(1)?, at + 1];
        let (name_at, skill) = name_at.into_iter().find_map(|at| Some((at, quoted_name(words.get(at)?)?)))?;
        let first = at.min(name_at);
        let verb_at = (first.saturating_sub(MAX_DISTANCE)..first).rev().find(|at| is_word(words[*at], VERBS))?;
        let forbids = verb_at.checked_sub(1).is_some_and(|before| is_word(words[before], NEGATIONS));
        let rest = words[..verb_at].iter().chain(&words[at.max(name_at) + 1..]);
        let rest = rest.copied().collect::<Vec<_>>().join(" ");
        Some(SkillPhrase { skill, forbids, rest: rest.trim_matches(PUNCTUATION).trim().to_owned() })
    })
}

/// Returns the name of a skill in backticks; `None` if the word has none or they contain no name.
fn quoted_name(word: &str) -> Option<String> {
    let word = word.trim_matches(PUNCTUATION);
    skill_name(word.strip_prefix('`')?.strip_suffix('`')?)
}

/// The longest name of a skill in bytes.
const MAX_NAME_BYTES: usize = 128;

/// Returns the name of a skill without its slash; `None` if the text cannot be a name.
pub(super) fn skill_name(text: &str) -> Option<String> {
    let name = text.strip_prefix('/').unwrap_or(text);
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | ':' | '.');
    let has_word = name.contains(|letter: char| letter.is_ascii_alphanumeric());
    (has_word && name.len() <= MAX_NAME_BYTES && name.chars().all(is_letter)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_that_load_or_forbid_a_skill_are_found() {
        let found = |text: &str| find_phrase(text).map(|phrase| (phrase.skill, phrase.forbids, phrase.rest));
        let loads = |skill: &str, rest: &str| Some((skill.to_owned(), false, rest.to_owned()));
        assert_eq!(found("Writing tests: load skill `testing`."), loads("testing", "Writing tests"));
        assert_eq!(found("For DB work, use the `database` skill"), loads("database", "For DB work"));
        assert_eq!(found("Load the skill `/api-db` when editing queries"), loads("api-db", "when editing queries"));
        assert_eq!(found("Never load skill `legacy` here"), Some(("legacy".into(), true, "Never here".into())));
        assert_eq!(found("Do **not** use the `legacy` skill"), Some(("legacy".into(), true, "Do **not".into())));
        for other in ["This skill is `great`", "load `x`", "skill", "Use a skill when needed", "load skill `two words`"]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
