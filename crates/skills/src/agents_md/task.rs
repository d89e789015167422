//! Compares a request with the task of a row, such as `Building pages / layouts`.

use std::collections::BTreeSet;

use crate::score::terms::{term, terms, terms_with_words};

/// Words of tasks that do not name their subject; a row is not matched by them alone.
const GENERIC: &[&str] = &[
    "add",
    "build",
    "change",
    "code",
    "component",
    "create",
    "edit",
    "editing",
    "feature",
    "file",
    "fix",
    "handle",
    "implement",
    "make",
    "modify",
    "new",
    "project",
    "related",
    "task",
    "touch",
    "update",
    "work",
    "write",
];

/// The terms of a request, prepared for the comparison with several rows.
#[derive(Debug)]
pub(super) struct RequestTerms {
    /// Each term with its word, in the order of the request.
    terms: Vec<(String, String)>,
    /// The generic terms.
    generic: BTreeSet<String>,
}

/// The words of a request that match the task of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskMatch {
    /// The words in the order of the request.
    pub(super) words: Vec<String>,
    /// The position of the first of them in the request's terms.
    pub(super) first: usize,
}

impl RequestTerms {
    /// Prepares the text of a request.
    pub(super) fn new(text: &str) -> Self {
        Self { terms: terms_with_words(text), generic: GENERIC.iter().filter_map(|word| term(word)).collect() }
    }

    /// Compares the request with the task of a row: all words of one of its alternatives, except generic ones, must be in
    /// the request. `/`, `,`, `;`, `&`, `and` and `or` separate alternatives. Returns `None` if no alternative matches.
    pub(super) fn match_task(&self, task: &str) -> Option<TaskMatch> {
        let mut positions = BTreeSet::new();
        for alternative in alternatives(task) {
            let subject: Vec<_> = alternative.iter().filter(|term| !self.generic.contains(*term)).collect();
            let required = if subject.is_empty() { alternative.iter().collect() } else { subject };
            let found = required.iter().map(|term| self.terms.iter().position(|(other, _)| other == *term));
            if let Some(found) = found.collect::<Option<Vec<_>>>() {
                positions.extend(found);
            }
        }
        let first = *positions.first()?;
        let words = positions.iter().filter_map(|at| self.terms.get(*at)).map(|(_, word)| word.clone());
        Some(TaskMatch { words: words.collect(), first })
    }
}

/// Returns the terms of each alternative of a task; those without terms are not included.
fn alternatives(task: &str) -> impl Iterator<Item = Vec<String>> {
    let spaced = task.replace(['/', ',', ';', '&', '|', '+', '(', ')'], " , ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let separates = |word: &&str| [",", "and", "or"].iter().any(|separator| word.eq_ignore_ascii_case(separator));
    let alternatives: Vec<_> = words.split(separates).map(|words| terms(&words.join(" "))).collect();
    alternatives.into_iter().filter(|terms| !terms.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_of_an_alternative_are_required() {
        let matches = |task: &str, text: &str| RequestTerms::new(text).match_task(task).map(|found| found.words);
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(matches("Database / auth / storage", "Fix a DB query"), words(&["db"]));
        assert_eq!(matches("Server actions & API", "the server is down"), None);
        assert_eq!(
            matches("Server actions & API", "add a server action to the api"),
            words(&["server", "action", "api"])
        );
        assert_eq!(matches("Writing tests or stories", "write a poem"), None);
        assert_eq!(matches("UI components", "Build UI"), words(&["ui"]));
        assert_eq!(matches("Components", "new components please"), words(&["components"]));
        assert_eq!(matches("", "x"), None);
    }
}
