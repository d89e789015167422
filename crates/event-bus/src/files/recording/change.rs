//! One change to a file or directory.

use std::{ffi::OsString, fmt, sync::Arc};

/// A file or directory, whatever name it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(pub(super) u64);

impl Node {
    /// The directory everything happens in.
    pub(super) const ROOT: Self = Self(0);
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
}

/// One change, as a crash may or may not keep it.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file or directory that is changed.
    pub(super) node: Node,
    pub(super) what: What,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    /// A directory has a new name in it.
    Link { name: OsString, to: Node, kind: Kind },
    /// A name in a directory becomes another one.
    Rename { from: OsString, name: OsString, to: Node },
    /// A name goes.
    Unlink { name: OsString, to: Node },
    /// A file has other bytes.
    Write { offset: u64, bytes: Arc<[u8]> },
    /// A file has another length; what is new in it is zero.
    Resize { length: u64 },
    /// Everything before is durable: the content of a file, the names in a directory.
    Sync,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node.0;
        match &self.what {
            What::Link { name, to, kind } => write!(f, "{kind:?} {} `{}` is new in {node}", to.0, name.display()),
            What::Rename { from, name, .. } => write!(f, "`{}` becomes `{}` in {node}", from.display(), name.display()),
            What::Unlink { name, .. } => write!(f, "`{}` goes from {node}", name.display()),
            What::Write { offset, bytes } => write!(f, "{} bytes written at {offset} to {node}", bytes.len()),
            What::Resize { length } => write!(f, "{node} has {length} bytes"),
            What::Sync => write!(f, "{node} is synced"),
        }
    }
}
