//! [`LlmSettings`], the settings of the layer that asks a model.

use contracts::{ModelSpec, NanoUsd, Score};
use router_core::Policy;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Number;

/// The range of the time limit, in milliseconds.
const TIMEOUT_RANGE_MS: std::ops::RangeInclusive<u32> = 100..=60_000;

/// The settings of the layer that asks a model (000 §2.4), `skills.llm` in the policy. The switch is `skills.layers.llm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmSettings {
    /// The lowest confidence of a reply that is used.
    #[serde(with = "crate::fraction")]
    pub min_confidence: Score,
    /// The id or an alias of the model that is asked; `None`: no model is asked.
    pub model: Option<String>,
    /// The time limit of a question in milliseconds, from 100 to 60,000.
    pub timeout_ms: u32,
    /// The most that questions may cost on a UTC day.
    #[serde(serialize_with = "serialize_dollars", deserialize_with = "deserialize_dollars")]
    pub dollars_per_day: NanoUsd,
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            min_confidence: Score::ratio(7, 10),
            model: None,
            timeout_ms: 5_000,
            dollars_per_day: NanoUsd(1_000_000_000),
        }
    }
}

impl LlmSettings {
    /// Returns the model that is asked; `None` if none is set, or the policy does not know it.
    pub fn model_in<'p>(&self, policy: &'p Policy) -> Option<&'p ModelSpec> {
        policy.registry().named(self.model.as_deref()?)
    }

    /// Validates the settings against the models of the policy.
    ///
    /// # Errors
    /// The problem of the first invalid value, with the next step.
    pub(crate) fn validate(&self, policy: &Policy) -> Result<(), String> {
        if !TIMEOUT_RANGE_MS.contains(&self.timeout_ms) {
            let (least, most) = (TIMEOUT_RANGE_MS.start(), TIMEOUT_RANGE_MS.end());
            return Err(format!("`llm.timeout_ms` is {}; use a number from {least} to {most}", self.timeout_ms));
        }
        match &self.model {
            Some(name) if policy.registry().named(name).is_none() => {
                Err(format!("`llm.model`: no model is named `{name}`; `turnwise models` lists them"))
            }
            _ => Ok(()),
        }
    }

    /// Returns why no model can be asked although the layer is switched on; `None` if one can.
    pub fn obstacle(&self, policy: &Policy) -> Option<String> {
        let Some(name) = &self.model else {
            return Some("`skills.llm.model` names no model".to_owned());
        };
        let Some(model) = policy.registry().named(name) else {
            return Some(format!("no model is named `{name}`"));
        };
        if !model.configured || model.apis.is_empty() {
            return Some(format!("the provider `{}` has no key of turnwise", model.provider.as_str()));
        }
        if model.prices.is_none() {
            return Some(format!("the price of {} is unknown, so no budget can limit it", model.id));
        }
        None
    }
}

/// Serializes an amount as a text with nine decimals.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn serialize_dollars<S: Serializer>(amount: &NanoUsd, serializer: S) -> Result<S::Ok, S::Error> {
    let (whole, fraction) = (amount.0 / 1_000_000_000, amount.0 % 1_000_000_000);
    serializer.serialize_str(&format!("{whole}.{fraction:09}"))
}

/// Deserializes an amount in dollars from a number or a text.
fn deserialize_dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NanoUsd, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Dollars {
        Text(String),
        Number(Number),
    }
    let text = match Dollars::deserialize(deserializer)? {
        Dollars::Text(text) => text,
        Dollars::Number(number) => number.to_string(),
    };
    text.parse().map_err(|_| D::Error::custom(format!("`{text}` is no amount in dollars, such as 0.50")))
}
