//! Entries of the states of projections in the index: parts of a state that have left memory, found by a key. A long
//! entry is split into pieces small enough for sled.

use super::{EVICTION_READS, Index, IndexFailure, MAX_PACK_BYTES};

/// Key prefix of the pieces of entries.
const ENTRY_PREFIX: u8 = b's';

/// Size of the header of an entry, in bytes: 4 for its length, 8 for the start of its hash.
const HEADER_BYTES: usize = 4 + 8;

/// Maximum number of keys removed in one batch.
const REMOVALS_PER_BATCH: usize = 1_024;

impl Index {
    /// Loads an entry; `None` if there is none. Fails if a piece is missing or the hash does not match.
    pub(crate) fn load_entry(&self, projection: &str, key: &str) -> Result<Option<Vec<u8>>, IndexFailure> {
        let prefix = entry_prefix(projection, key);
        let Some(first) = self.with_sled(|store| store.get(piece_key(&prefix, 0)))? else { return Ok(None) };
        let mut bytes = first.to_vec();
        let length = bytes.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize) + HEADER_BYTES;
        let mut number = 1;
        while bytes.len() < length {
            let Some(piece) = self.with_sled(|store| store.get(piece_key(&prefix, number)))? else { break };
            bytes.extend_from_slice(&piece);
            number += 1;
        }
        let state = bytes.get(HEADER_BYTES..length).unwrap_or_default();
        if bytes.get(..HEADER_BYTES) != Some(&header(state)[..]) {
            return Err(IndexFailure::new("an entry of a state is damaged".to_owned()));
        }
        Ok(Some(state.to_vec()))
    }

    /// Saves entries, and replaces earlier ones with the same keys. They are durable after the next [`Index::barrier`].
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn save_entries(&self, projection: &str, entries: &[(String, Vec<u8>)]) -> Result<(), IndexFailure> {
        let mut batch = sled::Batch::default();
        let mut keys = Vec::with_capacity(entries.len());
        for (key, state) in entries {
            let prefix = entry_prefix(projection, key);
            let bytes = [&header(state)[..], state].concat();
            for (number, piece) in (0..).zip(bytes.chunks(MAX_PACK_BYTES)) {
                batch.insert(&piece_key(&prefix, number)[..], piece);
            }
            keys.push(piece_key(&prefix, 0));
        }
        self.with_sled(|store| {
            store.apply_batch(batch)?;
            // As after `add_frames`, so that sled evicts the pages.
            (0..EVICTION_READS).flat_map(|_| &keys).try_for_each(|key| store.get(key).map(drop))
        })
    }

    /// Removes all entries of a projection.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn remove_entries(&self, projection: &str) -> Result<(), IndexFailure> {
        let prefix = projection_prefix(projection);
        loop {
            let removed_entries = self.with_sled(|store| {
                let keys = store.scan_prefix(&prefix).keys().take(REMOVALS_PER_BATCH);
                let keys = keys.collect::<sled::Result<Vec<_>>>()?;
                let mut batch = sled::Batch::default();
                for key in &keys {
                    batch.remove(key);
                }
                store.apply_batch(batch)?;
                Ok(keys.len())
            })?;
            if removed_entries < REMOVALS_PER_BATCH {
                return Ok(());
            }
        }
    }
}

/// Returns the header of an entry: its length and the start of its BLAKE3 hash.
fn header(state: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&u32::try_from(state.len()).unwrap_or(u32::MAX).to_le_bytes());
    header[4..].copy_from_slice(&blake3::hash(state).as_bytes()[..8]);
    header
}

/// Returns the key prefix of all entries of a projection.
fn projection_prefix(projection: &str) -> Vec<u8> {
    // The length separates the entries of `a` from those of `ab`.
    [&[ENTRY_PREFIX, u8::try_from(projection.len()).unwrap_or(u8::MAX)], projection.as_bytes()].concat()
}

/// Returns the key prefix of all pieces of an entry. It has the hash of the entry's key, which may be long.
fn entry_prefix(projection: &str, key: &str) -> Vec<u8> {
    [&projection_prefix(projection)[..], &blake3::hash(key.as_bytes()).as_bytes()[..16]].concat()
}

/// Returns the key of piece number `number`, from 0, of an entry.
fn piece_key(prefix: &[u8], number: u32) -> Vec<u8> {
    [prefix, &number.to_be_bytes()].concat()
}
