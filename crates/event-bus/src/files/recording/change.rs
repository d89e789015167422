//! [`Change`], a recorded change of a file or directory, and [`Node`], the number of a file or directory.

use std::{ffi::OsString, fmt, sync::Arc};

/// Number of a file or directory, assigned when it is first recorded. It does not change when the file is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(pub(super) u64);

impl Node {
    /// The root directory.
    pub(super) const ROOT: Self = Self(0);
}

/// Type of a directory entry: file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryType {
    /// A file.
    File,
    /// A directory.
    Directory,
}

/// A recorded change of a file or directory. Until it is synced, a crash may lose it.
#[derive(Debug, Clone)]
pub struct Change {
    /// The changed file or directory.
    pub(super) node: Node,
    /// Kind and data of the change.
    pub(super) kind: ChangeKind,
}

/// Kind and data of a recorded change. In changes of a directory, `to` is the file or directory that the entry names.
#[derive(Debug, Clone)]
pub(super) enum ChangeKind {
    /// An entry was added to a directory.
    Link { name: OsString, to: Node, kind: EntryType },
    /// An entry of a directory was renamed from `from` to `name`. Replaces an entry of that name.
    Rename { from: OsString, name: OsString, to: Node },
    /// An entry was removed from a directory.
    Unlink { name: OsString, to: Node },
    /// Bytes were written to a file at an offset in bytes.
    Write { offset: u64, bytes: Arc<[u8]> },
    /// The length of a file was changed to `length` bytes. Added bytes are zero.
    Resize { length: u64 },
    /// All earlier changes of this file's content, or of this directory's entries, are durable.
    Sync,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node.0;
        match &self.kind {
            ChangeKind::Link { name, to, kind } => write!(f, "{kind:?} {} `{}` is new in {node}", to.0, name.display()),
            ChangeKind::Rename { from, name, .. } => {
                write!(f, "`{}` becomes `{}` in {node}", from.display(), name.display())
            }
            ChangeKind::Unlink { name, .. } => write!(f, "`{}` goes from {node}", name.display()),
            ChangeKind::Write { offset, bytes } => write!(f, "{} bytes written at {offset} to {node}", bytes.len()),
            ChangeKind::Resize { length } => write!(f, "{node} has {length} bytes"),
            ChangeKind::Sync => write!(f, "{node} is synced"),
        }
    }
}
