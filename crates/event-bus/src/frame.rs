//! Encodes and decodes one event as a journal frame, including its link of the hash chain.
//!
//! All numbers are little-endian. The layout is frozen as version 1 of the journal's format:
//!
//! | bytes | field |
//! | --- | --- |
//! | 4 | length of everything after the next field |
//! | 4 | CRC-32 of the length and of everything after this field |
//! | 1 | flags: 1 payload purged, 2 the batch continues in the next frame, 4 has a cause |
//! | 1 | index within its barrier, from 0 |
//! | 8 | position |
//! | 8 | recorded at |
//! | 16 | id |
//! | 8 | happened at |
//! | 16 | correlation |
//! | 0 or 16 | cause |
//! | 2 | layout version of the payload |
//! | 1 + n | kind |
//! | 2 + n | payload, or the 32 bytes of its hash once it is purged |
//! | 32 | chain |
//!
//! The chain is the BLAKE3 hash of the previous chain, the cause flag, the bytes from position to kind (the envelope),
//! and the BLAKE3 hash of the payload. Only the payload's hash is hashed, so a purge can remove the payload without
//! breaking the chain.

use event_core::{EventId, MAX_PAYLOAD_BYTES, NewEvent, Payload, Position, Recorded, Timestamp};

use crate::chain::{self, Chain};

/// Flag: the payload was purged and its hash is stored instead.
pub(crate) const PURGED: u8 = 1;
/// Flag: the next frame belongs to the same batch.
pub(crate) const BATCH_CONTINUES: u8 = 2;
/// Flag: the event has a cause. The only flag that is hashed into the chain.
pub(crate) const HAS_CAUSE: u8 = 4;

/// Maximum length of an event kind in bytes; its length field has one byte.
pub(crate) const MAX_KIND_BYTES: usize = u8::MAX as usize;
/// Maximum length of a payload in bytes. Keeps frames below 16 KiB, from which on sled stores a value in a separate
/// file that it never syncs.
pub(crate) const MAX_PAYLOAD: usize = 4 * 1024;
const _: () = assert!(MAX_PAYLOAD as u64 == MAX_PAYLOAD_BYTES, "the codec and the frame agree on the largest payload");

/// Offsets of the fields from the start of the frame, in bytes. The length field is at offset 0.
mod offset {
    /// CRC-32 of all other bytes of the frame.
    pub(super) const CHECKSUM: usize = 4;
    /// [`PURGED`](super::PURGED), [`BATCH_CONTINUES`](super::BATCH_CONTINUES) and [`HAS_CAUSE`](super::HAS_CAUSE).
    pub(super) const FLAGS: usize = 8;
    /// Index of the event within its barrier.
    pub(super) const BARRIER_INDEX: usize = 9;
    /// Position of the event; start of the envelope.
    pub(super) const POSITION: usize = 10;
    /// Time at which the event was recorded.
    pub(super) const RECORDED_AT: usize = POSITION + 8;
    /// Id of the event.
    pub(super) const ID: usize = RECORDED_AT + 8;
    /// Time at which the event happened.
    pub(super) const HAPPENED_AT: usize = ID + 16;
    /// Id of the turn or session of the event.
    pub(super) const CORRELATION: usize = HAPPENED_AT + 8;
    /// Id of the causing event if there is one; otherwise the fields after it start here.
    pub(super) const CAUSE: usize = CORRELATION + 16;
}

/// Size of the length and checksum fields in bytes. The length field counts the bytes after them.
const PREFIX: usize = offset::FLAGS;
/// Size of the id of a causing event, in bytes.
const CAUSE_BYTES: usize = 16;
/// Size of the layout version and the length of the kind, which precede the kind, in bytes.
const VERSION_AND_KIND_LENGTH: usize = 2 + 1;
/// Size of the length of the payload, which precedes the payload, in bytes.
const PAYLOAD_LENGTH: usize = 2;
/// Size of the hash that replaces a purged payload, in bytes.
const HASH_BYTES: usize = 32;

/// Maximum size of the envelope, the fields from position to kind, in bytes.
pub(crate) const MAX_ENVELOPE: usize =
    offset::CAUSE - offset::POSITION + CAUSE_BYTES + VERSION_AND_KIND_LENGTH + MAX_KIND_BYTES;
/// Minimum size of a frame in bytes: without cause, kind and payload.
pub(crate) const MIN_FRAME: usize = offset::CAUSE + VERSION_AND_KIND_LENGTH + PAYLOAD_LENGTH + chain::SIZE;
/// Maximum size of a frame in bytes.
pub(crate) const MAX_FRAME: usize = MIN_FRAME + CAUSE_BYTES + MAX_KIND_BYTES + MAX_PAYLOAD;

/// The reason why bytes cannot be decoded as a journal frame (an encoded event).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The bytes end before the frame does; they may be its beginning.
    Incomplete,
    /// The bytes are not a frame; contains the reason, for messages.
    Invalid(&'static str),
}

/// A valid frame with the offsets of its variable fields. Borrows the bytes; fields are decoded by its methods.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// All bytes of the frame and no others.
    bytes: &'a [u8],
    /// Offset of the first byte of the kind.
    kind_offset: usize,
    /// Offset of the first byte of the payload or of its hash.
    payload_offset: usize,
}

/// Returns the size of the journal frame of an event with its payload, in bytes.
pub(crate) fn encoded_size(event: &NewEvent) -> usize {
    MIN_FRAME + event.causation.map_or(0, |_| CAUSE_BYTES) + event.kind.len() + event.payload.len()
}

/// Returns the size of the journal frame of a recorded event, in bytes. A purged payload has the size of its hash.
pub(crate) fn recorded_size(recorded: &Recorded) -> usize {
    encoded_size(&recorded.event) + recorded.purged.map_or(0, |hash| hash.len())
}

/// Appends the journal frame of an event to `into` and returns the event's hash chain value.
///
/// `barrier_index` is the index of the event among those written by the same disk sync, from 0. `batch_continues` is
/// set unless the event is the last of its batch. `previous` is the chain value of the preceding event. The caller must
/// have checked the lengths of kind and payload.
pub(crate) fn encode(
    into: &mut Vec<u8>,
    recorded: &Recorded,
    barrier_index: u8,
    batch_continues: bool,
    previous: Chain,
) -> Chain {
    let event = &recorded.event;
    let start = into.len();
    let cause_flag = if event.causation.is_some() { HAS_CAUSE } else { 0 };
    let purged_flag = if recorded.purged.is_some() { PURGED } else { 0 };
    let flags = cause_flag | purged_flag | if batch_continues { BATCH_CONTINUES } else { 0 };
    let payload = recorded.purged.as_ref().map_or(&*event.payload, |hash| &hash[..]);
    // Both lengths were checked when the event was staged.
    let kind_length = u8::try_from(event.kind.len()).unwrap_or(u8::MAX);
    let payload_length = u16::try_from(payload.len()).unwrap_or(u16::MAX);

    into.extend_from_slice(&length_field(recorded_size(recorded)));
    into.extend_from_slice(&[0; 4]);
    into.extend_from_slice(&[flags, barrier_index]);
    into.extend_from_slice(&recorded.position.0.to_le_bytes());
    into.extend_from_slice(&recorded.recorded_at.0.to_le_bytes());
    into.extend_from_slice(&event.id.0);
    into.extend_from_slice(&event.at.0.to_le_bytes());
    into.extend_from_slice(&event.correlation.0);
    if let Some(cause) = event.causation {
        into.extend_from_slice(&cause.0);
    }
    into.extend_from_slice(&event.version.to_le_bytes());
    into.push(kind_length);
    into.extend_from_slice(event.kind.as_bytes());
    let hash = recorded.purged.unwrap_or_else(|| *blake3::hash(&event.payload).as_bytes());
    let chain = previous.after_encoded(event.causation.is_some(), &into[start + offset::POSITION..], hash);
    into.extend_from_slice(&payload_length.to_le_bytes());
    into.extend_from_slice(payload);
    into.extend_from_slice(&chain.0);
    write_checksum(&mut into[start..]);
    chain
}

/// Encodes the length field of a frame that has `frame_bytes` bytes in total.
fn length_field(frame_bytes: usize) -> [u8; 4] {
    u32::try_from(frame_bytes - PREFIX).unwrap_or(u32::MAX).to_le_bytes()
}

/// Returns the length in bytes of the frame at the start of `bytes`, read from its length field alone; `None` if the
/// length is out of range or exceeds `bytes`. Verifies nothing else.
pub(crate) fn peek_length(bytes: &[u8]) -> Option<usize> {
    frame_length(*bytes.first_chunk()?).filter(|length| *length <= bytes.len())
}

/// Converts a length field into the length of the complete frame in bytes; `None` if it is below [`MIN_FRAME`] or above
/// [`MAX_FRAME`].
fn frame_length(length_field: [u8; 4]) -> Option<usize> {
    let length = usize::try_from(u32::from_le_bytes(length_field)).ok()?.checked_add(PREFIX)?;
    (MIN_FRAME..=MAX_FRAME).contains(&length).then_some(length)
}

/// Decodes the journal frame at the start of `bytes`. Verifies the checksum, the lengths and that the kind is UTF-8,
/// but not the hash chain.
pub(crate) fn decode(bytes: &[u8]) -> Result<Frame<'_>, FrameError> {
    let Some(length_field) = bytes.first_chunk::<4>() else { return Err(FrameError::Incomplete) };
    let Some(length) = frame_length(*length_field) else {
        return Err(FrameError::Invalid("the length is out of range"));
    };
    let Some(frame) = bytes.get(..length) else { return Err(FrameError::Incomplete) };
    if frame[offset::CHECKSUM..PREFIX] != checksum(frame) {
        return Err(FrameError::Invalid("the checksum does not match"));
    }
    Frame::locate_fields(frame).ok_or(FrameError::Invalid("the fields do not fit the length"))
}

impl<'a> Frame<'a> {
    /// Finds the variable-length fields of a journal frame; `None` if a flag is unknown, a length does not fit, or the
    /// kind is not UTF-8.
    fn locate_fields(bytes: &'a [u8]) -> Option<Self> {
        let flags = bytes[offset::FLAGS];
        if flags & !(PURGED | BATCH_CONTINUES | HAS_CAUSE) != 0 {
            return None;
        }
        let cause_bytes = if flags & HAS_CAUSE == 0 { 0 } else { CAUSE_BYTES };
        let kind_offset = offset::CAUSE + cause_bytes + VERSION_AND_KIND_LENGTH;
        let kind_end = kind_offset + usize::from(*bytes.get(kind_offset - 1)?);
        let payload_offset = kind_end + PAYLOAD_LENGTH;
        let payload_length = usize::from(u16::from_le_bytes(*bytes.get(kind_end..)?.first_chunk()?));
        let lengths_agree = payload_offset + payload_length + chain::SIZE == bytes.len();
        let is_payload_or_hash = flags & PURGED == 0 || payload_length == HASH_BYTES;
        let kind_is_text = std::str::from_utf8(bytes.get(kind_offset..kind_end)?).is_ok();
        (lengths_agree && is_payload_or_hash && kind_is_text).then_some(Self { bytes, kind_offset, payload_offset })
    }

    /// Returns the encoded frame.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the position of the event in the log.
    pub(crate) fn position(&self) -> Position {
        Position(u64::from_le_bytes(self.array(offset::POSITION)))
    }

    /// Returns the time at which the event was recorded.
    pub(crate) fn recorded_at(&self) -> Timestamp {
        Timestamp(u64::from_le_bytes(self.array(offset::RECORDED_AT)))
    }

    /// Returns the id of the event.
    pub(crate) fn id(&self) -> EventId {
        EventId(self.array(offset::ID))
    }

    /// Returns the index of the event within its barrier, from 0.
    pub(crate) fn barrier_index(&self) -> u8 {
        self.bytes[offset::BARRIER_INDEX]
    }

    /// Returns whether the next frame belongs to the same batch.
    pub(crate) fn batch_continues(&self) -> bool {
        self.bytes[offset::FLAGS] & BATCH_CONTINUES != 0
    }

    /// Returns whether the event has a cause.
    fn has_cause(&self) -> bool {
        self.bytes[offset::FLAGS] & HAS_CAUSE != 0
    }

    /// Returns the BLAKE3 hash of the payload if it was purged; `None` if the payload is present.
    pub(crate) fn purged(&self) -> Option<[u8; HASH_BYTES]> {
        (self.bytes[offset::FLAGS] & PURGED != 0).then(|| self.array(self.payload_offset))
    }

    /// Returns the stored payload, or its hash if it was purged.
    fn payload(&self) -> &'a [u8] {
        &self.bytes[self.payload_offset..self.bytes.len() - chain::SIZE]
    }

    /// Returns the BLAKE3 hash of the payload: the stored one if the payload was purged, a computed one otherwise.
    fn payload_hash(&self) -> [u8; HASH_BYTES] {
        self.purged().unwrap_or_else(|| *blake3::hash(self.payload()).as_bytes())
    }

    /// Returns the chain value stored in the frame, which may be wrong; see [`Frame::chain_after`].
    pub(crate) fn chain(&self) -> Chain {
        Chain(self.array(self.bytes.len() - chain::SIZE))
    }

    /// Computes the hash chain value of this event. `previous` is the value of the preceding event. The chain is intact
    /// if it equals [`Frame::chain`].
    pub(crate) fn chain_after(&self, previous: Chain) -> Chain {
        let envelope = &self.bytes[offset::POSITION..self.payload_offset - PAYLOAD_LENGTH];
        previous.after_encoded(self.has_cause(), envelope, self.payload_hash())
    }

    /// Appends the same event to `into` with a hash chain value that continues `previous`, as the only event of its
    /// batch and of its disk sync. Returns the new chain value.
    pub(crate) fn write_relinked(&self, into: &mut Vec<u8>, previous: Chain) -> Chain {
        let chain = self.chain_after(previous);
        let start = into.len();
        into.extend_from_slice(self.bytes);
        into[start + offset::FLAGS] &= !BATCH_CONTINUES;
        into[start + offset::BARRIER_INDEX] = 0;
        let chain_offset = into.len() - chain::SIZE;
        into[chain_offset..].copy_from_slice(&chain.0);
        write_checksum(&mut into[start..]);
        chain
    }

    /// Appends the same frame to `into` with the payload replaced by its hash. The hash chain value stays the same.
    pub(crate) fn write_purged(&self, into: &mut Vec<u8>) {
        let start = into.len();
        into.extend_from_slice(&length_field(self.payload_offset + HASH_BYTES + chain::SIZE));
        into.extend_from_slice(&self.bytes[offset::CHECKSUM..self.payload_offset - PAYLOAD_LENGTH]);
        into.extend_from_slice(&[32, 0]);
        into.extend_from_slice(&self.payload_hash());
        into.extend_from_slice(&self.chain().0);
        into[start + offset::FLAGS] |= PURGED;
        write_checksum(&mut into[start..]);
    }

    /// Decodes the recorded event in the frame. The payload of a purged event is empty, and [`Recorded::purged`] is its
    /// hash.
    pub(crate) fn to_recorded(self) -> Recorded {
        let kind_end = self.payload_offset - PAYLOAD_LENGTH;
        let kind = std::str::from_utf8(&self.bytes[self.kind_offset..kind_end]).unwrap_or_default();
        let purged = self.purged();
        let event = NewEvent {
            id: self.id(),
            at: Timestamp(u64::from_le_bytes(self.array(offset::HAPPENED_AT))),
            correlation: EventId(self.array(offset::CORRELATION)),
            causation: self.has_cause().then(|| EventId(self.array(offset::CAUSE))),
            kind: kind.to_owned().into(),
            version: u16::from_le_bytes(self.array(self.kind_offset - VERSION_AND_KIND_LENGTH)),
            payload: if purged.is_some() { Payload::default() } else { self.payload().into() },
        };
        Recorded::new(self.position(), self.recorded_at(), event).with_purged(purged)
    }

    /// Copies the `N` bytes at `offset`, which [`Frame::locate_fields`] has verified to be inside the frame.
    fn array<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes[offset..offset + N]);
        array
    }
}

/// Computes the checksum of a complete frame: the CRC-32 of all bytes except the checksum field, little-endian.
fn checksum(frame: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&frame[..offset::CHECKSUM]);
    hasher.update(&frame[PREFIX..]);
    hasher.finalize().to_le_bytes()
}

/// Computes the checksum of a complete frame and stores it in its checksum field.
fn write_checksum(frame: &mut [u8]) {
    let checksum = checksum(frame);
    frame[offset::CHECKSUM..PREFIX].copy_from_slice(&checksum);
}
