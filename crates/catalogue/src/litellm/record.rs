//! The layout of one model in the price list: a JSON object with a flat list of keys.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use contracts::PicoUsd;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::{
    RateEntry,
    decimal::{self, DecimalError},
};

/// The description of a model in the price list: the fields that are used.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Provider in `LiteLLM`'s notation.
    pub(super) provider: String,
    /// Kind of model, such as `chat` or `embedding`.
    pub(super) mode: String,
    /// Date of deprecation as `YYYY-MM-DD`; `None` if the model is not deprecated.
    pub(super) deprecated: Option<String>,
    /// Maximum number of input tokens.
    pub(super) input_tokens: Option<u64>,
    /// Maximum number of output tokens.
    pub(super) output_tokens: Option<u64>,
    /// Values of the `supports_…` keys.
    pub(super) flags: BTreeMap<String, bool>,
    /// Rates by threshold in tokens; 0 for the ordinary rates.
    pub(super) rates: BTreeMap<u64, RateEntry>,
    /// Prices that are not an integer number of pico-dollars per token: key, text and error.
    pub(super) inexact_prices: Vec<(String, String, DecimalError)>,
}

impl Record {
    /// Returns the value of a key `supports_…`; `None` if the key is missing or its value is not a boolean.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.flags.get(key).copied()
    }

    /// Stores the value of a key, given as JSON text. Unknown keys are ignored. A value of an unexpected type counts as
    /// missing.
    fn set_field(&mut self, key: &str, raw: &str) {
        let text = || serde_json::from_str::<String>(raw).unwrap_or_default();
        // Numbers are sometimes written as `4096.0`.
        let number = || decimal::parse_scaled(raw, 0).ok();
        match key {
            "litellm_provider" => self.provider = text(),
            "mode" => self.mode = text(),
            "deprecation_date" => self.deprecated = Some(text()).filter(|date| !date.is_empty()),
            "max_input_tokens" => self.input_tokens = number(),
            "max_output_tokens" => self.output_tokens = number(),
            _ if key.starts_with("supports_") => {
                if let Ok(yes) = raw.parse() {
                    self.flags.insert(key.to_owned(), yes);
                }
            }
            _ => self.set_rate(key, raw),
        }
    }

    /// Stores the value of a price key, given as JSON text in dollars per token, as pico-dollars per token. Other keys
    /// and `null` are ignored. A price that is not an integer number of pico-dollars is added to `inexact_prices`.
    fn set_rate(&mut self, key: &str, raw: &str) {
        let (key, threshold) = split_threshold(key).unwrap_or((key, 0));
        let select: fn(&mut RateEntry) -> &mut Option<PicoUsd> = match key {
            "input_cost_per_token" => |rates| &mut rates.input,
            "output_cost_per_token" => |rates| &mut rates.output,
            "cache_read_input_token_cost" => |rates| &mut rates.cache_read,
            "cache_creation_input_token_cost" => |rates| &mut rates.cache_write_5m,
            "cache_creation_input_token_cost_above_1hr" => |rates| &mut rates.cache_write_1h,
            _ => return,
        };
        if raw == "null" {
            return;
        }
        // Dollars per token to pico-dollars per token.
        match decimal::parse_scaled(raw.trim_matches('"'), 12) {
            Ok(pico) => *select(self.rates.entry(threshold).or_default()) = Some(PicoUsd(pico)),
            Err(error) => self.inexact_prices.push((key.to_owned(), raw.to_owned(), error)),
        }
    }
}

/// Splits a key of the price list into its name and its threshold in tokens: `input_cost_per_token_above_200k_tokens`
/// is `input_cost_per_token` and 200,000. `None` if the key has no threshold.
fn split_threshold(key: &str) -> Option<(&str, u64)> {
    let (key, thousands) = key.strip_suffix("k_tokens")?.rsplit_once("_above_")?;
    let thousands: u64 = thousands.parse().ok()?;
    Some((key, thousands.checked_mul(1_000)?))
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecordVisitor;
        impl<'de> de::Visitor<'de> for RecordVisitor {
            type Value = Record;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the description of a model")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
                let mut record = Record::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    let raw: &RawValue = map.next_value()?;
                    record.set_field(&key, raw.get());
                }
                Ok(record)
            }
        }
        deserializer.deserialize_map(RecordVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::split_threshold;

    /// A threshold is recognised at the end of a key only.
    #[test]
    fn a_threshold_is_recognised_only_at_the_end_of_a_key() {
        assert_eq!(split_threshold("input_cost_per_token_above_200k_tokens"), Some(("input_cost_per_token", 200_000)));
        assert_eq!(
            split_threshold("cache_creation_input_token_cost_above_1hr_above_100k_tokens"),
            Some(("cache_creation_input_token_cost_above_1hr", 100_000))
        );
        assert_eq!(split_threshold("input_cost_per_token"), None);
        assert_eq!(split_threshold("input_cost_per_token_above_200k_tokens_priority"), None);
    }
}
