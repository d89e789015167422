//! [`EventId`], the id that the producer of an event chooses.

/// Id of an event, chosen by its producer. The log records each id once, so an event that is appended again is detected
/// by its id.
///
/// Encoded as 16 bytes in the log and as 32 lower-case hexadecimal digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EventId(pub [u8; 16]);

/// Error of parsing an event id: the text is not 32 hexadecimal digits. Contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id of 32 hexadecimal digits")]
pub struct ParseIdError(String);

/// Size in bytes of the stack buffer for the input of the hash in [`EventId::derive`]. A longer input is allocated on
/// the heap.
const STACK_BUFFER_BYTES: usize = 160;

impl EventId {
    /// Derives an id from the parts that identify an event: the first 16 bytes of the BLAKE3 hash of all parts, each
    /// preceded by its length.
    ///
    /// Equal parts in the same order result in the same id on every machine, so a retry is detected as the same event.
    pub fn derive(parts: &[&[u8]]) -> Self {
        // Each part is preceded by its length, so ("ab", "c") and ("a", "bc") differ.
        let bytes: usize = parts.iter().map(|part| 8 + part.len()).sum();
        // The parts are joined first, because an incremental hasher costs about 2 kB of initialisation.
        let (mut stack_buffer, mut heap_buffer) = ([0; STACK_BUFFER_BYTES], Vec::new());
        let input = if bytes <= STACK_BUFFER_BYTES {
            &mut stack_buffer[..bytes]
        } else {
            heap_buffer.resize(bytes, 0);
            &mut heap_buffer[..]
        };
        let mut unfilled = &mut *input;
        for part in parts {
            for piece in [&(part.len() as u64).to_le_bytes()[..], part] {
                let (destination, remaining) = unfilled.split_at_mut(piece.len());
                destination.copy_from_slice(piece);
                unfilled = remaining;
            }
        }
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(input).as_bytes()[..16]);
        Self(id)
    }

    /// Derives the id of an event that results from the event with this id. `kind` is the kind of the new event, and
    /// `number` distinguishes several new events of that kind.
    #[must_use]
    pub fn then(self, kind: &str, number: u64) -> Self {
        Self::derive(&[&self.0, kind.as_bytes(), &number.to_le_bytes()])
    }
}

crate::hex_bytes!(EventId, 16, ParseIdError);
