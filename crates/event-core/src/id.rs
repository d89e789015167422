//! [`EventId`], the id that the producer of an event chooses.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Hex;

/// Id of an event, chosen by its producer. The log records each id once, so a repeated event is detected by its id.
///
/// Encoded as 16 bytes in the log and as 32 lower-case hexadecimal digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EventId(pub [u8; 16]);

/// Error of parsing a text that is not 32 hexadecimal digits; contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id of 32 hexadecimal digits")]
pub struct ParseIdError(String);

/// Size of the stack buffer for the input of the hash in [`EventId::derive`], in bytes. Longer input is allocated on
/// the heap.
const USUAL_BYTES: usize = 160;

impl EventId {
    /// Derives an id from parts that identify the event: the first 16 bytes of the BLAKE3 hash of all parts, each
    /// preceded by its length.
    ///
    /// Equal parts in the same order result in the same id on every machine, so a retry is detected as the same event.
    pub fn derive(parts: &[&[u8]]) -> Self {
        // Each part is preceded by its length, so ("ab", "c") and ("a", "bc") differ.
        let bytes: usize = parts.iter().map(|part| 8 + part.len()).sum();
        // The parts are joined first, because an incremental hasher costs about 2 kB of initialisation.
        let (mut few, mut many) = ([0; USUAL_BYTES], Vec::new());
        let whole = if bytes <= USUAL_BYTES {
            &mut few[..bytes]
        } else {
            many.resize(bytes, 0);
            &mut many[..]
        };
        let mut rest = &mut *whole;
        for part in parts {
            for piece in [&(part.len() as u64).to_le_bytes()[..], part] {
                let (place, behind) = rest.split_at_mut(piece.len());
                place.copy_from_slice(piece);
                rest = behind;
            }
        }
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(whole).as_bytes()[..16]);
        Self(id)
    }

    /// Derives the id of an event that follows from this one. `number` distinguishes several events of the same `kind`.
    #[must_use]
    pub fn then(self, kind: &str, number: u64) -> Self {
        Self::derive(&[&self.0, kind.as_bytes(), &number.to_le_bytes()])
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({self})")
    }
}

impl FromStr for EventId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseIdError(text.to_owned());
        let digits = text.as_bytes();
        if digits.len() != 32 {
            return Err(error());
        }
        let mut id = [0; 16];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16).ok_or_else(error)?;
            let low = char::from(pair[1]).to_digit(16).ok_or_else(error)?;
            *byte = u8::try_from(high * 16 + low).map_err(|_| error())?;
        }
        Ok(Self(id))
    }
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { self.0.serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for EventId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
            text.parse().map_err(de::Error::custom)
        } else {
            <[u8; 16]>::deserialize(deserializer).map(Self)
        }
    }
}
