//! [`FailingFiles`], a test file system that injects a fault into the n-th call of an operation.

mod fault;
mod gate;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use fault::{Fault, FaultKind, Operation};

use super::{File, Files, Mode};
use gate::Gate;

/// A file system for tests that injects a [`Fault`] into file operations. Clones share the fault and the counts of
/// calls.
#[derive(Debug, Clone)]
pub struct FailingFiles {
    /// The wrapped file system.
    files: Arc<dyn Files>,
    /// The fault and the counts of calls.
    state: Arc<Mutex<FaultState>>,
    /// Blocks stalled calls until they are released.
    gate: Arc<Gate>,
}

/// The injected fault, and the number of calls of each operation since it was set.
#[derive(Debug, Default)]
struct FaultState {
    /// The injected fault; `None` if calls must not fail.
    fault: Option<Fault>,
    /// Number of calls of each operation since the fault was set; none for operations that were not called.
    calls: BTreeMap<Operation, u64>,
}

/// How much of a file operation is executed, for a call that returns no injected error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The complete operation.
    Whole,
    /// The operation for half of the bytes.
    Part,
    /// Nothing: the call only reports success.
    Nothing,
}

/// An open file of the test file system [`FailingFiles`].
#[derive(Debug)]
struct FailingFile {
    /// The wrapped file.
    file: Arc<dyn File>,
    /// Shared fault and counts of calls.
    files: FailingFiles,
}

impl FailingFiles {
    /// Wraps a file system, without a fault.
    pub fn new(files: impl Files) -> Self {
        Self { files: Arc::new(files), state: Arc::default(), gate: Arc::default() }
    }

    /// Sets the fault, or removes it with `None`. Resets the counts of calls and lets stalled calls continue.
    pub fn set_fault(&self, fault: Option<Fault>) {
        self.gate.open();
        if matches!(fault, Some(Fault { kind: FaultKind::Stall, .. })) {
            self.gate.close();
        }
        *self.state() = FaultState { fault, calls: BTreeMap::new() };
    }

    /// Returns the number of calls of `operation` since [`FailingFiles::set_fault`], failed ones included.
    pub fn calls(&self, operation: Operation) -> u64 {
        self.state().calls.get(&operation).copied().unwrap_or_default()
    }

    /// Blocks until a call stalls, or until there is no stall fault. Returns whether a call stalls.
    pub fn wait_for_stall(&self) -> bool {
        self.gate.wait_for_blocked()
    }

    /// Lets stalled calls continue; later calls do not stall until a new fault is set.
    pub fn release_stalled(&self) {
        self.gate.open();
    }

    /// Counts a call of a file operation. Returns how much of the operation to execute, or the injected error. Blocks
    /// while the fault stalls the call.
    fn check(&self, operation: Operation) -> io::Result<Effect> {
        let kind = {
            let mut state = self.state();
            let calls = state.calls.entry(operation).or_default();
            *calls += 1;
            let calls = *calls;
            let is_affected = |fault: &Fault| {
                fault.operation == operation && (calls == fault.call || fault.sticky && fault.call < calls)
            };
            state.fault.filter(is_affected).map(|fault| fault.kind)
        };
        match kind {
            None => Ok(Effect::Whole),
            Some(FaultKind::Short) => Ok(Effect::Part),
            Some(FaultKind::LostSync) => Ok(Effect::Nothing),
            Some(FaultKind::Stall) => {
                self.gate.wait_while_closed();
                Ok(Effect::Whole)
            }
            Some(FaultKind::DeviceError | FaultKind::Full | FaultKind::TooManyFiles | FaultKind::Interrupted) => {
                Err(kind.and_then(FaultKind::error).unwrap_or_else(|| io::ErrorKind::Other.into()))
            }
        }
    }

    /// Locks the fault and the counts of calls.
    fn state(&self) -> MutexGuard<'_, FaultState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for FailingFiles {
    fn create_dir(&self, path: &Path) -> io::Result<bool> {
        self.check(Operation::CreateDir)?;
        self.files.create_dir(path)
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>> {
        self.check(Operation::Open)?;
        Ok(Arc::new(FailingFile { file: self.files.open(path, mode)?, files: self.clone() }))
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
        match self.check(Operation::SyncDir)? {
            Effect::Nothing => Ok(()),
            Effect::Whole | Effect::Part => self.files.sync_dir(path),
        }
    }
}

impl File for FailingFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let length = match self.files.check(Operation::Read)? {
            Effect::Part => half(into.len()),
            Effect::Whole | Effect::Nothing => into.len(),
        };
        self.file.read_at(offset, &mut into[..length])
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        match self.files.check(Operation::Write) {
            Ok(Effect::Part) => self.file.write_at(offset, &bytes[..half(bytes.len())]),
            Ok(Effect::Whole | Effect::Nothing) => self.file.write_at(offset, bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.file.write_at(offset, &bytes[..bytes.len() / 2])?;
                Err(error)
            }
        }
    }

    fn length(&self) -> io::Result<u64> {
        self.files.check(Operation::Length)?;
        self.file.length()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.files.check(Operation::Truncate)?;
        self.file.truncate(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.files.check(Operation::Sync)? {
            Effect::Nothing => Ok(()),
            Effect::Whole | Effect::Part => self.file.sync_data(),
        }
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.files.check(Operation::Lock)?;
        self.file.try_lock()
    }
}

/// Returns half of a length, rounded up, so that a partial call has an effect unless the length is 0.
fn half(length: usize) -> usize {
    length.div_ceil(2)
}
