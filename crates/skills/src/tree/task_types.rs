//! [`TaskTypes`], the words that classify a request by the type of its task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::score::terms::{term, terms_with_words};

/// The words of each type of task, `skills.task_types` in the policy. They are independent of the keywords of skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskTypeSettings(pub BTreeMap<String, Vec<String>>);

/// The types of 000 Layer 2 with their words.
const DEFAULTS: &[(&str, &[&str])] = &[
    ("design", &["design", "specify", "architect", "model"]),
    ("presentation", &["presentation", "present", "slide", "deck"]),
    ("research", &["research", "investigate", "analyze", "analyse", "explore", "compare", "evaluate", "diagnose"]),
    ("review", &["review", "critique", "audit", "assess"]),
    ("transcription", &["transcription", "transcribe", "transcript", "caption"]),
    ("workflow", &["workflow", "orchestrate", "orchestration", "coordinate", "pipeline"]),
];

impl Default for TaskTypeSettings {
    fn default() -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self(DEFAULTS.iter().map(|(name, words)| ((*name).to_owned(), owned(words))).collect())
    }
}

/// The words that classify requests, prepared for look-up.
#[derive(Debug, Clone)]
pub struct TaskTypes {
    /// The type of each term.
    types: BTreeMap<String, String>,
    /// The names of all types.
    names: Vec<String>,
}

/// The type of a request's task and its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskTypeMatch {
    /// The name of the type.
    pub task: String,
    /// The word of the request that named it, in lower case.
    pub word: String,
}

impl TaskTypes {
    /// Prepares the words of the settings. A word of several types belongs to the first one by name.
    pub fn new(settings: &TaskTypeSettings) -> Self {
        let mut types = BTreeMap::new();
        for (name, words) in &settings.0 {
            for term in words.iter().filter_map(|word| term(&word.to_lowercase())) {
                types.entry(term).or_insert_with(|| name.clone());
            }
        }
        Self { types, names: settings.0.keys().cloned().collect() }
    }

    /// Returns the type whose word comes first in a text; `None` if the text has none of the words.
    pub fn classify(&self, text: &str) -> Option<TaskTypeMatch> {
        terms_with_words(text).into_iter().find_map(|(term, word)| {
            let task = self.types.get(&term)?.clone();
            Some(TaskTypeMatch { task, word })
        })
    }

    /// Returns the names of all types, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SK-19, SK-23: the type follows from words of its own, in any of their forms, and the first one in the text decides.
    #[test]
    fn a_request_has_the_type_of_its_first_word() {
        let types = TaskTypes::new(&TaskTypeSettings::default());
        let task = |text: &str| types.classify(text).map(|found| found.task);
        assert_eq!(task("critique the plan").as_deref(), Some("review"));
        assert_eq!(task("Investigating the outage, then review it").as_deref(), Some("research"));
        assert_eq!(task("Specify the interface").as_deref(), Some("design"));
        assert_eq!(task("hello there"), None);
        let names = ["design", "presentation", "research", "review", "transcription", "workflow"];
        assert_eq!(types.names(), names);
        assert_eq!(types.classify("Auditing it").unwrap().word, "auditing");
    }

    /// SK-23: the words are settings.
    #[test]
    fn words_are_settings() {
        let settings: TaskTypeSettings = serde_json::from_str(r#"{"review": ["Roast"]}"#).unwrap();
        let types = TaskTypes::new(&settings);
        assert_eq!(types.classify("roasting this").map(|found| found.task).as_deref(), Some("review"));
        assert_eq!(types.classify("critique the plan"), None);
    }
}
