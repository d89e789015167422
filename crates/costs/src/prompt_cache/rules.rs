//! The constants of the rules, by who serves the model.

use contracts::{CacheLifetime, CacheVariant, ModelId};

const SECOND: u64 = 1_000_000;

/// How the prompt cache of a provider works.
///
/// | | Anthropic | Claude, served by others | any other model |
/// | --- | --- | --- | --- |
/// | lives, after its last use | 305 s or 3,605 s, as asked for | the same | 300 s |
/// | is found | up to 20 content blocks back | the same | however far back |
/// | is read | to the token | the same | in steps of 128 tokens, from 1,024 on |
/// | writing | has a price of its own | the same | costs what uncached input costs |
/// | the base, at one hour | is kept warm by all users | is not | is not |
/// | after a completed turn | the client's unrecorded call has read the answer | the same | no such call |
///
/// Only the first column is checked against recordings (ADR 10). The last is OpenAI's documentation of its automatic
/// cache, by its shortest lifetime, and stands for everyone else's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheRules {
    /// Anthropic itself: marks set by the client.
    Anthropic,
    /// The same cache, served by others.
    ClaudeElsewhere,
    /// A cache that finds the longest known prefix by itself.
    Automatic,
}

impl CacheRules {
    /// The rules for a model, by its provider and its name.
    pub fn of(model: &ModelId) -> Self {
        if model.provider() == "anthropic" {
            Self::Anthropic
        } else if model.model().contains("claude") {
            Self::ClaudeElsewhere
        } else {
            Self::Automatic
        }
    }

    /// How long a prompt stays after its last use, in microseconds. Five minutes and an hour are what Anthropic promises
    /// as a minimum; of six pauses recorded at about five minutes, five seconds more get all but one right.
    pub(super) const fn life(self, lifetime: CacheLifetime) -> u64 {
        match (self, lifetime) {
            (Self::Automatic, _) => 300 * SECOND,
            (_, CacheLifetime::FiveMinutes) => 305 * SECOND,
            (_, CacheLifetime::OneHour) => 3_605 * SECOND,
        }
    }

    /// Whether a prefix whose mark stands so many content blocks back is looked for (Anthropic's documentation).
    pub(super) const fn reaches(self, blocks: u64) -> bool {
        matches!(self, Self::Automatic) || blocks < 20
    }

    /// What of the prompt is a conversation of its own.
    pub(super) const fn variant(self, variant: CacheVariant) -> CacheVariant {
        match self {
            Self::Automatic => CacheVariant::PLAIN,
            Self::Anthropic | Self::ClaudeElsewhere => variant,
        }
    }

    /// Whether the base is warm without our doing.
    pub(super) const fn shares_base(self, lifetime: CacheLifetime) -> bool {
        matches!((self, lifetime), (Self::Anthropic, CacheLifetime::OneHour))
    }

    /// Whether the client sends a call after a completed turn that nobody records.
    pub(super) const fn has_auxiliary_call(self) -> bool {
        !matches!(self, Self::Automatic)
    }

    /// Whether writing to the cache has a price of its own.
    pub(super) const fn charges_writes(self) -> bool {
        !matches!(self, Self::Automatic)
    }

    /// What is read of a prefix of so many tokens.
    pub(super) const fn step(self, tokens: u64) -> u64 {
        match self {
            Self::Anthropic | Self::ClaudeElsewhere => tokens,
            Self::Automatic if tokens < 1_024 => 0,
            Self::Automatic => tokens - tokens % 128,
        }
    }
}

/// Tokens of system prompt and tools, which stay equal when the messages do not: at most so many thousandths of the
/// first prompt, at most so many tokens. Recorded: 32 to 36 thousand of 40 to 55 thousand at five minutes, 16 to 18
/// thousand of 26 thousand at one hour, where only the client's own part is shared.
pub(super) const fn base(lifetime: CacheLifetime, first: u64) -> u64 {
    let (part, most) = match lifetime {
        CacheLifetime::FiveMinutes => (800, 33_500),
        CacheLifetime::OneHour => (700, 17_500),
    };
    // A prompt that overflows here is far above the most.
    let part = first.saturating_mul(part) / 1_000;
    if part < most { part } else { most }
}

/// Tokens after the last mark of the client, which are neither read nor written: 0 to 13 are recorded.
pub(super) const UNCACHED: u64 = 8;

/// Tokens of a new message, from its bytes.
pub(super) const fn message(bytes: u64) -> u64 {
    bytes / 4 + 5
}

/// A cancelled call has written the cache if it ran so long, in microseconds: 1.7 s did not, 7 s did.
pub(super) const SENT: u64 = 3 * SECOND;
