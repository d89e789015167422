//! The files that a reader remembers, and their encoding.

use std::{cmp::Ordering, collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use skills::{Finding, Skill};

use crate::stamp::Stamp;

/// The first bytes of an encoded cache. They change with the layout of [`CachedFile`].
const FORMAT: &[u8] = b"turnwise skill cache 2\n";
/// The length of a BLAKE3 hash in bytes.
const HASH_BYTES: usize = 32;
/// The name of the encoding in errors.
const NAME: &str = "skill cache";

/// A `SKILL.md` as it was last read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CachedFile {
    /// Identity, length and times of the file when it was read.
    pub(crate) stamp: Stamp,
    /// Whether an equal stamp implies equal content.
    pub(crate) settled: bool,
    /// The last valid skill of the file; `None` if it never had one.
    pub(crate) skill: Option<Skill>,
    /// The problems of the file.
    pub(crate) findings: Vec<Finding>,
}

/// The files that a reader remembers, by path.
pub(crate) type CachedFiles = BTreeMap<FilePath, CachedFile>;

/// A path that is compared byte by byte. A [`PathBuf`] is split into its components for every comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct FilePath(pub(crate) PathBuf);

impl PartialEq for FilePath {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for FilePath {}

impl Ord for FilePath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.as_os_str().as_encoded_bytes().cmp(other.0.as_os_str().as_encoded_bytes())
    }
}

impl PartialOrd for FilePath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An error of encoding or decoding a cache. A cache that cannot be decoded can be deleted.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The bytes are no cache of this version, or they are damaged.
    #[error("not a cache of skills of this version, or damaged")]
    Invalid,
    /// The entries cannot be encoded or decoded.
    #[error("the entries of the cache of skills are invalid")]
    Entries(#[from] event_core::CodecError),
}

/// Encodes files with a checksum.
pub(crate) fn encode(files: &CachedFiles) -> Result<Vec<u8>, CacheError> {
    let entries = event_core::encode_state(NAME, files)?;
    let mut bytes = Vec::with_capacity(FORMAT.len() + HASH_BYTES + entries.len());
    bytes.extend_from_slice(FORMAT);
    bytes.extend_from_slice(blake3::hash(&entries).as_bytes());
    bytes.extend_from_slice(&entries);
    Ok(bytes)
}

/// Decodes the result of [`encode`].
pub(crate) fn decode(bytes: &[u8]) -> Result<CachedFiles, CacheError> {
    let (hash, entries) =
        bytes.strip_prefix(FORMAT).and_then(|rest| rest.split_at_checked(HASH_BYTES)).ok_or(CacheError::Invalid)?;
    if blake3::hash(entries).as_bytes() != hash {
        return Err(CacheError::Invalid);
    }
    Ok(event_core::decode_state(NAME, entries)?)
}
