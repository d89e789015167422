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

    /// Parses a mapping of settings. Reports repeated and unknown keys. An optional key without a value (`key:`, `null`) is left
    /// out, as if it were missing.
    pub(crate) fn mapping<'n, 'a>(
        &mut self,
        node: &'n Node<'a>,
        subject: &str,
        known: &'static [Key],
    ) -> Option<Keys<'n, 'a>> {
        let mut keys = self.mapping_with_nulls(node, subject, known)?;
        let is_required = |name: &str| known.iter().any(|key| key.required && key.name == name);
        keys.0.retain(|name, (_, value)| !value.is_null() || is_required(name));
        Some(keys)
    }

    /// Parses a mapping in which every key needs a value. Reports repeated and unknown keys.
    pub(crate) fn mapping_with_nulls<'n, 'a>(
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
        let wanted = "dollars such as 5.00, with at most nine decimals";
        self.parse_unquoted(node, subject, wanted, |text| billionths(text).map(NanoUsd))
    }

    /// Parses a number from 0 to 1 with at most nine decimals, exactly.
    pub(crate) fn fraction(&mut self, node: &Node<'_>, subject: &str) -> Option<Score> {
        let wanted = "a number from 0.0 to 1.0, with at most nine decimals";
        let parse = |text: &str| billionths(text).map(Score).filter(|fraction| *fraction <= Score::ONE);
        self.parse_unquoted(node, subject, wanted, parse)
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

/// Parses a number of YAML that is not negative, such as `5`, `.5`, `5.` or `5e-2`, into billionths; `None` if it is no
/// number, has more than nine decimals or is too large. Exact: no float is involved.
fn billionths(text: &str) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    // The last digit counts units of 10 to this power, in billionths.
    let power = 9_i32.checked_add(exponent)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if digits.is_empty() {
        return Some(0);
    }
    let Ok(power) = u32::try_from(power) else {
        // Digits beyond the ninth decimal must be zeros.
        let dropped = usize::try_from(power.unsigned_abs()).ok()?;
        let kept = digits.len().checked_sub(dropped).filter(|kept| digits[*kept..].bytes().all(|byte| byte == b'0'))?;
        return if kept == 0 { Some(0) } else { digits[..kept].parse().ok() };
    };
    digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::billionths;

    #[test]
    fn numbers_are_read_as_yaml_writes_them_and_exactly() {
        let equal = [
            ("0", 0),
            ("5", 5_000_000_000),
            ("5.", 5_000_000_000),
            (".5", 500_000_000),
            ("+0.50", 500_000_000),
            ("5e-2", 50_000_000),
            ("5E+1", 50_000_000_000),
            ("1.5e1", 15_000_000_000),
            ("0.000000001", 1),
            ("1e-9", 1),
            ("10e-10", 1),
            ("0e99", 0),
            ("18446744073.709551615", u64::MAX),
        ];
        for (text, expected) in equal {
            assert_eq!(billionths(text), Some(expected), "{text}");
        }
        for text in
            ["", ".", "e5", "-1", "1e", "1e1.5", "0x5", "1_000", "nan", ".inf", "1e-10", "0.0000000001", "1e11", "5 "]
        {
            assert_eq!(billionths(text), None, "{text}");
        }
    }
}
