//! Parses typed values from the YAML tree of a policy file. Problems are collected, so that all of them are reported at
//! once.

use std::collections::BTreeMap;

use contracts::{NanoUsd, Score};

use super::{
    key::{PolicyKey, key_names},
    problem::{Problem, did_you_mean},
};
use crate::yaml::{FilePosition, YamlNode, YamlValue};

/// The problems found in a policy file so far, and the parsers of single values that add to them. A parser that returns
/// `None` has reported a problem. `subject` is the key or the block of the parsed value, for the message.
#[derive(Debug, Default)]
pub(crate) struct ProblemCollector(pub(crate) Vec<Problem>);

/// The entries of a YAML mapping by key, each with the position of the key.
#[derive(Debug)]
pub(crate) struct MappingEntries<'n, 'a>(BTreeMap<&'n str, (FilePosition, &'n YamlNode<'a>)>);

impl<'n, 'a> MappingEntries<'n, 'a> {
    /// Returns the value of a key; `None` if the mapping does not contain it.
    pub(crate) fn get(&self, name: &str) -> Option<&'n YamlNode<'a>> {
        self.0.get(name).map(|(_, value)| *value)
    }

    /// Returns whether the mapping contains a key.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl ProblemCollector {
    /// Adds a problem at the position `mark` of the file.
    pub(crate) fn report(&mut self, mark: FilePosition, message: impl Into<String>) {
        self.0.push(Problem { line: mark.line, column: mark.column, message: message.into() });
    }

    /// Reports that a value has the wrong type. `wanted` describes the expected type.
    fn report_type(&mut self, node: &YamlNode<'_>, subject: &str, wanted: &str) {
        self.report(node.mark, format!("{subject} must be {wanted}, this is {}", node.kind()));
    }

    /// Parses a mapping whose keys are listed in `known_keys`. Reports repeated and unknown keys. An optional key without a
    /// value (`key:`, `null`) is omitted, as if it were missing. `None` if the node is not a mapping, which is reported
    /// too.
    pub(crate) fn parse_mapping<'n, 'a>(
        &mut self,
        node: &'n YamlNode<'a>,
        subject: &str,
        known_keys: &'static [PolicyKey],
    ) -> Option<MappingEntries<'n, 'a>> {
        let mut keys = self.parse_mapping_with_nulls(node, subject, known_keys)?;
        let is_required = |name: &str| known_keys.iter().any(|key| key.is_required && key.name == name);
        keys.0.retain(|name, (_, value)| !value.is_null() || is_required(name));
        Some(keys)
    }

    /// Parses a mapping whose keys are listed in `known_keys`; keys without a value are not omitted. Reports repeated and
    /// unknown keys. `None` if the node is not a mapping, which is reported too.
    pub(crate) fn parse_mapping_with_nulls<'n, 'a>(
        &mut self,
        node: &'n YamlNode<'a>,
        subject: &str,
        known_keys: &'static [PolicyKey],
    ) -> Option<MappingEntries<'n, 'a>> {
        let entries = self.parse_entries(node, subject)?;
        for (name, (mark, _)) in &entries {
            if !key_names(known_keys).any(|known_keys| known_keys == *name) {
                let hint = did_you_mean(name, key_names(known_keys));
                self.report(*mark, format!("unknown key `{name}` in {subject}{hint}"));
            }
        }
        Some(MappingEntries(entries))
    }

    /// Parses a mapping with arbitrary keys; returns each key with its position and value. Reports keys that are not
    /// text, and repeated keys, of which the first applies. `None` if the value is not a mapping.
    pub(crate) fn parse_entries<'n, 'a>(
        &mut self,
        node: &'n YamlNode<'a>,
        subject: &str,
    ) -> Option<BTreeMap<&'n str, (FilePosition, &'n YamlNode<'a>)>> {
        let YamlValue::Map(entries) = &node.value else {
            self.report_type(node, subject, "a mapping");
            return None;
        };
        let mut values_by_key = BTreeMap::new();
        for (key, value) in entries {
            let YamlValue::Scalar { text, .. } = &key.value else {
                self.report(key.mark, format!("a key in {subject} must be text, this is {}", key.kind()));
                continue;
            };
            if values_by_key.contains_key(text.as_ref()) {
                self.report(key.mark, format!("`{text}` is repeated in {subject}: keep one"));
            } else {
                values_by_key.insert(text.as_ref(), (key.mark, value));
            }
        }
        Some(values_by_key)
    }

    /// Parses a list, which may be empty, and returns its items. `None` if it is invalid; the problem is reported.
    pub(crate) fn parse_list<'n, 'a>(&mut self, node: &'n YamlNode<'a>, subject: &str) -> Option<&'n [YamlNode<'a>]> {
        if let YamlValue::List(items) = &node.value {
            return Some(items);
        }
        self.report_type(node, &format!("`{subject}`"), "a list");
        None
    }

    /// Parses a text that is not empty. Unquoted numbers and booleans are not accepted as texts. `None` if it is
    /// invalid; the problem is reported.
    pub(crate) fn parse_text<'n>(&mut self, node: &'n YamlNode<'_>, subject: &str) -> Option<&'n str> {
        match &node.value {
            YamlValue::Scalar { text, .. } if node.kind() == "text" && !text.is_empty() => Some(text),
            YamlValue::Scalar { plain: false, .. } => {
                self.report(node.mark, format!("`{subject}` is empty"));
                None
            }
            _ => {
                self.report_type(node, &format!("`{subject}`"), "text");
                None
            }
        }
    }

    /// Parses a single text, or a list of at least one text (decision D8). `None` if it is invalid; the problem is
    /// reported.
    pub(crate) fn parse_texts<'n>(&mut self, node: &'n YamlNode<'_>, subject: &str) -> Option<Vec<&'n str>> {
        let YamlValue::List(items) = &node.value else {
            return self.parse_text(node, subject).map(|text| vec![text]);
        };
        if items.is_empty() {
            self.report(node.mark, format!("`{subject}` is empty: name at least one"));
        }
        let texts: Vec<_> = items.iter().filter_map(|item| self.parse_text(item, subject)).collect();
        (texts.len() == items.len() && !texts.is_empty()).then_some(texts)
    }

    /// Parses an unquoted scalar with `parse`, which returns `None` if the scalar is invalid. `expectation` describes the
    /// valid values, for the message.
    fn parse_unquoted<T>(
        &mut self,
        node: &YamlNode<'_>,
        subject: &str,
        expectation: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let YamlValue::Scalar { text, plain: true } = &node.value else {
            self.report_type(node, &format!("`{subject}`"), expectation);
            return None;
        };
        let value = parse(text);
        if value.is_none() {
            let description = if node.is_null() { "this is nothing".to_owned() } else { format!("not `{text}`") };
            self.report(node.mark, format!("`{subject}` must be {expectation}, {description}"));
        }
        value
    }

    /// Parses an unquoted `true` or `false`. `None` if it is invalid; the problem is reported.
    pub(crate) fn parse_boolean(&mut self, node: &YamlNode<'_>, subject: &str) -> Option<bool> {
        self.parse_unquoted(node, subject, "true or false", |text| text.parse().ok())
    }

    /// Parses an integer that is at least `least`, without digit separators. `None` if it is invalid; the problem is
    /// reported.
    pub(crate) fn parse_count(&mut self, node: &YamlNode<'_>, subject: &str, least: u64) -> Option<u64> {
        let wanted = format!("a whole number of at least {least}");
        self.parse_unquoted(node, subject, &wanted, |text| text.parse().ok().filter(|count| least <= *count))
    }

    /// Parses an amount in dollars with at most nine decimals, without rounding. `None` if it is invalid; the problem
    /// is reported.
    pub(crate) fn parse_money(&mut self, node: &YamlNode<'_>, subject: &str) -> Option<NanoUsd> {
        let wanted = "dollars such as 5.00, with at most nine decimals";
        self.parse_unquoted(node, subject, wanted, |text| parse_billionths(text).map(NanoUsd))
    }

    /// Parses a number from 0 to 1 with at most nine decimals, without rounding. `None` if it is invalid; the problem
    /// is reported.
    pub(crate) fn parse_fraction(&mut self, node: &YamlNode<'_>, subject: &str) -> Option<Score> {
        let wanted = "a number from 0.0 to 1.0, with at most nine decimals";
        let parse = |text: &str| parse_billionths(text).map(Score).filter(|fraction| *fraction <= Score::ONE);
        self.parse_unquoted(node, subject, wanted, parse)
    }

    /// Parses a keyword and returns its value. `words` lists the valid keywords with their values. `None` for any other
    /// text, which is reported.
    pub(crate) fn parse_choice<T: Copy>(
        &mut self,
        node: &YamlNode<'_>,
        subject: &str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.parse_text(node, subject)?;
        let choice = words.iter().find(|(word, _)| *word == text);
        if choice.is_none() {
            let known_words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.report(node.mark, format!("`{subject}` must be {}, not `{text}`", known_words.join(" or ")));
        }
        choice.map(|(_, value)| *value)
    }
}

/// Parses a YAML number that is not negative, such as `5`, `.5`, `5.` or `5e-2`, into billionths, without rounding.
/// `None` if it is not a number, has more than nine decimals, or is too large.
fn parse_billionths(text: &str) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{fraction}");
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
        let excess_digits = usize::try_from(power.unsigned_abs()).ok()?;
        let digit_count = digits
            .len()
            .checked_sub(excess_digits)
            .filter(|digit_count| digits[*digit_count..].bytes().all(|byte| byte == b'0'))?;
        return if digit_count == 0 { Some(0) } else { digits[..digit_count].parse().ok() };
    };
    digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::parse_billionths;

    #[test]
    fn numbers_in_yaml_notation_are_parsed_exactly() {
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
            assert_eq!(parse_billionths(text), Some(expected), "{text}");
        }
        for text in
            ["", ".", "e5", "-1", "1e", "1e1.5", "0x5", "1_000", "nan", ".inf", "1e-10", "0.0000000001", "1e11", "5 "]
        {
            assert_eq!(parse_billionths(text), None, "{text}");
        }
    }
}
