//! Files that fail the n-th call of an operation, to see what the log makes of it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{File, Files, Mode};

/// An operation of [`Files`] or [`File`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`Files::create_dir`].
    CreateDir,
    /// [`Files::open`].
    Open,
    /// [`Files::rename`].
    Rename,
    /// [`Files::remove`] and [`Files::remove_dir`].
    Remove,
    /// [`Files::list`].
    List,
    /// [`Files::sync_dir`].
    SyncDir,
    /// [`File::read_at`].
    Read,
    /// [`File::write_at`]. One that fails has written half its bytes, as on a full disk.
    Write,
    /// [`File::length`].
    Length,
    /// [`File::truncate`].
    Truncate,
    /// [`File::sync_data`]. One that fails has written nothing more.
    Sync,
    /// [`File::try_lock`].
    Lock,
}

/// What shall go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The operation that fails.
    pub operation: Operation,
    /// Which call of it fails, counted from 1 and from the moment the fault is set.
    pub call: u64,
    /// How it fails.
    pub kind: io::ErrorKind,
    /// Whether every call after that one fails too.
    pub sticky: bool,
}

/// Files that fail when told to. Clones fail together.
#[derive(Debug, Clone)]
pub struct FailingFiles {
    files: Arc<dyn Files>,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    fault: Option<Fault>,
    calls: BTreeMap<Operation, u64>,
}

#[derive(Debug)]
struct FailingFile {
    file: Arc<dyn File>,
    owner: FailingFiles,
}

impl FailingFiles {
    /// Files that do not fail yet.
    pub fn over(files: impl Files) -> Self {
        Self { files: Arc::new(files), plan: Arc::default() }
    }

    /// Sets what shall go wrong, or that nothing shall, and starts to count.
    pub fn fail(&self, fault: Option<Fault>) {
        *self.plan() = Plan { fault, calls: BTreeMap::new() };
    }

    /// Calls of an operation since the fault was set.
    pub fn calls(&self, operation: Operation) -> u64 {
        self.plan().calls.get(&operation).copied().unwrap_or_default()
    }

    fn check(&self, operation: Operation) -> io::Result<()> {
        let mut plan = self.plan();
        let calls = plan.calls.entry(operation).or_default();
        *calls += 1;
        let calls = *calls;
        match plan.fault {
            Some(fault)
                if fault.operation == operation && (calls == fault.call || fault.sticky && fault.call < calls) =>
            {
                Err(fault.kind.into())
            }
            _ => Ok(()),
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for FailingFiles {
    fn create_dir(&self, path: &Path) -> io::Result<bool> {
        self.check(Operation::CreateDir)?;
        self.files.create_dir(path)
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>> {
        self.check(Operation::Open)?;
        Ok(Arc::new(FailingFile { file: self.files.open(path, mode)?, owner: self.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(Operation::Rename)?;
        self.files.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.check(Operation::Remove)?;
        self.files.remove(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.check(Operation::Remove)?;
        self.files.remove_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.check(Operation::List)?;
        self.files.list(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.check(Operation::SyncDir)?;
        self.files.sync_dir(path)
    }
}

impl File for FailingFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.owner.check(Operation::Read)?;
        self.file.read_at(offset, into)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.owner.check(Operation::Write) {
            self.file.write_at(offset, &bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.file.write_at(offset, bytes)
    }

    fn length(&self) -> io::Result<u64> {
        self.owner.check(Operation::Length)?;
        self.file.length()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.owner.check(Operation::Truncate)?;
        self.file.truncate(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.owner.check(Operation::Sync)?;
        self.file.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.owner.check(Operation::Lock)?;
        self.file.try_lock()
    }
}
