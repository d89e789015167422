//! [`CacheRules`] and the other constants of the simulated prompt caches, by provider.

use contracts::{CacheLifetime, CacheVariant, ModelId};

/// One second in microseconds.
const SECOND: u64 = 1_000_000;

/// Behaviour of a provider's prompt cache.
///
/// | | Anthropic | Claude, other providers | other models |
/// | --- | --- | --- | --- |
/// | lifetime after the last use | 305 s or 3,605 s, as requested | the same | 300 s |
/// | lookup | up to 20 content blocks back | the same | unlimited |
/// | granularity of reads | one token | the same | 128 tokens, from 1,024 on |
/// | price of writes | separate | the same | as uncached input |
/// | base, at a lifetime of one hour | kept cached by other users | not shared | not shared |
/// | after a completed turn | an unrecorded call of the client has read the response | the same | no such call |
///
/// Only the first column is validated with recordings (ADR 10). The last one is from OpenAI's documentation of its
/// automatic cache, with the shortest lifetime, and is used for all other providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheRules {
    /// Anthropic's own API: prefixes end at marks set by the client.
    Anthropic,
    /// Claude models of other providers.
    ClaudeElsewhere,
    /// A cache that finds the longest known prefix without marks.
    Automatic,
}

impl CacheRules {
    /// Returns the cache rules for a model, selected by its provider and its name.
    pub fn for_model(model: &ModelId) -> Self {
        if model.provider() == "anthropic" {
            Self::Anthropic
        } else if model.model().contains("claude") {
            Self::ClaudeElsewhere
        } else {
            Self::Automatic
        }
    }

    /// Returns the time in microseconds for which a prompt stays cached after its last use, if a lifetime of `lifetime`
    /// was requested.
    ///
    /// Anthropic guarantees five minutes and one hour as minimum; five more seconds predict five of six recorded pauses
    /// of about five minutes.
    pub(super) const fn lifetime_micros(self, lifetime: CacheLifetime) -> u64 {
        match (self, lifetime) {
            (Self::Automatic, _) => 300 * SECOND,
            (_, CacheLifetime::FiveMinutes) => 305 * SECOND,
            (_, CacheLifetime::OneHour) => 3_605 * SECOND,
        }
    }

    /// Returns whether a cache lookup finds a prefix whose mark is `blocks` content blocks before the end of the prompt
    /// (Anthropic's documentation).
    pub(super) const fn can_reach(self, blocks: u64) -> bool {
        matches!(self, Self::Automatic) || blocks < 20
    }

    /// Returns the variant under which a conversation is cached: `variant` itself, or always the same one for automatic
    /// caches, which do not distinguish variants.
    pub(super) const fn variant(self, variant: CacheVariant) -> CacheVariant {
        match self {
            Self::Automatic => CacheVariant::PLAIN,
            Self::Anthropic | Self::ClaudeElsewhere => variant,
        }
    }

    /// Returns whether system prompt and tools are always cached at this lifetime, because other users of the provider
    /// share them.
    pub(super) const fn shares_base(self, lifetime: CacheLifetime) -> bool {
        matches!((self, lifetime), (Self::Anthropic, CacheLifetime::OneHour))
    }

    /// Returns whether the client sends an auxiliary call after a completed turn. The log does not contain that call;
    /// its prompt includes the response of the turn.
    pub(super) const fn has_auxiliary_call(self) -> bool {
        !matches!(self, Self::Automatic)
    }

    /// Returns whether cache writes have a separate price; if not, all tokens that are not read count as uncached.
    pub(super) const fn charges_writes(self) -> bool {
        !matches!(self, Self::Automatic)
    }

    /// Returns the tokens that are read of a prefix of `tokens` tokens, rounded down to the granularity.
    pub(super) const fn round_to_granularity(self, tokens: u64) -> u64 {
        match self {
            Self::Anthropic | Self::ClaudeElsewhere => tokens,
            Self::Automatic if tokens < 1_024 => 0,
            Self::Automatic => tokens - tokens % 128,
        }
    }
}

/// Estimates the tokens of system prompt and tools, which stay cached when the messages change: a share of the `first`
/// prompt (in tokens), with a maximum.
///
/// The recordings have 32,000 to 36,000 tokens of 40,000 to 55,000 at a lifetime of five minutes, and 16,000 to 18,000
/// of 26,000 at one hour, where only the client's own part is shared.
pub(super) const fn base_tokens(lifetime: CacheLifetime, first: u64) -> u64 {
    let (permille, max) = match lifetime {
        CacheLifetime::FiveMinutes => (800, 33_500),
        CacheLifetime::OneHour => (700, 17_500),
    };
    // A prompt that saturates here is far above the maximum.
    let tokens = first.saturating_mul(permille) / 1_000;
    if tokens < max { tokens } else { max }
}

/// Number of tokens after the client's last cache mark, which are neither read nor written. The recordings have 0 to
/// 13.
pub(super) const UNCACHED_TOKENS: u64 = 8;

/// Estimates the number of tokens of a new user message from its length in bytes.
pub(super) const fn estimate_message_tokens(bytes: u64) -> u64 {
    bytes / 4 + 5
}

/// Time in microseconds after which a cancelled call has written its prompt to the cache: recorded calls of 1.7 s had
/// not, those of 7 s had.
pub(super) const MIN_CANCELLED_MICROS: u64 = 3 * SECOND;
