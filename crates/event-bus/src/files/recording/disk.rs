//! [`Disk`], a model of a disk with its cache: durable content, and pending changes that a crash may lose.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    change::{Change, ChangeKind, EntryType, Node},
    image::{Bytes, Image},
    survival::{CrashOutcome, SECTOR, Survival},
};

/// A model of a disk and its cache. [`Change`]s are applied one by one, and a crash can be simulated after each.
///
/// The model guarantees as little as POSIX: a sync of a file makes its content durable but not its name; a sync of a
/// directory makes its entries durable and nothing else.
#[derive(Debug, Clone)]
pub struct Disk {
    /// Content of each file.
    files: BTreeMap<Node, Content>,
    /// Entries of each directory.
    directories: BTreeMap<Node, Names>,
    /// Number of changes applied so far. The n-th change has the number n.
    applied: u64,
}

/// Content of a file on the modelled disk: the durable part, and the pending changes that a crash may lose.
#[derive(Debug, Clone, Default)]
struct Content {
    /// Content after the last sync of the file.
    durable: Arc<Bytes>,
    /// Changes since the last sync, each with its number.
    pending: Vec<(u64, Pending)>,
    /// Length in bytes, including all pending changes.
    length: u64,
}

/// A change of a file's content or length since its last sync. Offsets and lengths are in bytes.
#[derive(Debug, Clone)]
enum Pending {
    /// Bytes were written at an offset.
    Write { offset: u64, bytes: Arc<[u8]> },
    /// The file was extended to this length.
    Grow(u64),
    /// The file was truncated to this length.
    Truncate(u64),
}

/// Entries of a directory on the modelled disk: the durable ones, and the pending changes that a crash may lose.
#[derive(Debug, Clone, Default)]
struct Names {
    /// Entries after the last sync of the directory, by name.
    durable: BTreeMap<OsString, Node>,
    /// Changes since the last sync, each with its number.
    pending: Vec<(u64, ChangeKind)>,
}

impl Default for Disk {
    fn default() -> Self {
        let directories = BTreeMap::from([(Node::ROOT, Names::default())]);
        Self { files: BTreeMap::new(), directories, applied: 0 }
    }
}

impl Disk {
    /// Creates an empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies a recorded change to the modelled disk. A sync makes the pending changes of its file or directory
    /// durable; any other change becomes pending. Call it for each change in the order of the record.
    pub fn apply(&mut self, change: &Change) {
        self.applied += 1;
        let (number, node) = (self.applied, change.node);
        match &change.kind {
            ChangeKind::Link { to, kind, .. } => {
                match kind {
                    // The file may have had content before it had a name.
                    EntryType::File => {
                        self.files.entry(*to).or_default();
                    }
                    EntryType::Directory => {
                        self.directories.entry(*to).or_default();
                    }
                }
                self.directories.entry(node).or_default().pending.push((number, change.kind.clone()));
            }
            ChangeKind::Rename { .. } | ChangeKind::Unlink { .. } => {
                self.directories.entry(node).or_default().pending.push((number, change.kind.clone()));
            }
            ChangeKind::Write { offset, bytes } => {
                self.files.entry(node).or_default().write(number, *offset, bytes);
            }
            ChangeKind::Resize { length } => self.files.entry(node).or_default().resize(number, *length),
            ChangeKind::Sync => {
                if let Some(content) = self.files.get_mut(&node) {
                    content.sync(node);
                }
                if let Some(names) = self.directories.get_mut(&node) {
                    names.durable = names.surviving(CrashOutcome::Everything);
                    names.pending.clear();
                }
            }
        }
    }

    /// Returns the files and directories that remain if the modelled disk crashes at this point. `survival` selects the
    /// pending changes that survive; `seed` determines its random choices, so equal seeds result in equal images. The
    /// disk is unchanged.
    pub fn crash(&self, survival: Survival, seed: u64) -> Image {
        let mut pending = Vec::new();
        for content in self.files.values() {
            pending.extend(content.pending.iter().filter_map(|(number, change)| match change {
                Pending::Write { offset, bytes } => Some((*number, Some((*offset, *offset + bytes.len() as u64)))),
                // A write that extends a file is one change together with the growth.
                Pending::Grow(_) => None,
                Pending::Truncate(_) => Some((*number, None)),
            }));
        }
        for names in self.directories.values() {
            pending.extend(names.pending.iter().map(|(number, _)| (*number, None)));
        }
        pending.sort_unstable();
        let mut image = Image::default();
        let outcome = survival.decide(&pending, seed);
        self.add_directory(Node::ROOT, Path::new(""), outcome, &mut BTreeSet::new(), &mut image);
        image
    }

    /// Adds the directory `node`, at `path`, with the entries that survive the crash `outcome` to an image,
    /// recursively. `seen` contains the directories that were added before.
    fn add_directory(
        &self,
        node: Node,
        path: &Path,
        outcome: CrashOutcome,
        seen: &mut BTreeSet<Node>,
        image: &mut Image,
    ) {
        let Some(names) = self.directories.get(&node) else { return };
        for (name, child) in names.surviving(outcome) {
            let path: PathBuf = path.join(name);
            if let Some(content) = self.files.get(&child) {
                image.add(path, Some(content.surviving(child, outcome)));
            } else if seen.insert(child) {
                // A directory whose rename is incomplete has one name only.
                image.add(path.clone(), None);
                self.add_directory(child, &path, outcome, seen, image);
            }
        }
    }
}

impl Names {
    /// Returns the entries of the directory that survive a simulated crash with this outcome.
    fn surviving(&self, outcome: CrashOutcome) -> BTreeMap<OsString, Node> {
        let mut names = self.durable.clone();
        for (_, change) in self.pending.iter().filter(|(number, _)| outcome.keeps_name(*number)) {
            match change {
                ChangeKind::Link { name, to, .. } => {
                    names.insert(name.clone(), *to);
                }
                ChangeKind::Rename { from, name, to } => {
                    names.retain(|old, node| old != from || node != to);
                    names.insert(name.clone(), *to);
                }
                ChangeKind::Unlink { name, to } => names.retain(|old, node| old != name || node != to),
                ChangeKind::Write { .. } | ChangeKind::Resize { .. } | ChangeKind::Sync => {}
            }
        }
        names
    }
}

impl Content {
    /// Adds a write of `bytes` at `offset` as pending change `number`. If the write ends after the end of the file, the
    /// file also grows, under the same number.
    fn write(&mut self, number: u64, offset: u64, bytes: &Arc<[u8]>) {
        let end = offset + bytes.len() as u64;
        self.pending.push((number, Pending::Write { offset, bytes: Arc::clone(bytes) }));
        if self.length < end {
            self.pending.push((number, Pending::Grow(end)));
            self.length = end;
        }
    }

    /// Adds an extension or truncation of the file to `length` bytes as pending change `number`.
    fn resize(&mut self, number: u64, length: u64) {
        let change = if self.length < length { Pending::Grow(length) } else { Pending::Truncate(length) };
        self.pending.push((number, change));
        self.length = length;
    }

    /// Makes all pending changes of the file durable.
    fn sync(&mut self, node: Node) {
        self.durable = self.surviving(node, CrashOutcome::Everything);
        self.pending.clear();
    }

    /// Returns the content of the file that survives a simulated crash with this outcome.
    fn surviving(&self, node: Node, outcome: CrashOutcome) -> Arc<Bytes> {
        if self.pending.is_empty() {
            return Arc::clone(&self.durable);
        }
        let mut bytes = self.durable.bytes.clone();
        let mut length = bytes.len();
        for (number, change) in &self.pending {
            match change {
                Pending::Write { offset, bytes: written } => {
                    for (start, piece) in sectors(*offset, written) {
                        let kept = outcome.surviving_end(*number, node, start, start + piece.len() as u64) - start;
                        overwrite(&mut bytes, start, &piece[..to_index(kept)]);
                    }
                }
                Pending::Grow(to) => {
                    length = outcome.surviving_length(*number, *to).map_or(length, |to| length.max(to_index(to)));
                }
                Pending::Truncate(to) if outcome.keeps_truncation(*number) => {
                    length = to_index(*to);
                    bytes.truncate(length);
                }
                Pending::Truncate(_) => {}
            }
        }
        set_length(&mut bytes, length);
        Arc::new(bytes.into())
    }
}

/// Splits the bytes of a write at `offset` of a file into parts that each lie in one sector. Returns each part with its
/// offset in the file.
fn sectors(offset: u64, bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let first = (SECTOR - to_index(offset % SECTOR as u64)).min(bytes.len());
    let (head, rest) = bytes.split_at(first);
    let mut at = offset;
    std::iter::once(head).chain(rest.chunks(SECTOR)).filter(|piece| !piece.is_empty()).map(move |piece| {
        let start = at;
        at += piece.len() as u64;
        (start, piece)
    })
}

/// Writes `piece` into `bytes` at an offset. Extends `bytes` with zeros up to the offset if it is shorter, unless
/// `piece` is empty.
fn overwrite(bytes: &mut Vec<u8>, offset: u64, piece: &[u8]) {
    let (start, end) = (to_index(offset), to_index(offset) + piece.len());
    if bytes.len() < end && !piece.is_empty() {
        set_length(bytes, end);
    }
    if let Some(there) = bytes.get_mut(start..end) {
        there.copy_from_slice(piece);
    }
}

/// Truncates `bytes`, or extends it with zeros, to `length` bytes. Copies the zeros from a buffer, which is fast in
/// unoptimised builds too.
fn set_length(bytes: &mut Vec<u8>, length: usize) {
    let more = vec![0; length.saturating_sub(bytes.len())];
    bytes.truncate(length);
    bytes.extend_from_slice(&more);
}

/// Converts an offset to an index in memory; saturates at `usize::MAX`.
fn to_index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
