//! [`Tree`], the present names and contents under the root of [`RecordingFiles`](super::RecordingFiles), and the record
//! of their changes.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs, io,
    ops::Range,
    path::Path,
};

use super::{
    change::{Change, ChangeKind, EntryType, Node},
    survival::SECTOR,
};

/// The present files and directories under the recorded root, with the record of all changes to them.
#[derive(Debug)]
pub(super) struct Tree {
    /// All changes so far, in order.
    pub(super) changes: Vec<Change>,
    /// Present entries of each directory, by name.
    directories: BTreeMap<Node, BTreeMap<OsString, Node>>,
    /// Last known content of files that are not written through [`RecordingFiles`](super::RecordingFiles), to find
    /// their changes by comparison.
    observed: BTreeMap<Node, Vec<u8>>,
    /// Number for the next new file or directory.
    next_node: u64,
}

impl Default for Tree {
    fn default() -> Self {
        let directories = BTreeMap::from([(Node::ROOT, BTreeMap::new())]);
        Self { changes: Vec::new(), directories, observed: BTreeMap::new(), next_node: 1 }
    }
}

impl Tree {
    /// Appends a change to the record. Unless the change is a sync, the file counts from now on as written through
    /// [`RecordingFiles`](super::RecordingFiles) alone, and its content is not compared with the disk any more.
    pub(super) fn record(&mut self, node: Node, kind: ChangeKind) {
        if !matches!(kind, ChangeKind::Sync) {
            self.observed.remove(&node);
        }
        self.changes.push(Change { node, kind });
    }

    /// Returns the file or directory at a path under the root; `None` if it does not exist.
    pub(super) fn find(&self, path: &Path) -> Option<Node> {
        path.iter().try_fold(Node::ROOT, |node, name| self.directories.get(&node)?.get(name).copied())
    }

    /// Records a new file or directory at a path under the root, and returns its number. Fails with `NotFound` if its
    /// directory is not recorded.
    pub(super) fn link(&mut self, path: &Path, kind: EntryType) -> io::Result<Node> {
        let (directory, name) = self.locate(path)?;
        let node = self.create_node(kind);
        self.add_entry(directory, name, node, kind);
        Ok(node)
    }

    /// Records that a file or directory was renamed. Fails with `CrossesDevices` if the directories of the two names
    /// differ, and with `NotFound` if `from` is not recorded.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let ((directory, old), (target, new)) = (self.locate(from)?, self.locate(to)?);
        if directory != target {
            // A rename between directories would be two changes, of which one may survive a crash. The log needs none.
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let names = self.directories.entry(directory).or_default();
        let node = names.remove(&old).ok_or(io::ErrorKind::NotFound)?;
        names.insert(new.clone(), node);
        self.changes.push(Change { node: directory, kind: ChangeKind::Rename { from: old, name: new, to: node } });
        Ok(())
    }

    /// Records the removal of a file or directory. Fails with `NotFound` if it is not recorded.
    pub(super) fn unlink(&mut self, path: &Path) -> io::Result<()> {
        let (directory, name) = self.locate(path)?;
        self.remove_entry(directory, name).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Records a sync of every file and directory, so that all present content counts as durable.
    pub(super) fn sync_all(&mut self) {
        for node in (0..self.next_node).map(Node) {
            self.record(node, ChangeKind::Sync);
        }
    }

    /// Returns the directory that contains a path, and the name of the path in it. Fails with `NotFound` if the
    /// directory is not recorded.
    fn locate(&self, path: &Path) -> io::Result<(Node, OsString)> {
        let directory = path.parent().and_then(|parent| self.find(parent));
        Ok((directory.ok_or(io::ErrorKind::NotFound)?, path.file_name().unwrap_or_default().to_owned()))
    }

    /// Returns the number of a new file or directory. It has no name yet, and no change is recorded.
    fn create_node(&mut self, kind: EntryType) -> Node {
        let node = Node(self.next_node);
        self.next_node += 1;
        if kind == EntryType::Directory {
            self.directories.insert(node, BTreeMap::new());
        }
        node
    }

    /// Adds an entry to a directory and to the record.
    fn add_entry(&mut self, directory: Node, name: OsString, node: Node, kind: EntryType) {
        self.directories.entry(directory).or_default().insert(name.clone(), node);
        self.changes.push(Change { node: directory, kind: ChangeKind::Link { name, to: node, kind } });
    }

    /// Removes an entry from a directory and records the removal; `None` if there is no such entry.
    fn remove_entry(&mut self, directory: Node, name: OsString) -> Option<()> {
        let to = self.directories.get_mut(&directory)?.remove(&name)?;
        self.observed.remove(&to);
        self.changes.push(Change { node: directory, kind: ChangeKind::Unlink { name, to } });
        Some(())
    }

    /// Records the changes under the root that bypassed [`RecordingFiles`](super::RecordingFiles), such as sled's
    /// writes.
    ///
    /// # Errors
    /// The error of the file system.
    pub(super) fn observe(&mut self, root: &Path) -> io::Result<()> {
        self.observe_directory(root, Node::ROOT)
    }

    /// Compares the directory `node` at `path` with its recorded entries and contents, recursively, and records the
    /// differences as changes.
    ///
    /// # Errors
    /// The error of the file system.
    fn observe_directory(&mut self, path: &Path, node: Node) -> io::Result<()> {
        let mut present = BTreeMap::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            present.insert(entry.file_name(), entry.file_type()?.is_dir());
        }
        let recorded_entries = self.directories.get(&node).cloned().unwrap_or_default();
        let removed_names: Vec<_> =
            recorded_entries.keys().filter(|name| !present.contains_key(*name)).cloned().collect();
        // sled writes a snapshot before it changes the data that the snapshot covers, and removes the previous one
        // last.
        let (snapshots, others): (Vec<_>, Vec<_>) = present.into_iter().partition(|(name, _)| is_snapshot(name));
        for (name, is_directory) in snapshots.into_iter().chain(others) {
            let path = path.join(&name);
            match (recorded_entries.get(&name).copied(), is_directory) {
                (Some(child), true) => self.observe_directory(&path, child)?,
                (None, true) => {
                    let child = self.create_node(EntryType::Directory);
                    self.add_entry(node, name, child, EntryType::Directory);
                    self.observe_directory(&path, child)?;
                }
                (Some(child), false) => self.observe_file(&path, child)?,
                (None, false) => {
                    let child = self.create_node(EntryType::File);
                    self.observed.insert(child, Vec::new());
                    // sled syncs its snapshots before it renames them (`pagecache/snapshot.rs`). It syncs no other file
                    // that it may have to rely on.
                    if is_snapshot(&name) {
                        self.observe_file(&path, child)?;
                        self.record(child, ChangeKind::Sync);
                        self.add_entry(node, name, child, EntryType::File);
                    } else {
                        self.add_entry(node, name, child, EntryType::File);
                        self.observe_file(&path, child)?;
                    }
                }
            }
        }
        for name in removed_names {
            self.remove_entry(node, name);
        }
        Ok(())
    }

    /// Compares the file at `path` with its last known content and records the differences as changes. Does nothing if
    /// the file is written through [`RecordingFiles`](super::RecordingFiles) or does not exist any more.
    ///
    /// # Errors
    /// The error of the file system.
    fn observe_file(&mut self, path: &Path, node: Node) -> io::Result<()> {
        let Some(before) = self.observed.get_mut(&node) else { return Ok(()) };
        let now = match fs::read(path) {
            Ok(bytes) => bytes,
            // sled removes files in the background; the next observation finds that the name is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if *before == now {
            return Ok(());
        }
        let mut before = std::mem::replace(before, now.clone());
        if before.len() != now.len() {
            before.resize(now.len(), 0);
            self.changes.push(Change { node, kind: ChangeKind::Resize { length: now.len() as u64 } });
        }
        for run in differing_sectors(&before, &now) {
            let kind = ChangeKind::Write { offset: run.start as u64, bytes: now[run].into() };
            self.changes.push(Change { node, kind });
        }
        Ok(())
    }
}

/// Returns whether `name` is the file name of a snapshot of sled.
fn is_snapshot(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("snap.")
}

/// Returns the byte ranges of consecutive sectors in which two contents of equal length differ.
fn differing_sectors(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (number, (old, new)) in before.chunks(SECTOR).zip(after.chunks(SECTOR)).enumerate() {
        if old == new {
            continue;
        }
        let (start, end) = (number * SECTOR, number * SECTOR + new.len());
        match runs.last_mut() {
            Some(run) if run.end == start => run.end = end,
            _ => runs.push(start..end),
        }
    }
    runs
}
