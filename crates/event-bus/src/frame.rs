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
//! The chain is the BLAKE3 hash of the previous chain, the cause flag, the bytes from position to kind, and the BLAKE3
//! hash of the payload. Only the payload's hash is hashed, so a purge can remove the payload without breaking the chain.

use event_core::{EventId, MAX_PAYLOAD_BYTES, NewEvent, Payload, Position, Recorded, Timestamp};

use crate::chain::{self, Chain};

/// Flag: the payload was purged and its hash is stored instead.
pub(crate) const PURGED: u8 = 1;
/// Flag: the next frame belongs to the same batch.
pub(crate) const GOES_ON: u8 = 2;
/// Flag: the event has a cause. The only flag that is hashed into the chain.
pub(crate) const CAUSED: u8 = 4;

/// The longest event kind, in bytes.
pub(crate) const MAX_KIND_BYTES: usize = u8::MAX as usize;
/// The largest payload, in bytes. Keeps frames below the 16 KiB above which sled stores a value in a separate file.
pub(crate) const MAX_PAYLOAD: usize = 4 * 1024;
const _: () = assert!(MAX_PAYLOAD as u64 == MAX_PAYLOAD_BYTES, "the codec and the frame agree on the largest payload");

/// Size of the length and checksum fields, in bytes.
const PREFIX: usize = 8;
/// Size of the flags and the index within the barrier, which are not hashed, in bytes.
const MARKS: usize = 2;
/// Size of position, both timestamps, id and correlation, in bytes.
const FIXED: usize = 8 + 8 + 16 + 8 + 16;
const CHAIN: usize = chain::BYTES;
/// The largest size of the fields from position to kind, in bytes.
pub(crate) const MAX_ENVELOPE: usize = FIXED + 16 + 2 + 1 + MAX_KIND_BYTES;
/// Size of a frame without kind, cause and payload, in bytes.
const BARE: usize = PREFIX + MARKS + FIXED + 2 + 1 + 2 + CHAIN;
/// The smallest and the largest frame, in bytes.
pub(crate) const MIN_FRAME: usize = BARE;
pub(crate) const MAX_FRAME: usize = BARE + 16 + MAX_KIND_BYTES + MAX_PAYLOAD;

/// Reason why bytes of the journal cannot be decoded as a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The bytes end before the frame does.
    Incomplete,
    /// The bytes are not a frame, for the given reason.
    Invalid(&'static str),
}

/// A decoded view of a frame that borrows its bytes; fields are decoded on access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The encoded frame.
    bytes: &'a [u8],
    /// Index of the kind in `bytes`.
    kind_at: usize,
    /// Index of the payload in `bytes`.
    payload_at: usize,
}

/// Returns the size of the frame of an event with its payload, in bytes.
pub(crate) fn size(event: &NewEvent) -> usize {
    BARE + event.causation.map_or(0, |_| 16) + event.kind.len() + event.payload.len()
}

/// Returns the size of the frame of a recorded event, in bytes. A purged payload takes the size of its hash.
pub(crate) fn size_of(recorded: &Recorded) -> usize {
    size(&recorded.event) + recorded.purged.map_or(0, |hash| hash.len())
}

/// Appends the frame of an event to `into` and returns its chain. `place` is the index within the barrier, from 0.
pub(crate) fn write(into: &mut Vec<u8>, recorded: &Recorded, place: u8, goes_on: bool, before: Chain) -> Chain {
    let event = &recorded.event;
    let start = into.len();
    let caused = if event.causation.is_some() { CAUSED } else { 0 };
    let purged = if recorded.purged.is_some() { PURGED } else { 0 };
    let flags = caused | purged | if goes_on { GOES_ON } else { 0 };
    let payload = recorded.purged.as_ref().map_or(&*event.payload, |hash| &hash[..]);
    // Both lengths were checked when the event was staged.
    let kind_length = u8::try_from(event.kind.len()).unwrap_or(u8::MAX);
    let payload_length = u16::try_from(payload.len()).unwrap_or(u16::MAX);
    let length = u32::try_from(size_of(recorded) - PREFIX).unwrap_or(u32::MAX).to_le_bytes();

    into.extend_from_slice(&length);
    into.extend_from_slice(&[0; 4]);
    into.extend_from_slice(&[flags, place]);
    let envelope = into.len();
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
    let chain = before.link(event.causation.is_some(), &into[envelope..], hash);
    into.extend_from_slice(&payload_length.to_le_bytes());
    into.extend_from_slice(payload);
    into.extend_from_slice(&chain.0);
    let checksum = checksum(length, &into[start + PREFIX..]);
    into[start + 4..start + PREFIX].copy_from_slice(&checksum);
    chain
}

/// Returns the length of the frame at the start of `bytes` from its length field alone, in bytes; `None` if the length
/// is out of range or exceeds `bytes`.
pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
    total(*bytes.first_chunk()?).filter(|total| *total <= bytes.len())
}

/// Converts the length field into the length of the whole frame; `None` if it is out of range.
fn total(length: [u8; 4]) -> Option<usize> {
    let total = usize::try_from(u32::from_le_bytes(length)).ok()?.checked_add(PREFIX)?;
    (MIN_FRAME..=MAX_FRAME).contains(&total).then_some(total)
}

/// Decodes the frame at the start of `bytes`. Verifies the checksum, the lengths and UTF-8, but not the chain.
pub(crate) fn read(bytes: &[u8]) -> Result<Frame<'_>, Flaw> {
    let Some(length) = bytes.first_chunk::<4>() else { return Err(Flaw::Incomplete) };
    let Some(total) = total(*length) else { return Err(Flaw::Invalid("the length is out of range")) };
    let Some(whole) = bytes.get(..total) else { return Err(Flaw::Incomplete) };
    if whole[4..PREFIX] != checksum(*length, &whole[PREFIX..]) {
        return Err(Flaw::Invalid("the checksum does not match"));
    }
    Frame::lay_out(whole).ok_or(Flaw::Invalid("the fields do not fit the length"))
}

impl<'a> Frame<'a> {
    /// Locates the fields of a frame; `None` if flags, lengths or UTF-8 are invalid.
    fn lay_out(bytes: &'a [u8]) -> Option<Self> {
        let flags = bytes[PREFIX];
        if flags & !(PURGED | GOES_ON | CAUSED) != 0 {
            return None;
        }
        let kind_at = PREFIX + MARKS + FIXED + if flags & CAUSED == 0 { 0 } else { 16 } + 3;
        let payload_at = kind_at + usize::from(*bytes.get(kind_at - 1)?) + 2;
        let length = u16::from_le_bytes(*bytes.get(payload_at - 2..)?.first_chunk()?);
        let fits = payload_at + usize::from(length) + CHAIN == bytes.len();
        let purged_by_hash = flags & PURGED == 0 || length == 32;
        let text = std::str::from_utf8(bytes.get(kind_at..payload_at - 2)?).is_ok();
        (fits && purged_by_hash && text).then_some(Self { bytes, kind_at, payload_at })
    }

    /// Returns the encoded frame.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn position(&self) -> Position {
        Position(u64::from_le_bytes(self.array(PREFIX + MARKS)))
    }

    pub(crate) fn recorded_at(&self) -> Timestamp {
        Timestamp(u64::from_le_bytes(self.array(PREFIX + MARKS + 8)))
    }

    pub(crate) fn id(&self) -> EventId {
        EventId(self.array(PREFIX + MARKS + 16))
    }

    /// Returns the index of the event within its barrier, from 0.
    pub(crate) fn place(&self) -> u8 {
        self.bytes[PREFIX + 1]
    }

    /// Returns whether the next frame belongs to the same batch.
    pub(crate) fn goes_on(&self) -> bool {
        self.bytes[PREFIX] & GOES_ON != 0
    }

    /// Returns the hash of the payload if it was purged.
    pub(crate) fn purged(&self) -> Option<[u8; 32]> {
        (self.bytes[PREFIX] & PURGED != 0).then(|| self.array(self.payload_at))
    }

    /// Returns the BLAKE3 hash of the payload: stored if it was purged, computed otherwise.
    fn payload_hash(&self) -> [u8; 32] {
        let payload = &self.bytes[self.payload_at..self.bytes.len() - CHAIN];
        self.purged().unwrap_or_else(|| *blake3::hash(payload).as_bytes())
    }

    /// Returns the chain stored in the frame.
    pub(crate) fn chain(&self) -> Chain {
        Chain(self.array(self.bytes.len() - CHAIN))
    }

    /// Computes the chain that follows from the previous one.
    pub(crate) fn chain_after(&self, before: Chain) -> Chain {
        let hash = self.payload_hash();
        let caused = self.bytes[PREFIX] & CAUSED != 0;
        before.link(caused, &self.bytes[PREFIX + MARKS..self.payload_at - 2], hash)
    }

    /// Appends the same event with a chain that continues `before`, as a batch and barrier of one, and returns its chain.
    pub(crate) fn rewrite(&self, into: &mut Vec<u8>, before: Chain) -> Chain {
        let chain = self.chain_after(before);
        let start = into.len();
        into.extend_from_slice(self.bytes);
        into[start + PREFIX] &= !GOES_ON;
        into[start + PREFIX + 1] = 0;
        let chain_at = into.len() - CHAIN;
        into[chain_at..].copy_from_slice(&chain.0);
        let mut length = [0; 4];
        length.copy_from_slice(&self.bytes[..4]);
        let checksum = checksum(length, &into[start + PREFIX..]);
        into[start + 4..start + PREFIX].copy_from_slice(&checksum);
        chain
    }

    /// Appends the same frame with the payload replaced by its hash.
    pub(crate) fn purge(&self, into: &mut Vec<u8>) {
        let hash = self.payload_hash();
        let start = into.len();
        let bytes = self.payload_at + hash.len() + CHAIN;
        let length = u32::try_from(bytes - PREFIX).unwrap_or(u32::MAX).to_le_bytes();
        into.extend_from_slice(&length);
        into.extend_from_slice(&self.bytes[4..self.payload_at - 2]);
        into.extend_from_slice(&[32, 0]);
        into.extend_from_slice(&hash);
        into.extend_from_slice(&self.chain().0);
        into[start + PREFIX] |= PURGED;
        let checksum = checksum(length, &into[start + PREFIX..]);
        into[start + 4..start + PREFIX].copy_from_slice(&checksum);
    }

    /// Decodes the event. The payload of a purged event is empty.
    pub(crate) fn event(&self) -> Recorded {
        let cause_at = PREFIX + MARKS + FIXED;
        let caused = self.bytes[PREFIX] & CAUSED != 0;
        let kind = std::str::from_utf8(&self.bytes[self.kind_at..self.payload_at - 2]).unwrap_or_default();
        let payload = &self.bytes[self.payload_at..self.bytes.len() - CHAIN];
        let purged = self.purged();
        let event = NewEvent {
            id: self.id(),
            at: Timestamp(u64::from_le_bytes(self.array(PREFIX + MARKS + 32))),
            correlation: EventId(self.array(PREFIX + MARKS + 40)),
            causation: caused.then(|| EventId(self.array(cause_at))),
            kind: kind.to_owned().into(),
            version: u16::from_le_bytes(self.array(self.kind_at - 3)),
            payload: if purged.is_some() { Payload::default() } else { payload.into() },
        };
        Recorded::new(self.position(), self.recorded_at(), event).with_purged(purged)
    }

    /// Copies `N` bytes at an offset that [`Frame::lay_out`] has verified.
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes[at..at + N]);
        array
    }
}

/// Returns the CRC-32 of the length field and of everything after the checksum field.
fn checksum(length: [u8; 4], rest: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length);
    hasher.update(rest);
    hasher.finalize().to_le_bytes()
}
