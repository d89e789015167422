//! The description of a model in one file, with unset fields.

use std::collections::BTreeMap;

use contracts::{ModelId, PicoUsd, Tier, Tokenizer, WireApi};

/// Models of one file, by id.
pub type ModelEntries = BTreeMap<ModelId, ModelEntry>;

/// Description of a model in one file. A field that is `None` keeps the value of the file below, or has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// Whether the model is removed from the list below.
    pub remove: bool,
    /// Tier.
    pub tier: Option<Tier>,
    /// Aliases, which replace those of the file below.
    pub aliases: Option<Vec<String>>,
    /// Dated names of the same model. They are separate from the aliases, so that replacing those does not remove
    /// these.
    pub snapshots: Option<Vec<String>>,
    /// Whether the model may delegate work (004 §6.8).
    pub can_delegate: Option<bool>,
    /// Maximum number of input tokens.
    pub context_window: Option<u64>,
    /// Maximum number of output tokens.
    pub max_output: Option<u64>,
    /// Supported features.
    pub capabilities: CapabilityEntry,
    /// Family of the tokenizer.
    pub tokenizer: Option<Tokenizer>,
    /// Whether the user has access to the model.
    pub configured: Option<bool>,
    /// APIs over which the model is served, the preferred one first.
    pub apis: Option<Vec<WireApi>>,
    /// Prices.
    pub prices: Option<PriceEntry>,
}

/// Supported features of a model in one file; see [`contracts::Capabilities`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CapabilityEntry {
    /// Whether the model accepts images.
    pub images: Option<bool>,
    /// Whether the model accepts tool definitions.
    pub tools: Option<bool>,
    /// Whether the model accepts a system prompt.
    pub system_prompt: Option<bool>,
    /// Whether the model supports output that follows a schema.
    pub structured_output: Option<bool>,
    /// Whether the model accepts a thinking effort.
    pub effort: Option<bool>,
    /// Whether the model accepts a thinking budget in tokens.
    pub thinking_budget: Option<bool>,
}

/// Prices of a model in one file; missing rates keep the values of the file below.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PriceEntry {
    /// Rates of ordinary calls.
    pub base: RateEntry,
    /// Rates of calls with long input.
    pub long_context: Option<LongContextEntry>,
}

/// Rates of calls whose total input has more tokens than a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongContextEntry {
    /// Threshold in tokens.
    pub above_tokens: u64,
    /// Rates; missing ones are derived from the input rate of this set, as in the ordinary rates.
    pub rates: RateEntry,
}

/// One set of rates in one file, in pico-dollars per token; missing rates keep the values of the file below.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateEntry {
    /// Rate of uncached input.
    pub input: Option<PicoUsd>,
    /// Rate of cache reads; the input rate if missing.
    pub cache_read: Option<PicoUsd>,
    /// Rate of cache writes for five minutes; the input rate if missing.
    pub cache_write_5m: Option<PicoUsd>,
    /// Rate of cache writes for one hour; the five-minute rate if missing.
    pub cache_write_1h: Option<PicoUsd>,
    /// Rate of output.
    pub output: Option<PicoUsd>,
}

impl ModelEntry {
    /// Merges two entries: fields that `other` sets replace those of `self`.
    #[must_use]
    pub fn overridden_by(self, other: Self) -> Self {
        Self {
            remove: other.remove,
            tier: other.tier.or(self.tier),
            aliases: other.aliases.or(self.aliases),
            snapshots: other.snapshots.or(self.snapshots),
            can_delegate: other.can_delegate.or(self.can_delegate),
            context_window: other.context_window.or(self.context_window),
            max_output: other.max_output.or(self.max_output),
            capabilities: CapabilityEntry {
                images: other.capabilities.images.or(self.capabilities.images),
                tools: other.capabilities.tools.or(self.capabilities.tools),
                system_prompt: other.capabilities.system_prompt.or(self.capabilities.system_prompt),
                structured_output: other.capabilities.structured_output.or(self.capabilities.structured_output),
                effort: other.capabilities.effort.or(self.capabilities.effort),
                thinking_budget: other.capabilities.thinking_budget.or(self.capabilities.thinking_budget),
            },
            tokenizer: other.tokenizer.or(self.tokenizer),
            configured: other.configured.or(self.configured),
            apis: other.apis.or(self.apis),
            prices: match (self.prices, other.prices) {
                (Some(below), Some(above)) => Some(PriceEntry {
                    base: below.base.overridden_by(above.base),
                    long_context: above.long_context.or(below.long_context),
                }),
                (below, above) => above.or(below),
            },
        }
    }
}

impl RateEntry {
    fn overridden_by(self, other: Self) -> Self {
        Self {
            input: other.input.or(self.input),
            cache_read: other.cache_read.or(self.cache_read),
            cache_write_5m: other.cache_write_5m.or(self.cache_write_5m),
            cache_write_1h: other.cache_write_1h.or(self.cache_write_1h),
            output: other.output.or(self.output),
        }
    }
}
