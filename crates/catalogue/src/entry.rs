//! [`ModelEntry`], the description of a model in one file of models. Any field may be unset.

use std::collections::BTreeMap;

use contracts::{ModelId, PicoUsd, Tier, Tokenizer, WireApi};

/// The models of one file of models, by id.
pub type ModelEntries = BTreeMap<ModelId, ModelEntry>;

/// The description of a model in one file of models. The user's file overrides the built-in list: a field that is
/// `None` does not change the value of the built-in list, and has its default if that list does not set it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// Whether the user's file removes the model from the built-in list; the other fields then have no effect.
    pub remove: bool,
    /// The tier of the model, its level of capability and price.
    pub tier: Option<Tier>,
    /// Other names by which users can refer to the model. They replace the aliases of the built-in list.
    pub aliases: Option<Vec<String>>,
    /// Dated names of the same model. A file that replaces the aliases leaves them unchanged.
    pub snapshots: Option<Vec<String>>,
    /// Date of the release as `YYYY-MM-DD`; if it is missing, the earliest date in a name of `snapshots`.
    pub released: Option<String>,
    /// Whether the model may delegate work to cheaper models (004 §6.8).
    pub can_delegate: Option<bool>,
    /// Maximum number of input tokens.
    pub context_window: Option<u64>,
    /// Maximum number of output tokens.
    pub max_output: Option<u64>,
    /// The features that the model supports.
    pub capabilities: CapabilityEntry,
    /// The family of the model's tokenizer, by which tokens are estimated.
    pub tokenizer: Option<Tokenizer>,
    /// Whether the user has access to the model.
    pub configured: Option<bool>,
    /// APIs over which the model is served, the preferred one first.
    pub apis: Option<Vec<WireApi>>,
    /// The prices of the model; `None` if they are unknown.
    pub prices: Option<PriceEntry>,
}

/// The features that a model supports, as set in one file of models; see [`contracts::Capabilities`]. A feature
/// that is `None` keeps the value of the built-in list, or else has its default.
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

/// The prices of a model as set in one file of models. Missing rates keep the values of the built-in list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PriceEntry {
    /// Rates of ordinary calls.
    pub base: RateEntry,
    /// Rates of calls with long input; `None` if they are those of ordinary calls.
    pub long_context: Option<LongContextEntry>,
}

/// The rates of calls with long input: those whose total input has more tokens than a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongContextEntry {
    /// Threshold in tokens. These rates apply to calls with more input tokens, cached ones included.
    pub above_tokens: u64,
    /// Rates; missing ones are derived from the input rate of this set, as in the ordinary rates.
    pub rates: RateEntry,
}

/// A set of rates in pico-dollars (10^-12 USD) per token, as set in one file of models. Missing rates keep the
/// values of the built-in list; if that has none either, they are derived as each field states.
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
    /// Returns this entry with the fields that `other` sets replaced by their values. Capabilities and ordinary rates
    /// are replaced one by one, long-context rates all together; `remove` is always that of `other`.
    #[must_use]
    pub fn overridden_by(self, other: Self) -> Self {
        Self {
            remove: other.remove,
            tier: other.tier.or(self.tier),
            aliases: other.aliases.or(self.aliases),
            snapshots: other.snapshots.or(self.snapshots),
            released: other.released.or(self.released),
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
                (Some(own), Some(others)) => Some(PriceEntry {
                    base: own.base.overridden_by(others.base),
                    long_context: others.long_context.or(own.long_context),
                }),
                (own, others) => others.or(own),
            },
        }
    }
}

impl RateEntry {
    /// Returns these rates with each rate that `other` sets replaced by its value.
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
