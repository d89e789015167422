//! [`Run`], a sorted list of keys with positions in a file without a name.

use std::{
    cmp::Ordering,
    fs::File,
    io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _},
    iter::Peekable,
    num::NonZeroU32,
    os::unix::fs::FileExt as _,
    path::Path,
    sync::Arc,
};

use super::filter::Filter;

/// A key and the position that is stored under it. A key may have several positions.
pub(super) type Entry = (u32, NonZeroU32);

/// Size of an entry in the file, in bytes: key and position in little-endian order.
const ENTRY_BYTES: usize = 8;

/// Number of entries that a lookup reads at once: 4 KiB.
const PAGE_ENTRIES: usize = 512;

/// Number of bytes that are read or written at once when files are merged.
const BUFFER_BYTES: usize = 64 * 1024;

/// A list of entries in the order of their keys, in a file that has no name and disappears with the process. Clones share
/// the file.
#[derive(Debug, Clone)]
pub(super) struct Run(Arc<Content>);

/// The file of a run, and what is in memory of it.
#[derive(Debug)]
struct Content {
    /// The file.
    file: File,
    /// Number of entries.
    entries: usize,
    /// The first key of each page.
    first_keys: Vec<u32>,
    /// The keys of all entries.
    filter: Filter,
}

impl Run {
    /// Writes a file with entries, which must be in the order of their keys. `capacity` is at least their number.
    ///
    /// # Errors
    /// If the file cannot be created in `directory` or written, or the iterator returns an error.
    pub(super) fn write(
        directory: &Path,
        capacity: usize,
        entries: impl Iterator<Item = io::Result<Entry>>,
    ) -> io::Result<Self> {
        let mut writer = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(directory)?);
        let mut first_keys = Vec::with_capacity(capacity.div_ceil(PAGE_ENTRIES));
        let (mut filter, mut count) = (Filter::with_capacity(capacity), 0);
        for entry in entries {
            let (key, position) = entry?;
            if count % PAGE_ENTRIES == 0 {
                first_keys.push(key);
            }
            filter.insert(key);
            writer.write_all(&key.to_le_bytes())?;
            writer.write_all(&position.get().to_le_bytes())?;
            count += 1;
        }
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Self(Arc::new(Content { file, entries: count, first_keys, filter })))
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.0.entries
    }

    /// Returns whether a lookup of a key reads the file.
    pub(super) fn may_contain(&self, key: u32) -> bool {
        self.0.filter.may_contain(key)
    }

    /// Appends the positions of a key to `positions`.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn find(&self, key: u32, positions: &mut Vec<event_core::Position>) -> io::Result<()> {
        if !self.may_contain(key) {
            return Ok(());
        }
        // The entries of a key may begin in the page before the first one that starts with it.
        let first_page = self.0.first_keys.partition_point(|first| *first < key).saturating_sub(1);
        for page in first_page..self.0.first_keys.len() {
            let start = page * PAGE_ENTRIES;
            let mut bytes = vec![0; ENTRY_BYTES * PAGE_ENTRIES.min(self.len() - start)];
            self.0.file.read_exact_at(&mut bytes, (start * ENTRY_BYTES) as u64)?;
            for (entry_key, position) in bytes.as_chunks().0.iter().copied().filter_map(decode) {
                match entry_key.cmp(&key) {
                    Ordering::Less => {}
                    Ordering::Equal => positions.push(event_core::Position(u64::from(position.get()))),
                    Ordering::Greater => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Returns all entries, read from the file, in the order of their keys.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<Entry>> + use<>> {
        // Lookups do not use the offset of the file.
        let mut file = self.0.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok((0..self.len()).map(move |_| {
            let mut bytes = [0; ENTRY_BYTES];
            reader.read_exact(&mut bytes)?;
            decode(bytes).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a position in a file of ids is 0"))
        }))
    }
}

/// Decodes an entry; `None` if its position is 0, which none has.
fn decode(bytes: [u8; ENTRY_BYTES]) -> Option<Entry> {
    let [k0, k1, k2, k3, p0, p1, p2, p3] = bytes;
    Some((u32::from_le_bytes([k0, k1, k2, k3]), NonZeroU32::new(u32::from_le_bytes([p0, p1, p2, p3]))?))
}

/// Merges two iterators whose entries are in the order of their keys.
pub(super) fn merge(
    first: impl Iterator<Item = io::Result<Entry>>,
    second: impl Iterator<Item = io::Result<Entry>>,
) -> impl Iterator<Item = io::Result<Entry>> {
    /// Returns the key of the next entry; `None` at the end. An error comes first.
    fn next_key(entries: &mut Peekable<impl Iterator<Item = io::Result<Entry>>>) -> Option<u32> {
        entries.peek().map(|entry| entry.as_ref().map_or(0, |(key, _)| *key))
    }
    let (mut first, mut second) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || match (next_key(&mut first), next_key(&mut second)) {
        (Some(key), Some(other)) if other < key => second.next(),
        (Some(_), _) => first.next(),
        (None, _) => second.next(),
    })
}
