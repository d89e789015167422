//! Rules for authors of a `SKILL.md` (003 Authoring).

use std::collections::BTreeSet;

use crate::{
    finding::{Finding, FindingCode},
    manifest::{decode_text, split_front_matter},
    skill::Skill,
};

/// The smallest number of terms of its domain that a description has.
const MIN_DOMAIN_TERMS: usize = 3;

/// Phrases in lower case that introduce the situation in which a skill is used.
const USE_CASES: &[&str] =
    &["when", "use for", "use if", "use it", "use this", "use to", "used for", "used to", "invoke", "trigger"];

/// Parts of titles of the section about when not to use a skill, in lower case.
const EXCLUSION_TITLES: &[&str] = &[
    "anti-trigger",
    "do not use",
    "don't use",
    "limitation",
    "non-goal",
    "not for",
    "not to use",
    "not use",
    "out of scope",
    "when not",
];

/// Words of descriptions that do not distinguish one skill from another.
const GENERAL_WORDS: &[&str] = &[
    "about",
    "across",
    "add",
    "after",
    "agent",
    "agents",
    "all",
    "also",
    "and",
    "any",
    "are",
    "as",
    "asks",
    "assistant",
    "at",
    "based",
    "be",
    "before",
    "best",
    "better",
    "between",
    "build",
    "by",
    "can",
    "change",
    "code",
    "create",
    "creates",
    "do",
    "does",
    "easy",
    "file",
    "files",
    "for",
    "from",
    "general",
    "good",
    "great",
    "guidance",
    "guide",
    "handle",
    "handles",
    "has",
    "have",
    "help",
    "helpful",
    "helps",
    "how",
    "if",
    "in",
    "including",
    "into",
    "is",
    "it",
    "its",
    "make",
    "makes",
    "manage",
    "manages",
    "many",
    "more",
    "need",
    "needed",
    "needs",
    "new",
    "not",
    "of",
    "on",
    "one",
    "or",
    "other",
    "output",
    "patterns",
    "perform",
    "practices",
    "process",
    "project",
    "projects",
    "provide",
    "provides",
    "related",
    "request",
    "requests",
    "run",
    "should",
    "skill",
    "skills",
    "something",
    "stuff",
    "such",
    "support",
    "supports",
    "task",
    "tasks",
    "that",
    "the",
    "their",
    "them",
    "these",
    "thing",
    "things",
    "this",
    "to",
    "tool",
    "tools",
    "use",
    "used",
    "useful",
    "user",
    "users",
    "uses",
    "using",
    "various",
    "via",
    "want",
    "wants",
    "what",
    "when",
    "whenever",
    "where",
    "which",
    "will",
    "with",
    "work",
    "working",
    "write",
    "writes",
    "you",
    "your",
];

/// Checks a `SKILL.md` against the rules for authors; `skill` is its parsed metadata. A file that cannot be parsed has no
/// findings here.
pub fn lint_instructions(bytes: &[u8], skill: &Skill) -> Vec<Finding> {
    let Ok(split) = decode_text(bytes, &skill.path).and_then(|text| split_front_matter(text, &skill.path)) else {
        return Vec::new();
    };
    let description_line = split.front_matter.and_then(|yaml| {
        let index = yaml.lines().position(|line| line.starts_with("description:"))?;
        u32::try_from(index + 2).ok()
    });
    let mut findings = Vec::new();
    let mut report = |line: Option<u32>, code, message: &str| {
        findings.push(Finding { path: skill.path.clone(), line, code, message: message.to_owned() });
    };
    let description = skill.description.to_lowercase();
    if !description.is_empty() {
        if skill.when_to_use.is_empty() && !USE_CASES.iter().any(|phrase| description.contains(phrase)) {
            let message = "the description does not state when to use the skill: add `Use when …`";
            report(description_line, FindingCode::NoUseCase, message);
        }
        let terms = domain_terms(&description).len();
        if terms < MIN_DOMAIN_TERMS {
            let message = format!(
                "the description has {terms} of at least {MIN_DOMAIN_TERMS} terms of its domain: add words of requests"
            );
            report(description_line, FindingCode::FewDomainTerms, &message);
        }
    }
    let titles: Vec<String> = split.body.lines().filter_map(title).map(str::to_lowercase).collect();
    let excludes = |text: &str| EXCLUSION_TITLES.iter().any(|phrase| text.contains(phrase));
    if !titles.iter().any(|title| excludes(title)) && !excludes(&description) {
        let message = "no section states when not to use the skill: add `## When not to use`";
        report(None, FindingCode::NoExclusions, message);
    }
    if !has_checklist(split.body) {
        report(
            None,
            FindingCode::NoChecklist,
            "no list below a heading `Checklist`: add the steps that must not be missed",
        );
    }
    if !has_references(split.body) {
        report(
            None,
            FindingCode::NoReferences,
            "no link to a document and no neighbouring skill: add those that apply",
        );
    }
    findings
}

/// Returns the different words of a text in lower case that are not [`GENERAL_WORDS`].
fn domain_terms(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '-' | '+' | '#' | '.'));
    let words = words.map(|word| word.trim_matches(['-', '.'])).filter(|word| 1 < word.chars().count());
    words.filter(|word| GENERAL_WORDS.binary_search(word).is_err()).collect()
}

/// Returns whether a list follows a heading with the word "checklist".
fn has_checklist(body: &str) -> bool {
    let mut is_below = false;
    body.lines().any(|line| {
        if let Some(title) = title(line) {
            is_below = title.to_lowercase().contains("checklist");
        }
        let item = line.trim_start();
        let is_numbered = item.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        is_below && (item.starts_with("- ") || item.starts_with("* ") || is_numbered)
    })
}

/// Returns whether instructions refer to another file or skill: a Markdown link, `[skill:name]`, a path that starts with
/// `@`, or a Markdown file in backticks.
fn has_references(body: &str) -> bool {
    let has_path = |line: &str| line.split_whitespace().any(|word| word.starts_with('@') && word.contains('/'));
    body.lines().any(|line| line.contains("](") || line.contains("[skill:") || line.contains(".md`") || has_path(line))
}

/// Returns the title of a Markdown heading; `None` for another line.
fn title(line: &str) -> Option<&str> {
    let title = line.strip_prefix('#')?.trim_start_matches('#');
    title.starts_with(' ').then(|| title.trim())
}

#[cfg(test)]
mod tests {
    use super::{GENERAL_WORDS, domain_terms};

    #[test]
    fn general_words_are_sorted_for_the_search() {
        assert!(GENERAL_WORDS.is_sorted());
    }

    #[test]
    fn terms_of_a_domain_are_counted_once() {
        let terms: Vec<_> = domain_terms("use this skill for c++ and .net: c++ templates.").into_iter().collect();
        assert_eq!(terms, ["c++", "net", "templates"]);
    }
}
