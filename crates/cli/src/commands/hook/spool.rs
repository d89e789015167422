//! The decisions of hooks that no gateway answered, until a command that writes the log records them.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use adapters::{check_regular_file, create_own_folder, read_own_file};
use contracts::ContentHash;
use control::{ControlError, HookDecision, RecordHookDecisions, RecordedHookDecisions};

use super::quick_file::{keep_newest, replace_quickly};

/// The folder in the home folder.
const FOLDER: &str = "hook";

/// The file to which hooks append: one line of JSON for each decision.
const FILE: &str = "decisions.jsonl";

/// The file whose decisions are being recorded. It remains if a command ends before it has recorded them.
const TAKEN: &str = "decisions.taken.jsonl";

/// The file that is locked while decisions are recorded.
const LOCK: &str = "lock";

/// The folder with the skills that decisions read, as JSON, each named by the hash of its text.
const SOURCES: &str = "sources";

/// The maximum length of the file with decisions in bytes, about a thousand. Further ones are not kept.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The maximum number of texts in the folder [`SOURCES`]. Beyond it, the oldest is deleted.
const MAX_SOURCES: usize = 16;

/// The number of attempts to open the file with decisions while it is taken.
const ATTEMPTS: usize = 3;

/// The queue of skill decisions that hooks made without a gateway: files in the home folder, from which the next program
/// that opens the log records them.
#[derive(Debug)]
pub(crate) struct Spool {
    /// The folder with the files.
    folder: PathBuf,
}

impl Spool {
    /// Returns the spool of the home folder `home`, whose files need not exist.
    pub(crate) fn new(home: &Path) -> Self {
        Self { folder: home.join(FOLDER) }
    }

    /// Appends a decision, and keeps the JSON text of the skills that it read. Nothing is synced: a crash of the machine can
    /// lose both.
    ///
    /// # Errors
    /// The errors of the operating system, and [`io::ErrorKind::StorageFull`] if the file has its maximum length.
    pub(super) fn append(&self, decision: &HookDecision, sources: Option<&str>) -> io::Result<()> {
        if let (Some(hash), Some(text)) = (decision.routed.sources, sources) {
            self.keep_sources(hash, text)?;
        }
        let mut line = serde_json::to_vec(decision)?;
        line.push(b'\n');
        create_own_folder(&self.folder)?;
        let mut file = self.open_to_append()?;
        if MAX_BYTES < file.metadata()?.len() + line.len() as u64 {
            let message = "the decisions of earlier hooks fill it; `turnwise serve` records them when it starts";
            return Err(io::Error::new(io::ErrorKind::StorageFull, message));
        }
        file.write_all(&line)
    }

    /// Opens the file with decisions and locks it, so that [`Spool::record`] waits until the line is complete.
    fn open_to_append(&self) -> io::Result<File> {
        let path = self.folder.join(FILE);
        for _ in 0..ATTEMPTS {
            check_kind(&path)?;
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            file.lock_shared()?;
            // It may have been taken between both calls.
            let inode = file.metadata()?.ino();
            if fs::metadata(&path).is_ok_and(|named| named.ino() == inode) {
                return Ok(file);
            }
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, "it was replaced while it was opened"))
    }

    /// Writes the JSON text of skills, unless it is kept already.
    fn keep_sources(&self, hash: ContentHash, text: &str) -> io::Result<()> {
        let path = self.sources_path(hash);
        if path.exists() {
            return Ok(());
        }
        replace_quickly(&path, text.as_bytes())?;
        keep_newest(&self.folder.join(SOURCES), MAX_SOURCES)
    }

    /// Returns the path of the JSON text of skills.
    fn sources_path(&self, hash: ContentHash) -> PathBuf {
        self.folder.join(SOURCES).join(hash.to_string())
    }

    /// Returns whether decisions are kept.
    pub(super) fn has_decisions(&self) -> bool {
        [FILE, TAKEN].iter().any(|name| self.folder.join(name).exists())
    }

    /// Has the kept decisions recorded by `execute`, which returns once they are durable, and deletes them. Returns the result;
    /// `None` if there are none, or another command is recording them. A decision that is recorded twice, after an interrupted
    /// command, is one event, since its id follows from its content.
    ///
    /// # Errors
    /// A message if a file cannot be read or `execute` fails. The decisions are then kept.
    pub(crate) fn record(
        &self,
        mut execute: impl FnMut(RecordHookDecisions) -> Result<RecordedHookDecisions, ControlError>,
    ) -> Result<Option<RecordedHookDecisions>, String> {
        if !self.has_decisions() {
            return Ok(None);
        }
        let (file, taken) = (self.folder.join(FILE), self.folder.join(TAKEN));
        let failed = |error: io::Error| format!("`{}`: {error}", self.folder.display());
        for name in [FILE, TAKEN, LOCK] {
            check_kind(&self.folder.join(name)).map_err(failed)?;
        }
        let lock = OpenOptions::new().append(true).create(true).mode(0o600).open(self.folder.join(LOCK));
        let lock = lock.map_err(failed)?;
        if lock.try_lock().is_err() {
            return Ok(None);
        }
        let mut total = RecordedHookDecisions::default();
        // First those that an interrupted command took.
        for must_take in [false, true] {
            if must_take && file.exists() {
                fs::rename(&file, &taken).map_err(failed)?;
            }
            if taken.exists() {
                let (request, damaged) = self.read_taken().map_err(failed)?;
                let recorded = execute(request).map_err(|error| error.message)?;
                fs::remove_file(&taken).map_err(failed)?;
                total.recorded += recorded.recorded;
                total.skipped += recorded.skipped + damaged;
            }
        }
        Ok(Some(total))
    }

    /// Reads the decisions that were taken, with the texts of the skills that they read, and the number of damaged lines.
    fn read_taken(&self) -> io::Result<(RecordHookDecisions, u64)> {
        let file = File::open(self.folder.join(TAKEN))?;
        // Waits for hooks that opened the file before it was renamed.
        file.lock()?;
        if MAX_BYTES < file.metadata()?.len() {
            let message = format!("`{TAKEN}` is larger than {MAX_BYTES} bytes, so no hook wrote it: delete it");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        let mut request = RecordHookDecisions::default();
        let mut damaged = 0;
        for line in BufReader::new(file.take(MAX_BYTES)).split(b'\n') {
            match serde_json::from_slice::<HookDecision>(&line?) {
                Ok(decision) => request.decisions.push(decision),
                Err(_) => damaged += 1,
            }
        }
        let mut sources = BTreeMap::new();
        for hash in request.decisions.iter().filter_map(|decision| decision.routed.sources) {
            if !sources.contains_key(&hash)
                && let Ok(text) = read_own_file(&self.sources_path(hash))
            {
                sources.insert(hash, text);
            }
        }
        request.sources = sources;
        Ok((request, damaged))
    }
}

/// Checks that a file is a regular one or does not exist: opening a FIFO would wait, and a device is endless.
///
/// # Errors
/// `InvalidInput` for a folder, FIFO, socket or device, with its name and the next step.
fn check_kind(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(()) };
    check_regular_file(&metadata).map_err(|error| {
        let name = path.file_name().unwrap_or_default().display();
        io::Error::new(error.kind(), format!("`{name}`: {error}: delete it"))
    })
}
