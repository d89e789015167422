//! Parses typed values from the YAML tree, for all blocks of a policy. Problems are collected, so that all of them are
//! reported at once.

use std::collections::BTreeMap;

use contracts::{NanoUsd, Score};

use super::{
    problem::{Problem, did_you_mean},
    schema::{Key, names},
};
use crate::yaml::{Mark, Node, Value};

/// The problems found so far, and the parsers that add to them. A parser that returns `None` has reported a problem.
/// `subject` is the key or block of a parsed value, for the messages.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

/// The entries of a mapping by key, each with the position of the key.
#[derive(Debug)]
pub(crate) struct Keys<'n, 'a>(BTreeMap<&'n str, (Mark, &'n Node<'a>)>);

impl<'n, 'a> Keys<'n, 'a> {
    /// Returns the value of a key; `None` if the mapping does not contain it.
    pub(crate) fn get(&self, name: &str) -> Option<&'n Node<'a>> {
        self.0.get(name).map(|(_, value)| *value)
    }

    /// Returns whether the mapping contains a key.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl Problems {
    /// Adds a problem at the position `mark`.
    pub(crate) fn report(&mut self, mark: Mark, message: impl Into<String>) {
        self.0.push(Problem { line: mark.line, column: mark.column, message: message.into() });
    }

    /// Reports that a value has the wrong type; `wanted` describes the right one.
    fn report_type(&mut self, node: &Node<'_>, subject: &str, wanted: &str) {
        self.report(node.mark, format!("{subject} must be {wanted}, this is {}", node.kind()));
    }

    /// Parses a mapping. Reports repeated and unknown keys.
    pub(crate) fn mapping<'n, 'a>(
        &mut self,
        node: &'n Node<'a>,
        subject: &str,
        known: &'static [Key],
    ) -> Option<Keys<'n, 'a>> {
        let entries = self.entries(node, subject)?;
        for (name, (mark, _)) in &entries {
            if !names(known).any(|known| known == *name) {
                let hint = did_you_mean(name, names(known));
                self.report(*mark, format!("unknown key `{name}` in {subject}{hint}"));
            }
        }
        Some(Keys(entries))
    }

    /// Parses a mapping with any keys, each with its position and value. Reports keys that are not text, and repeated
    /// ones, of which the first counts; `None` if the value is not a mapping.
    pub(crate) fn entries<'n, 'a>(
        &mut self,
        node: &'n Node<'a>,
        subject: &str,
    ) -> Option<BTreeMap<&'n str, (Mark, &'n Node<'a>)>> {
        let Value::Map(entries) = &node.value else {
            self.report_type(node, subject, "a mapping");
            return None;
        };
        let mut found = BTreeMap::new();
        for (key, value) in entries {
            let Value::Scalar { text, .. } = &key.value else {
                self.report(key.mark, format!("a key in {subject} must be text, this is {}", key.kind()));
                continue;
            };
            if found.contains_key(text.as_ref()) {
                self.report(key.mark, format!("`{text}` stands twice in {subject}: keep one"));
            } else {
                found.insert(text.as_ref(), (key.mark, value));
            }
        }
        Some(found)
    }

    /// Parses a list and returns its items; it may be empty.
    pub(crate) fn list<'n, 'a>(&mut self, node: &'n Node<'a>, subject: &str) -> Option<&'n [Node<'a>]> {
        if let Value::List(items) = &node.value {
            return Some(items);
        }
        self.report_type(node, &format!("`{subject}`"), "a list");
        None
    }

    /// Parses a text that is not empty. Unquoted numbers and booleans are not texts.
    pub(crate) fn text<'n>(&mut self, node: &'n Node<'_>, subject: &str) -> Option<&'n str> {
        match &node.value {
            Value::Scalar { text, .. } if node.kind() == "text" && !text.is_empty() => Some(text),
            Value::Scalar { plain: false, .. } => {
                self.report(node.mark, format!("`{subject}` is empty"));
                None
            }
            _ => {
                self.report_type(node, &format!("`{subject}`"), "text");
                None
            }
        }
    }

    /// Parses one text or a list of texts, at least one (decision D8).
    pub(crate) fn texts<'n>(&mut self, node: &'n Node<'_>, subject: &str) -> Option<Vec<&'n str>> {
        let Value::List(items) = &node.value else {
            return self.text(node, subject).map(|text| vec![text]);
        };
        if items.is_empty() {
            self.report(node.mark, format!("`{subject}` is empty: name at least one"));
        }
        let texts: Vec<_> = items.iter().filter_map(|item| self.text(item, subject)).collect();
        (texts.len() == items.len() && !texts.is_empty()).then_some(texts)
    }

    /// Parses an unquoted scalar with `parse`, which returns `None` if it is invalid. `wanted` describes valid values,
    /// for the message.
    fn parse_unquoted<T>(
        &mut self,
        node: &Node<'_>,
        subject: &str,
        wanted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let Value::Scalar { text, plain: true } = &node.value else {
            self.report_type(node, &format!("`{subject}`"), wanted);
            return None;
        };
        let value = parse(text);
        if value.is_none() {
            let found = if node.is_null() { "this is nothing".to_owned() } else { format!("not `{text}`") };
            self.report(node.mark, format!("`{subject}` must be {wanted}, {found}"));
        }
        value
    }

    /// Parses an unquoted `true` or `false`.
    pub(crate) fn boolean(&mut self, node: &Node<'_>, subject: &str) -> Option<bool> {
        self.parse_unquoted(node, subject, "true or false", |text| text.parse().ok())
    }

    /// Parses an integer of at least `least`, without digit separators.
    pub(crate) fn count(&mut self, node: &Node<'_>, subject: &str, least: u64) -> Option<u64> {
        let wanted = format!("a whole number of at least {least}");
        self.parse_unquoted(node, subject, &wanted, |text| text.parse().ok().filter(|count| least <= *count))
    }

    /// Parses an amount of dollars with at most nine decimals, exactly.
    pub(crate) fn money(&mut self, node: &Node<'_>, subject: &str) -> Option<NanoUsd> {
        self.parse_unquoted(node, subject, "dollars such as 5.00, with at most nine decimals", |text| text.parse().ok())
    }

    /// Parses a number from 0 to 1 with at most nine decimals, exactly.
    pub(crate) fn fraction(&mut self, node: &Node<'_>, subject: &str) -> Option<Score> {
        // A dollar has as many billionths as 1, so the parser of amounts applies.
        let parse = |text: &str| text.parse().ok().map(|NanoUsd(billionths)| Score(billionths));
        let wanted = "a number from 0.0 to 1.0, with at most nine decimals";
        self.parse_unquoted(node, subject, wanted, |text| parse(text).filter(|fraction| *fraction <= Score::ONE))
    }

    /// Parses one of the keywords in `words` and returns its value.
    pub(crate) fn choice<T: Copy>(&mut self, node: &Node<'_>, subject: &str, words: &[(&'static str, T)]) -> Option<T> {
        let text = self.text(node, subject)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.report(node.mark, format!("`{subject}` must be {}, not `{text}`", known.join(" or ")));
        }
        found.map(|(_, value)| *value)
    }
}
