//! A model as a file describes it: only what the file says.

use std::collections::BTreeMap;

use contracts::{ModelId, PicoUsd, Tier, Tokenizer, WireApi};

/// The models of one file, by id.
pub type Entries = BTreeMap<ModelId, ModelEntry>;

/// What a file says about a model. What it does not say stays as it was below, or takes its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// The model is to be forgotten.
    pub remove: bool,
    /// How capable it is.
    pub tier: Option<Tier>,
    /// Other names for it.
    pub aliases: Option<Vec<String>>,
    /// Dated names of the same model. Apart from the aliases, so that replacing those does not lose these.
    pub snapshots: Option<Vec<String>>,
    /// Whether it may delegate work (004 §6.8).
    pub can_delegate: Option<bool>,
    /// The most tokens of input.
    pub context_window: Option<u64>,
    /// The most tokens of output.
    pub max_output: Option<u64>,
    /// What it can take.
    pub capabilities: CapabilityEntry,
    /// Which family of tokenizer counts for it.
    pub tokenizer: Option<Tokenizer>,
    /// Whether the user can reach it.
    pub configured: Option<bool>,
    /// The APIs it is served over, the preferred one first.
    pub apis: Option<Vec<WireApi>>,
    /// What it charges.
    pub prices: Option<PriceEntry>,
}

/// What a file says a model can take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CapabilityEntry {
    /// Images in the prompt.
    pub images: Option<bool>,
    /// Tool definitions.
    pub tools: Option<bool>,
    /// A system prompt.
    pub system_prompt: Option<bool>,
    /// Output forced into a schema.
    pub structured_output: Option<bool>,
    /// How hard to think, in words.
    pub effort: Option<bool>,
    /// How much to think, in tokens.
    pub thinking_budget: Option<bool>,
}

/// What a file says about prices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PriceEntry {
    /// The usual rates.
    pub base: RateEntry,
    /// The rates of calls with long input.
    pub long_context: Option<LongContext>,
}

/// The rates of calls whose whole input has more tokens than a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongContext {
    /// The threshold.
    pub above_tokens: u64,
    /// The rates; what is missing follows from the input rate of this set, as in the usual rates.
    pub rates: RateEntry,
}

/// What a file says about one set of rates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateEntry {
    /// Input outside the cache.
    pub input: Option<PicoUsd>,
    /// Input read from the cache; the input rate when missing.
    pub cache_read: Option<PicoUsd>,
    /// Input written for five minutes; the input rate when missing.
    pub cache_write_5m: Option<PicoUsd>,
    /// Input written for an hour; the five-minute rate when missing.
    pub cache_write_1h: Option<PicoUsd>,
    /// Output.
    pub output: Option<PicoUsd>,
}

impl ModelEntry {
    /// This entry with everything the other one says instead.
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
