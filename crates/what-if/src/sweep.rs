//! Parameter sweeps: copies of a policy in which one number takes a range of values, to compare them in a backtest.

use std::str::FromStr;

use serde_json::{Map, Value};

/// Maximum number of values of a sweep. Each is a policy under which all turns are decided again.
const MAX_VALUES: u64 = 200;

/// A range of values for one number of a policy: the path of the number with first value, last value and step, as in
/// `pattern.cost_weight=0:0.3:0.05`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// The keys of the number, from the root of the policy file.
    path: Vec<String>,
    /// The first value. All values are in units of their last decimal digit: 10 to the power of minus `digits`.
    first: i64,
    /// The upper limit of the values, which is included.
    last: i64,
    /// The distance between two values; positive.
    step: i64,
    /// The number of decimal digits of the values, at most 9.
    digits: usize,
}

/// The error of parsing a sweep, or of applying it to a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// The text does not have the form `path=first:last:step` with non-negative numbers, `first` up to `last` and a
    /// positive step. Contains the text.
    #[error("`{0}` is no sweep: write a number of the policy and its values, such as `pattern.cost_weight=0:0.3:0.05`")]
    NotASweep(String),
    /// The sweep has more than 200 values.
    #[error("`{text}` has {count} values, at most {MAX_VALUES} are tried")]
    TooMany {
        /// The text of the sweep.
        text: String,
        /// The number of its values.
        count: u64,
    },
    /// The value of a key of the path is not a mapping, or that of the last key is not a number. Contains the path.
    #[error("the policy has no number at `{0}`")]
    NoNumberAtPath(String),
    /// The policy is not valid YAML. Contains the error of the parser.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
}

impl FromStr for Sweep {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let invalid = || SweepError::NotASweep(text.to_owned());
        let (path, values) = text.split_once('=').ok_or_else(invalid)?;
        let path: Vec<_> = path.trim().split('.').map(str::to_owned).collect();
        let values: Vec<_> = values.split(':').map(str::trim).collect();
        let [first, last, step] = values.as_slice() else { return Err(invalid()) };
        let digits = values.iter().map(|value| value.split_once('.').map_or(0, |(_, digits)| digits.len())).max();
        let digits = digits.unwrap_or_default().min(9);
        let number = |text: &str| parse_scaled(text, digits).ok_or_else(invalid);
        let (first, last, step) = (number(first)?, number(last)?, number(step)?);
        if path.iter().any(String::is_empty) || step <= 0 || last < first {
            return Err(invalid());
        }
        let count = (last - first).unsigned_abs() / step.unsigned_abs() + 1;
        if MAX_VALUES < count {
            return Err(SweepError::TooMany { text: text.to_owned(), count });
        }
        Ok(Self { path, first, last, step, digits })
    }
}

/// Parses a decimal number and returns it times ten to the power of `digits`; `None` if it is signed, malformed, has
/// more decimal digits, or exceeds 64 bits.
fn parse_scaled(text: &str, digits: usize) -> Option<i64> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > digits || !fraction.bytes().all(|byte| byte.is_ascii_digit()) || integer.starts_with(['+', '-'])
    {
        return None;
    }
    format!("{integer}{fraction}{}", "0".repeat(digits - fraction.len())).parse().ok()
}

impl Sweep {
    /// Returns a copy of the policy for each value of the sweep, in ascending order: a name such as
    /// `pattern.cost_weight=0.05`, and the text of the policy. Keys of the path that the policy does not have are
    /// added.
    ///
    /// # Errors
    /// [`SweepError::Unreadable`] if the policy is not valid YAML, [`SweepError::NoNumberAtPath`] if it has something
    /// other than a number at the path.
    pub fn variants(&self, policy: &str) -> Result<Vec<(String, String)>, SweepError> {
        let root: Value = serde_saphyr::from_str(policy).map_err(|error| SweepError::Unreadable(error.to_string()))?;
        let name = self.path.join(".");
        let mut variants = Vec::new();
        let mut value = self.first;
        while value <= self.last {
            let number = self.decimal(value);
            let mut root = if root.is_null() { Value::Object(Map::new()) } else { root.clone() };
            let parsed_number =
                serde_json::from_str(&number).map_err(|error| SweepError::Unreadable(error.to_string()))?;
            set_number(&mut root, &self.path, parsed_number).ok_or_else(|| SweepError::NoNumberAtPath(name.clone()))?;
            // JSON is valid YAML, so the JSON text is a policy.
            variants.push((format!("{name}={number}"), root.to_string()));
            value += self.step;
        }
        Ok(variants)
    }

    /// Formats a value of the sweep, in units of its last digit, as a decimal number.
    fn decimal(&self, value: i64) -> String {
        if self.digits == 0 {
            return value.to_string();
        }
        let text = format!("{value:0>width$}", width = self.digits + 1);
        let (integer, fraction) = text.split_at(text.len() - self.digits);
        format!("{integer}.{fraction}")
    }
}

/// Sets the value at a path of keys in the YAML value `at`, and creates missing mappings; `None` if a value before the
/// end of the path is not a mapping, or the old value is neither a number nor null.
fn set_number(at: &mut Value, path: &[String], value: Value) -> Option<()> {
    let (key, rest) = path.split_first()?;
    let mapping = at.as_object_mut()?;
    if rest.is_empty() {
        let old_value = mapping.insert(key.clone(), value);
        return old_value.is_none_or(|old_value| old_value.is_number() || old_value.is_null()).then_some(());
    }
    set_number(mapping.entry(key.clone()).or_insert_with(|| Value::Object(Map::new())), rest, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep results in one policy for each value, which differs from the original in that number only.
    #[test]
    fn a_sweep_has_a_policy_for_each_value_and_leaves_the_rest_as_it_is() {
        let sweep: Sweep = "pattern.cost_weight=0:0.3:0.15".parse().unwrap();
        let variants = sweep.variants("global_default: haiku\npattern:\n  enabled: true\n").unwrap();
        let shown: Vec<_> = variants.iter().map(|(name, text)| format!("{name}  {text}")).collect();
        insta::assert_snapshot!(shown.join("\n"));
    }

    /// Values are exact decimals, and the last value is included.
    #[test]
    fn values_are_exact_decimals_and_the_last_one_is_tried() {
        let sweep: Sweep = "a.b=0.1:0.7:0.2".parse().unwrap();
        let names: Vec<_> = sweep.variants("").unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a.b=0.1", "a.b=0.3", "a.b=0.5", "a.b=0.7"]);
        let whole: Sweep = "min=8:10:1".parse().unwrap();
        assert_eq!(whole.variants("min: 3").unwrap()[2], ("min=10".to_owned(), "{\"min\":10}".to_owned()));
    }

    /// A text that is not a sweep is an error with an example; a sweep with too many values is an error with their
    /// number.
    #[test]
    fn what_is_no_sweep_is_refused_with_an_example() {
        for text in ["", "a", "a=1", "a=1:2", "a=2:1:1", "a=0:1:0", "a=0:1:-1", ".=0:1:1", "a=x:1:1", "a=0:1:0.1:2"] {
            let refused = text.parse::<Sweep>().unwrap_err();
            assert!(refused.to_string().contains("pattern.cost_weight=0:0.3:0.05"), "{text}: {refused}");
        }
        assert_eq!(
            "a=0:1:0.001".parse::<Sweep>().unwrap_err().to_string(),
            "`a=0:1:0.001` has 1001 values, at most 200 are tried"
        );
    }

    /// A path that leads to a value other than a number is an error.
    #[test]
    fn a_text_where_the_number_should_be_is_told() {
        let sweep: Sweep = "rules.weight=0:1:1".parse().unwrap();
        assert_eq!(sweep.variants("rules: []").unwrap_err(), SweepError::NoNumberAtPath("rules.weight".to_owned()));
    }
}
