//! [`ContentHash`], the name of a stored text.

/// BLAKE3 hash of a text in the text store: a policy, a list of models, or a message.
///
/// Encoded as 32 bytes in the log and as 64 lower-case hexadecimal digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ContentHash(pub [u8; 32]);

/// Error for a text that is not 64 hexadecimal digits; contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a content hash of 64 hexadecimal digits")]
pub struct ParseHashError(String);

event_core::hex_bytes!(ContentHash, 32, ParseHashError);
