//! Attributes of spans, in OTLP's JSON encoding.

use contracts::NanoUsd;
use serde::Serialize;

/// The maximum number of characters of a text in a span. Only the names of rules may exceed it.
const MAX_CHARACTERS: usize = 256;

/// The attributes of an OpenTelemetry span or span event, in insertion order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Attributes(Vec<Attribute>);

/// An attribute of a span in OTLP's JSON encoding.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Attribute {
    /// The name of the attribute.
    key: &'static str,
    /// Its value.
    value: Value,
}

/// The value of an attribute of a span. Integers are encoded as text, since JSON numbers may lose precision beyond 53
/// bits.
#[derive(Debug, Clone, PartialEq, Serialize)]
enum Value {
    /// A text.
    #[serde(rename = "stringValue")]
    Text(String),
    /// An integer in decimal digits.
    #[serde(rename = "intValue")]
    Whole(String),
    /// A floating-point number.
    #[serde(rename = "doubleValue")]
    Double(f64),
    /// A Boolean.
    #[serde(rename = "boolValue")]
    Flag(bool),
    /// An array of values.
    #[serde(rename = "arrayValue")]
    Array { values: Vec<Self> },
}

impl Attributes {
    /// Appends an attribute.
    fn put(&mut self, key: &'static str, value: Value) {
        self.0.push(Attribute { key, value });
    }

    /// Appends all attributes of `others`.
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Appends a text, cut to [`MAX_CHARACTERS`] and with spaces instead of control characters.
    pub(super) fn text(&mut self, key: &'static str, text: &str) {
        self.put(key, Value::Text(truncate(text)));
    }

    /// Appends a text unless it is `None` or empty.
    pub(super) fn optional_text(&mut self, key: &'static str, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.text(key, text);
        }
    }

    /// Appends an array of texts, each shortened like a single one.
    pub(super) fn texts(&mut self, key: &'static str, texts: &[&str]) {
        let values = texts.iter().map(|text| Value::Text(truncate(text))).collect();
        self.put(key, Value::Array { values });
    }

    /// Appends a number; one above `i64::MAX` becomes `i64::MAX`.
    pub(super) fn number(&mut self, key: &'static str, number: u64) {
        // OTLP integers are signed.
        self.put(key, Value::Whole(number.min(i64::MAX.unsigned_abs()).to_string()));
    }

    /// Appends a number unless it is zero.
    pub(super) fn nonzero_number(&mut self, key: &'static str, number: u64) {
        if number != 0 {
            self.number(key, number);
        }
    }

    /// Appends the value `true`.
    pub(super) fn flag(&mut self, key: &'static str) {
        self.put(key, Value::Flag(true));
    }

    /// Appends an amount in dollars, as the closest floating-point number.
    pub(super) fn dollars(&mut self, key: &'static str, amount: NanoUsd) {
        if let Ok(dollars) = amount.decimal(9).parse() {
            self.put(key, Value::Double(dollars));
        }
    }
}

/// Cuts a text to [`MAX_CHARACTERS`] and replaces control characters by spaces.
fn truncate(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use contracts::NanoUsd;

    use super::Attributes;

    #[test]
    fn every_kind_of_value_has_the_shape_that_otlp_gives_it() {
        let mut attributes = Attributes::default();
        attributes.text("text", "two\nlines");
        attributes.optional_text("none", None);
        attributes.optional_text("empty", Some(""));
        attributes.texts("texts", &["stop"]);
        attributes.number("number", u64::MAX);
        attributes.nonzero_number("nothing", 0);
        attributes.flag("holds");
        attributes.dollars("cost", NanoUsd(1_000_000_001));
        let json = serde_json::to_string(&attributes).unwrap();
        let expected = concat!(
            r#"[{"key":"text","value":{"stringValue":"two lines"}},"#,
            r#"{"key":"texts","value":{"arrayValue":{"values":[{"stringValue":"stop"}]}}},"#,
            r#"{"key":"number","value":{"intValue":"9223372036854775807"}},"#,
            r#"{"key":"holds","value":{"boolValue":true}},"#,
            r#"{"key":"cost","value":{"doubleValue":1.000000001}}]"#,
        );
        assert_eq!(json, expected);
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        let mut attributes = Attributes::default();
        attributes.text("text", &"é".repeat(1_000));
        assert_eq!(serde_json::to_string(&attributes).unwrap().matches('é').count(), 256);
    }
}
