//! [`Fault`], an injected fault: its kind, the operation and the calls it applies to.

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
    /// [`File::write_at`](crate::files::File::write_at). A failing write has written half its bytes, as on a full disk,
    /// unless it was interrupted.
    Write,
    /// [`File::length`](crate::files::File::length).
    Length,
    /// [`File::truncate`](crate::files::File::truncate).
    Truncate,
    /// [`File::sync_data`](crate::files::File::sync_data). A failing sync has made nothing durable.
    Sync,
    /// [`File::try_lock`](crate::files::File::try_lock).
    Lock,
}

impl Operation {
    /// All operations, in the order of declaration.
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

/// Kind of an injected fault: an error, a partial or missing effect, or a stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The device reports an error: `EIO`.
    DeviceError,
    /// The disk is full: `ENOSPC`.
    Full,
    /// The process has too many open files: `EMFILE`.
    TooManyFiles,
    /// A signal interrupted the call before it had an effect: `EINTR`.
    Interrupted,
    /// A read or write succeeds for half of the bytes, rounded up.
    Short,
    /// A sync reports success without making anything durable.
    LostSync,
    /// The call blocks until [`FailingFiles::release_stalled`](super::FailingFiles::release_stalled), and then runs
    /// without a fault.
    Stall,
}

impl FaultKind {
    /// All kinds, in the order of declaration.
    pub const ALL: [Self; 7] = [
        Self::DeviceError,
        Self::Full,
        Self::TooManyFiles,
        Self::Interrupted,
        Self::Short,
        Self::LostSync,
        Self::Stall,
    ];

    /// Returns whether the fault can occur in `operation`: errors and stalls in any, too many open files where a file or
    /// directory is opened, short calls in reads and writes, lost syncs in syncs.
    pub const fn applies_to(self, operation: Operation) -> bool {
        match self {
            Self::DeviceError | Self::Full | Self::Interrupted | Self::Stall => true,
            Self::TooManyFiles => matches!(operation, Operation::Open | Operation::List | Operation::SyncDir),
            Self::Short => matches!(operation, Operation::Read | Operation::Write),
            Self::LostSync => matches!(operation, Operation::Sync | Operation::SyncDir),
        }
    }

    /// Returns the error of the operating system with which the call fails; `None` for kinds of faults that return no
    /// error.
    pub fn error(self) -> Option<io::Error> {
        let number = match self {
            Self::DeviceError => 5,
            Self::Full => 28,
            Self::TooManyFiles => 24,
            Self::Interrupted => 4,
            Self::Short | Self::LostSync | Self::Stall => return None,
        };
        Some(io::Error::from_raw_os_error(number))
    }
}

/// A fault to inject into one call, or into all later ones. [`FailingFiles::set_fault`](super::FailingFiles::set_fault)
/// sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Affected operation.
    pub operation: Operation,
    /// Number of the affected call, from 1, counted from when the fault is set.
    pub call: u64,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Whether all later calls are affected as well.
    pub sticky: bool,
}
