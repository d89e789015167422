//! Checkpoints of projections in the index. A checkpoint is split into pieces small enough for sled. It is replaced
//! atomically: a new generation of pieces is written before the header that names it.

use std::borrow::Cow;

use event_core::{Checkpoint, Position};

use super::{Index, IndexFailure};

/// Maximum size of a piece in bytes; far below the 16 KiB from which on sled uses a separate file that it never syncs.
const MAX_PIECE_BYTES: usize = 4 * 1024;

/// Maximum number of pieces written under one barrier: 124 KiB.
const PIECES_PER_BARRIER: usize = 31;

/// Maximum number of keys of old generations removed under one barrier.
const REMOVALS_PER_BARRIER: usize = 256;

/// Maximum length of a checkpoint's name in keys, in bytes; a longer name is replaced by its hash.
const MAX_NAME_BYTES: usize = 128;

/// Key prefix of the headers of checkpoints.
const HEADER_PREFIX: u8 = b'n';
/// Key prefix of the pieces of checkpoints.
const PIECE_PREFIX: u8 = b'c';

/// Header of a checkpoint: describes one complete generation of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    /// Number of the generation. Every save of the checkpoint increments it.
    generation: u64,
    /// Version of the projection.
    version: u32,
    /// Position of the last event folded into the state.
    position: Position,
    /// Number of pieces; 0 for an empty state.
    pieces: u32,
    /// Hash of the checkpoint, see [`hash`].
    hash: [u8; 32],
}

/// Size of an encoded header, in bytes.
const HEADER_BYTES: usize = 8 + 4 + 8 + 4 + 32;

impl Header {
    /// Encodes the header of a checkpoint as bytes, in little-endian order.
    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&self.generation.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.position.0.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.pieces.to_le_bytes());
        bytes[24..].copy_from_slice(&self.hash);
        bytes
    }

    /// Decodes a checkpoint's header; `None` if the length is wrong.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (generation, rest) = bytes.split_first_chunk()?;
        let (version, rest) = rest.split_first_chunk()?;
        let (position, rest) = rest.split_first_chunk()?;
        let (pieces, hash) = rest.split_first_chunk()?;
        Some(Self {
            generation: u64::from_le_bytes(*generation),
            version: u32::from_le_bytes(*version),
            position: Position(u64::from_le_bytes(*position)),
            pieces: u32::from_le_bytes(*pieces),
            hash: hash.try_into().ok()?,
        })
    }
}

impl Index {
    /// Loads the checkpoint of a projection saved under a name; `None` if there is none, a piece is missing or its hash
    /// does not match.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, IndexFailure> {
        let Some(header) = self.header(name)? else { return Ok(None) };
        let mut state = Vec::new();
        for number in 0..header.pieces {
            let key = piece_key(name, header.generation, number);
            let Some(piece) = self.with_sled(|store| store.get(&key))? else { return Ok(None) };
            state.extend_from_slice(&piece);
        }
        let checkpoint = Checkpoint { version: header.version, position: header.position, state };
        if hash(&checkpoint) != header.hash {
            tracing::warn!(name, "a checkpoint is damaged and is ignored");
            return Ok(None);
        }
        Ok(Some(checkpoint))
    }

    /// Prepares to save a checkpoint under a name as a new generation of pieces. Writes nothing yet; the caller calls
    /// [`CheckpointWriter::write_part`] until it returns false.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn checkpoint_writer<'a>(
        &'a self,
        name: &'a str,
        checkpoint: &'a Checkpoint,
    ) -> Result<CheckpointWriter<'a>, IndexFailure> {
        let pieces: Vec<&[u8]> = checkpoint.state.chunks(MAX_PIECE_BYTES).collect();
        let header = Header {
            generation: self.header(name)?.map_or(0, |header| header.generation).wrapping_add(1),
            version: checkpoint.version,
            position: checkpoint.position,
            pieces: u32::try_from(pieces.len()).unwrap_or(u32::MAX),
            hash: hash(checkpoint),
        };
        Ok(CheckpointWriter { index: self, name, header, pieces, written: 0, stale_keys: None })
    }

    /// Copies the checkpoints without state (the positions of reactors) from another index, durably.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn copy_positions(&self, from: &Self) -> Result<(), IndexFailure> {
        let headers = from.with_sled(|store| store.scan_prefix([HEADER_PREFIX]).collect::<sled::Result<Vec<_>>>())?;
        let without_state = headers
            .into_iter()
            .filter(|(_, header)| Header::from_bytes(header).is_some_and(|header| header.pieces == 0));
        for (key, header) in without_state {
            self.with_sled(|store| store.insert(key, header))?;
        }
        self.barrier()
    }

    /// Reads the header of the checkpoint saved under `name`; `None` if there is none or it cannot be decoded.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    fn header(&self, name: &str) -> Result<Option<Header>, IndexFailure> {
        let bytes = self.with_sled(|store| store.get(header_key(name)))?;
        Ok(bytes.and_then(|bytes| Header::from_bytes(&bytes)))
    }
}

/// A checkpoint that is being written to the index, some pieces with each disk sync: first its pieces with the header,
/// then the removal of the pieces of earlier generations.
pub(crate) struct CheckpointWriter<'a> {
    /// The index to write to.
    index: &'a Index,
    /// Name of the checkpoint.
    name: &'a str,
    /// Header of the new generation.
    header: Header,
    /// Pieces of the encoded state.
    pieces: Vec<&'a [u8]>,
    /// Number of pieces that are written.
    written: usize,
    /// Keys of other generations that are still to be removed; `None` until the new generation is complete.
    stale_keys: Option<Vec<sled::IVec>>,
}

impl CheckpointWriter<'_> {
    /// Writes as many pieces of the checkpoint as one disk sync covers, and makes them durable. Returns true if more
    /// remains to be written or removed. The new checkpoint replaces the old one with the last of its pieces.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn write_part(&mut self) -> Result<bool, IndexFailure> {
        let mut batch = sled::Batch::default();
        if let Some(stale_keys) = &mut self.stale_keys {
            let first_removed = stale_keys.len().saturating_sub(REMOVALS_PER_BARRIER);
            stale_keys.drain(first_removed..).for_each(|key| batch.remove(key));
        } else {
            for piece in self.pieces.iter().skip(self.written).take(PIECES_PER_BARRIER) {
                let number = u32::try_from(self.written).unwrap_or(u32::MAX);
                batch.insert(piece_key(self.name, self.header.generation, number), *piece);
                self.written += 1;
            }
            if self.written == self.pieces.len() {
                // In the same batch as the last pieces, so a header without its pieces cannot exist.
                batch.insert(header_key(self.name), &self.header.to_bytes()[..]);
            }
        }
        self.index.with_sled(|store| store.apply_batch(batch))?;
        self.index.barrier()?;
        if self.stale_keys.is_none() && self.written == self.pieces.len() {
            self.stale_keys = Some(self.find_stale_keys()?);
        }
        Ok(self.stale_keys.as_ref().is_none_or(|keys| !keys.is_empty()))
    }

    /// Returns the database keys of the pieces of all other generations of this checkpoint.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    fn find_stale_keys(&self) -> Result<Vec<sled::IVec>, IndexFailure> {
        let prefix = piece_prefix(self.name);
        let first_key = piece_key(self.name, self.header.generation, 0);
        let generation_prefix = &first_key[..prefix.len() + 8];
        self.index.with_sled(|store| {
            let keys = store.scan_prefix(&prefix).keys();
            keys.filter(|key| !key.as_ref().is_ok_and(|key| key.starts_with(generation_prefix))).collect()
        })
    }
}

/// Returns the BLAKE3 hash of the version, position and state of a checkpoint.
fn hash(checkpoint: &Checkpoint) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&checkpoint.version.to_le_bytes());
    hasher.update(&checkpoint.position.0.to_le_bytes());
    hasher.update(&checkpoint.state);
    *hasher.finalize().as_bytes()
}

/// Returns the form of a checkpoint's name that keys contain: the name, or its hash if it is longer than
/// [`MAX_NAME_BYTES`].
fn key_name(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES { name.into() } else { blake3::hash(name.as_bytes()).to_string().into() }
}

/// Returns the key of the header of the checkpoint `name`.
fn header_key(name: &str) -> Vec<u8> {
    [&[HEADER_PREFIX], key_name(name).as_bytes()].concat()
}

/// Returns the key prefix of all pieces of the checkpoint `name`, of any generation.
fn piece_prefix(name: &str) -> Vec<u8> {
    // The length separates the pieces of `a` from those of `ab`.
    let name = key_name(name);
    [&[PIECE_PREFIX, u8::try_from(name.len()).unwrap_or(u8::MAX)], name.as_bytes()].concat()
}

/// Returns the key of piece number `number`, from 0, of a generation of a checkpoint.
fn piece_key(name: &str, generation: u64, number: u32) -> Vec<u8> {
    [&piece_prefix(name)[..], &generation.to_be_bytes(), &number.to_be_bytes()].concat()
}
