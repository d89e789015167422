//! Properties of a request that determine which prompts in a provider's cache it can read.

use serde::{Deserialize, Serialize};

/// Time for which a provider keeps a prompt in its cache after the last use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheLifetime {
    /// Five minutes, the default of providers.
    #[default]
    FiveMinutes,
    /// One hour; cache writes cost more.
    OneHour,
}

/// A number for the settings of a request outside the messages, such as the thinking setting. A change of these
/// settings invalidates the cached messages of the prompt. Requests with the same number share cached prompts; the
/// numbers have no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CacheVariant(pub u32);

impl CacheVariant {
    /// An ordinary request. Also used where the settings are unknown.
    pub const PLAIN: Self = Self(0);
    /// A request that continues a slash command or a skill. Some clients send it with other settings, which the cache
    /// distinguishes.
    pub const COMMAND: Self = Self(1);
}
