//! Checkpoints in the index: split into pieces small enough for sled and replaced atomically.

use std::borrow::Cow;

use event_core::{Checkpoint, Position};

use super::{Failure, Index};

/// The largest piece, in bytes; far below the 16 KiB above which sled uses a separate file that it never syncs.
const PIECE: usize = 4 * 1024;

/// The number of pieces written under one barrier: 124 KiB.
const PIECES: usize = 31;

/// The number of keys of an old generation removed under one barrier.
const OLD_PIECES: usize = 256;

/// The longest name that is used in keys, in bytes; longer names are replaced by their hash.
const MAX_NAME: usize = 128;

const NAME: u8 = b'n';
const STATE: u8 = b'c';

/// The header of a checkpoint: describes one complete generation of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label {
    /// Incremented by every save.
    generation: u64,
    /// Version of the projection.
    version: u32,
    /// Position of the checkpoint.
    position: Position,
    /// Number of pieces of the state.
    pieces: u32,
    /// Hash of version, position and state.
    hash: [u8; 32],
}

const LABEL: usize = 8 + 4 + 8 + 4 + 32;

impl Label {
    fn to_bytes(self) -> [u8; LABEL] {
        let mut bytes = [0; LABEL];
        bytes[..8].copy_from_slice(&self.generation.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.position.0.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.pieces.to_le_bytes());
        bytes[24..].copy_from_slice(&self.hash);
        bytes
    }

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
    /// Loads the checkpoint saved under a name; `None` if there is none or its hash does not match.
    pub(crate) fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, Failure> {
        let Some(label) = self.label(name)? else { return Ok(None) };
        let mut state = Vec::new();
        for number in 0..label.pieces {
            let key = piece_key(name, label.generation, number);
            let Some(piece) = self.call(|store| store.get(&key))? else { return Ok(None) };
            state.extend_from_slice(&piece);
        }
        let checkpoint = Checkpoint { version: label.version, position: label.position, state };
        if hash(&checkpoint) != label.hash {
            tracing::warn!(name, "a checkpoint is damaged and is ignored");
            return Ok(None);
        }
        Ok(Some(checkpoint))
    }

    /// Prepares to save a checkpoint under a name; [`Save::step`] writes it.
    pub(crate) fn save<'a>(&'a self, name: &'a str, checkpoint: &'a Checkpoint) -> Result<Save<'a>, Failure> {
        let pieces: Vec<&[u8]> = checkpoint.state.chunks(PIECE).collect();
        let label = Label {
            generation: self.label(name)?.map_or(0, |label| label.generation).wrapping_add(1),
            version: checkpoint.version,
            position: checkpoint.position,
            pieces: u32::try_from(pieces.len()).unwrap_or(u32::MAX),
            hash: hash(checkpoint),
        };
        Ok(Save { index: self, name, label, pieces, written: 0, rest: None })
    }

    /// Copies the checkpoints without state, such as positions of reactors, from another index.
    pub(crate) fn take_places(&self, from: &Self) -> Result<(), Failure> {
        let labels = from.call(|store| store.scan_prefix([NAME]).collect::<sled::Result<Vec<_>>>())?;
        let places =
            labels.into_iter().filter(|(_, label)| Label::from_bytes(label).is_some_and(|label| label.pieces == 0));
        for (name, label) in places {
            self.call(|store| store.insert(name, label))?;
        }
        self.barrier()
    }

    fn label(&self, name: &str) -> Result<Option<Label>, Failure> {
        let bytes = self.call(|store| store.get(name_key(name)))?;
        Ok(bytes.and_then(|bytes| Label::from_bytes(&bytes)))
    }
}

/// A checkpoint that is being written, one barrier at a time.
pub(crate) struct Save<'a> {
    /// The index that is written to.
    index: &'a Index,
    /// Name of the checkpoint.
    name: &'a str,
    /// Header of the new generation.
    label: Label,
    /// Pieces of the state.
    pieces: Vec<&'a [u8]>,
    /// Number of pieces written so far.
    written: usize,
    /// Keys of other generations, to be removed; `None` until the new generation is complete.
    rest: Option<Vec<sled::IVec>>,
}

impl Save<'_> {
    /// Writes as much as one barrier covers and makes it durable. Returns whether more remains.
    pub(crate) fn step(&mut self) -> Result<bool, Failure> {
        let mut batch = sled::Batch::default();
        if let Some(rest) = &mut self.rest {
            let kept = rest.len().saturating_sub(OLD_PIECES);
            rest.drain(kept..).for_each(|key| batch.remove(key));
        } else {
            for piece in self.pieces.iter().skip(self.written).take(PIECES) {
                let number = u32::try_from(self.written).unwrap_or(u32::MAX);
                batch.insert(piece_key(self.name, self.label.generation, number), *piece);
                self.written += 1;
            }
            if self.written == self.pieces.len() {
                // In the same batch as the last pieces, so a header without its pieces cannot exist.
                batch.insert(name_key(self.name), &self.label.to_bytes()[..]);
            }
        }
        self.index.call(|store| store.apply_batch(batch))?;
        self.index.barrier()?;
        if self.rest.is_none() && self.written == self.pieces.len() {
            self.rest = Some(self.others()?);
        }
        Ok(self.rest.as_ref().is_none_or(|rest| !rest.is_empty()))
    }

    /// Returns the keys of all other generations of this name, which are removed when the new one is complete.
    fn others(&self) -> Result<Vec<sled::IVec>, Failure> {
        let prefix = piece_prefix(self.name);
        let own = piece_key(self.name, self.label.generation, 0);
        let own = &own[..prefix.len() + 8];
        self.index.call(|store| {
            let keys = store.scan_prefix(&prefix).keys();
            keys.filter(|key| !key.as_ref().is_ok_and(|key| key.starts_with(own))).collect()
        })
    }
}

/// Returns the hash of a checkpoint: version, position and state.
fn hash(checkpoint: &Checkpoint) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&checkpoint.version.to_le_bytes());
    hasher.update(&checkpoint.position.0.to_le_bytes());
    hasher.update(&checkpoint.state);
    *hasher.finalize().as_bytes()
}

/// Returns the name in keys: the name itself, or its hash if it is too long.
fn short(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME { name.into() } else { blake3::hash(name.as_bytes()).to_string().into() }
}

fn name_key(name: &str) -> Vec<u8> {
    [&[NAME], short(name).as_bytes()].concat()
}

fn piece_prefix(name: &str) -> Vec<u8> {
    // The length keeps the pieces of `a` apart from those of `ab`.
    let name = short(name);
    [&[STATE, u8::try_from(name.len()).unwrap_or(u8::MAX)], name.as_bytes()].concat()
}

fn piece_key(name: &str, generation: u64, number: u32) -> Vec<u8> {
    [&piece_prefix(name)[..], &generation.to_be_bytes(), &number.to_be_bytes()].concat()
}
