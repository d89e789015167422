//! What can go wrong with a call, and which call it is.

use std::io;

/// An operation of [`Files`](crate::files::Files) or [`File`](crate::files::File).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`Files::create_dir`](crate::files::Files::create_dir).
    CreateDir,
    /// [`Files::open`](crate::files::Files::open).
    Open,
    /// [`Files::rename`](crate::files::Files::rename).
    Rename,
    /// [`Files::remove`](crate::files::Files::remove) and [`Files::remove_dir`](crate::files::Files::remove_dir).
    Remove,
    /// [`Files::list`](crate::files::Files::list).
    List,
    /// [`Files::sync_dir`](crate::files::Files::sync_dir).
    SyncDir,
    /// [`File::read_at`](crate::files::File::read_at).
    Read,
    /// [`File::write_at`](crate::files::File::write_at). One that fails has written half its bytes, as on a full disk,
    /// unless it was interrupted.
    Write,
    /// [`File::length`](crate::files::File::length).
    Length,
    /// [`File::truncate`](crate::files::File::truncate).
    Truncate,
    /// [`File::sync_data`](crate::files::File::sync_data). One that fails has made nothing durable.
    Sync,
    /// [`File::try_lock`](crate::files::File::try_lock).
    Lock,
}

impl Operation {
    /// Each of them.
    pub const ALL: [Self; 12] = [
        Self::CreateDir,
        Self::Open,
        Self::Rename,
        Self::Remove,
        Self::List,
        Self::SyncDir,
        Self::Read,
        Self::Write,
        Self::Length,
        Self::Truncate,
        Self::Sync,
        Self::Lock,
    ];
}

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The device refuses: `EIO`.
    Refused,
    /// The disk is full: `ENOSPC`.
    Full,
    /// A signal came first, and nothing was done: `EINTR`.
    Interrupted,
    /// A read or a write that does half of what was asked, and succeeds.
    Short,
    /// A sync that succeeds without doing anything.
    Lie,
    /// The call waits until it is told to go on.
    Stall,
}

impl FaultKind {
    /// Each of them.
    pub const ALL: [Self; 6] = [Self::Refused, Self::Full, Self::Interrupted, Self::Short, Self::Lie, Self::Stall];

    /// Whether an operation can go wrong in this way.
    pub const fn concerns(self, operation: Operation) -> bool {
        match self {
            Self::Refused | Self::Full | Self::Interrupted | Self::Stall => true,
            Self::Short => matches!(operation, Operation::Read | Operation::Write),
            Self::Lie => matches!(operation, Operation::Sync | Operation::SyncDir),
        }
    }

    /// What a call that goes wrong in this way returns, if it is an error: with the operating system's own number.
    pub fn error(self) -> Option<io::Error> {
        let number = match self {
            Self::Refused => 5,
            Self::Full => 28,
            Self::Interrupted => 4,
            Self::Short | Self::Lie | Self::Stall => return None,
        };
        Some(io::Error::from_raw_os_error(number))
    }
}

/// What shall go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The operation that goes wrong.
    pub operation: Operation,
    /// Which call of it does, counted from 1 and from the moment the fault is set.
    pub call: u64,
    /// How it does.
    pub kind: FaultKind,
    /// Whether every call after that one does too.
    pub sticky: bool,
}
