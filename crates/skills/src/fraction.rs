//! Fractions from 0 to 1 in settings and replies, without floating-point numbers.

use contracts::Score;
use serde::{Deserialize, Deserializer, Serialize as _, Serializer, de::Error as _};
use serde_json::Number;

/// The number of decimals of the unit of [`Score`], a billionth.
const DECIMALS: usize = 9;

/// Parses a decimal number from 0 to 1, such as `0.7`; `None` for other texts. Digits behind the ninth decimal are dropped.
pub(crate) fn parse_fraction(number: &str) -> Option<Score> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let billionths: String = decimals.chars().chain(std::iter::repeat('0')).take(DECIMALS).collect();
    let billionths = whole.parse::<u64>().ok()?.checked_mul(Score::ONE.0)?.checked_add(billionths.parse().ok()?)?;
    (billionths <= Score::ONE.0).then_some(Score(billionths))
}

/// Deserializes a fraction from a number or a text.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Fraction {
        Text(String),
        Number(Number),
    }
    let text = match Fraction::deserialize(deserializer)? {
        Fraction::Text(text) => text,
        Fraction::Number(number) => number.to_string(),
    };
    parse_fraction(&text).ok_or_else(|| D::Error::custom(format!("{text} is not a number from 0 to 1")))
}

/// Serializes a fraction as a text with nine decimals.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn serialize<S: Serializer>(fraction: &Score, serializer: S) -> Result<S::Ok, S::Error> {
    let (whole, billionths) = (fraction.0 / Score::ONE.0, fraction.0 % Score::ONE.0);
    format!("{whole}.{billionths:09}").serialize(serializer)
}
