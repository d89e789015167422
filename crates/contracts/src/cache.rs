//! What of a request decides how much of it a provider's prompt cache knows.

use serde::{Deserialize, Serialize};

/// How long a provider keeps a prompt after its last use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheLifetime {
    /// Five minutes, what providers do when they are not asked.
    #[default]
    FiveMinutes,
    /// One hour, for a higher price of writing.
    OneHour,
}

/// What of a request stands outside its messages and yet makes the cached messages useless when it changes, such as
/// the setting of thinking. Two requests with the same number share a cache; the numbers have no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CacheVariant(pub u32);

impl CacheVariant {
    /// An ordinary request, and what is said where nothing is known.
    pub const PLAIN: Self = Self(0);
    /// A request that continues a command or a skill, which some clients send with other settings.
    pub const COMMAND: Self = Self(1);
}
