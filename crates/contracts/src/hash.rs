//! [`ContentHash`], the name of a stored text.

use std::{fmt, str::FromStr};

use event_core::Hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// BLAKE3 hash of a text in the text store: a policy, a list of models, or a message.
///
/// Encoded as 32 bytes in the log and as 64 lower-case hexadecimal digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ContentHash(pub [u8; 32]);

/// Error for a text that is not 64 hexadecimal digits; contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a content hash of 64 hexadecimal digits")]
pub struct ParseHashError(String);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

impl FromStr for ContentHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseHashError(text.to_owned());
        // The 32 bytes are parsed as two ids of 16 bytes each.
        let (high, low) = text.split_at_checked(32).ok_or_else(error)?;
        let high: event_core::EventId = high.parse().map_err(|_| error())?;
        let low: event_core::EventId = low.parse().map_err(|_| error())?;
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(&high.0);
        hash[16..].copy_from_slice(&low.0);
        Ok(Self(hash))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { self.0.serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
            text.parse().map_err(de::Error::custom)
        } else {
            <[u8; 32]>::deserialize(deserializer).map(Self)
        }
    }
}
