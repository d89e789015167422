//! The environment of a command: home folder, output format, and access to log and engine.

use std::{
    fs::{File, Permissions},
    io::Read as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use control::{Connection, Operation as _, Writer};
use engine::{Engine, Home, Models, RouterState, Stores};
use event_bus::{EventLog, JournalReader, LogError, MemoryLog, Repair, SledLog, SystemClock, TextFiles, TextStore};
use event_core::Timestamp;
use serde::Serialize;

use crate::{
    arguments::Arguments,
    commands::record_kept_decisions,
    failure::Failure,
    screen::{self, count_noun},
};

/// The longest time that sled may lag behind the journal while the gateway runs.
const MAX_INDEX_LAG: Duration = Duration::from_millis(250);

/// The number of bytes that the gateway preallocates in the journal: some hundred turns.
const JOURNAL_PADDING_BYTES: usize = 256 * 1024;

/// The longest time that a command waits for a log that is in use by a starting gateway or by another command.
const MAX_OPEN_WAIT: Duration = Duration::from_secs(1);

/// The delay before the next attempt to open the log.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// The environment of a command: the home folder, the policy path and the output format, from the global arguments.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The home folder of turnwise, with the paths of its files.
    pub(crate) home: Home,
    /// Whether the output is JSON (`--json`).
    pub(crate) json: bool,
}

impl Context {
    /// Creates the context from the global arguments. Without `--home`, the home folder is `.turnwise` in the user's
    /// home folder.
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let user = std::env::home_dir();
        let dir = arguments.home.clone().unwrap_or_else(|| match &user {
            Some(user) => user.join(".turnwise"),
            None => PathBuf::from(".turnwise"),
        });
        let home = Home::new(dir, user).with_policy(arguments.config.clone());
        Self { home, json: arguments.json }
    }

    /// Removes the permission of others to write to the home folder, with a note. Whoever can write there can change
    /// the policy and read the keys. A folder that all users share, such as `/tmp`, is not changed.
    ///
    /// # Errors
    /// [`Failure::Failed`] if the permission cannot be removed.
    pub(crate) fn protect_home(&self) -> Result<(), Failure> {
        /// The permission of the group and of others to write.
        const WRITE: u32 = 0o022;
        /// The bit of a folder in which users can only remove files of their own.
        const STICKY: u32 = 0o1000;
        let dir = &self.home.dir;
        let Ok(metadata) = std::fs::metadata(dir) else { return Ok(()) };
        let mode = metadata.permissions().mode() & 0o7777;
        if !metadata.is_dir() || mode & WRITE == 0 || mode & STICKY != 0 {
            return Ok(());
        }
        let path = dir.display();
        std::fs::set_permissions(dir, Permissions::from_mode(mode & !WRITE)).map_err(|error| {
            Failure::Failed(format!(
                "others may write to `{path}`, and this cannot be changed: {error}; use another `--home`"
            ))
        })?;
        self.print_note(&format!("others could write to `{path}`, and no longer can (mode {:o})", mode & !WRITE));
        Ok(())
    }

    /// Opens the log for a command that writes: through a connection to the running gateway, or else directly. In the
    /// latter case the log is locked until the writer is closed. Records the decisions that hooks kept.
    pub(crate) fn writer(&self) -> Result<Writer, Failure> {
        let mut writer = self.open_writer()?;
        record_kept_decisions(self, |request| writer.execute(request));
        Ok(writer)
    }

    /// Does the same as [`Context::writer`] without recording the decisions of hooks.
    fn open_writer(&self) -> Result<Writer, Failure> {
        let started = Instant::now();
        loop {
            let connected = Connection::open(&self.home.dir);
            if let Some(connection) = connected.map_err(|error| self.connection_failure(&error))? {
                return Ok(Writer::Gateway(connection));
            }
            let models = Models::load(&self.home.models())?;
            match SledLog::open(self.home.log()) {
                Ok((log, repairs)) => return Ok(Writer::Log(Box::new(self.engine_with_log(log, &repairs, models)?))),
                // A starting gateway opens the log first and its control socket a moment later.
                Err(LogError::InUse { .. }) if started.elapsed() < MAX_OPEN_WAIT => std::thread::sleep(RETRY_DELAY),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Creates the failure for a gateway that cannot be reached.
    fn connection_failure(&self, error: &std::io::Error) -> Failure {
        Failure::Failed(format!("cannot connect to the gateway of `{}`: {error}", self.home.dir.display()))
    }

    /// Converts an error of opening the log for a command that cannot run beside the gateway. `reason` completes the
    /// sentence "`turnwise serve` is running, and …".
    pub(crate) fn in_use_failure(&self, error: LogError, reason: &str) -> Failure {
        match error {
            LogError::InUse { .. } if matches!(Connection::open(&self.home.dir), Ok(Some(_))) => {
                Failure::Failed(format!(
                    "`turnwise serve` is running, and {reason}: stop it, run this command again, and start it again"
                ))
            }
            error => error.into(),
        }
    }

    /// Opens the engine for the gateway. Its events are durable once they are in the journal; the index of the log is
    /// updated later. Records the decisions that hooks kept.
    pub(crate) fn gateway_engine(&self, models: Models) -> Result<Engine, Failure> {
        let (log, repairs) = SledLog::open(self.home.log())?;
        let log = log.with_max_index_lag(MAX_INDEX_LAG).with_journal_preallocation(JOURNAL_PADDING_BYTES);
        let mut engine = self.engine_with_log(log, &repairs, models)?;
        record_kept_decisions(self, |request| {
            let recorded = request.execute(&mut engine)?;
            engine.commit()?;
            Ok(recorded)
        });
        Ok(engine)
    }

    /// Opens an engine that writes to `log`, and prints and records the repairs that were made when the log was opened.
    fn engine_with_log(&self, log: SledLog, repairs: &[Repair], models: Models) -> Result<Engine, Failure> {
        let mut engine = Engine::with_models(&self.home, models, self.stores(Arc::new(log)))?;
        for repair in repairs {
            self.print_note(&format!("the log was repaired: {repair}"));
        }
        engine.record_repairs(repairs)?;
        Ok(engine)
    }

    /// Opens a read-only engine on the present content of the log. It can be used while another process writes the log.
    pub(crate) fn engine_reader(&self) -> Result<Engine, Failure> {
        let log = self.log_reader()?;
        Ok(Engine::open(&self.home, self.stores(log))?)
    }

    /// Rebuilds the state of all projections from the present content of the log, without loading the policy.
    pub(crate) fn fold_state(&self) -> Result<RouterState, Failure> {
        Ok(event_bus::fold_all(self.log_reader()?.as_ref())?)
    }

    /// Does the same as [`Context::print_policy_note`] for the policy file of an engine.
    pub(crate) fn print_problem_note(&self, engine: &Engine) {
        let problems = engine.policy_problems();
        let first = problems.first().map(ToString::to_string);
        self.print_policy_note(&engine.policy_path().display().to_string(), problems.len() as u64, first.as_deref());
    }

    /// Prints a note if the policy file has errors, because the last valid policy is active then. `errors` is their
    /// number, `first` the first of them.
    pub(crate) fn print_policy_note(&self, path: &str, errors: u64, first: Option<&str>) {
        if let Some(first) = first {
            let more = match errors.saturating_sub(1) {
                0 => String::new(),
                more => format!(" (and {})", count_noun(more, "more error")),
            };
            self.print_note(&format!("`{path}`, {first}{more}: the last valid policy is active"));
        }
    }

    /// Opens the log for reading; an empty log if nothing was recorded yet.
    pub(crate) fn log_reader(&self) -> Result<Arc<dyn EventLog>, Failure> {
        if !self.home.log().exists() {
            return Ok(Arc::new(MemoryLog::new()));
        }
        Ok(Arc::new(JournalReader::open(self.home.log())?))
    }

    /// Opens the store of long texts for reading.
    pub(crate) fn texts(&self) -> Arc<dyn TextStore> {
        Arc::new(TextFiles::open(self.home.log()))
    }

    /// Combines a log with the text files of the home folder, the system clock and the local time zone.
    fn stores(&self, log: Arc<dyn EventLog>) -> Stores {
        let texts = TextFiles::open(self.home.log());
        Stores { log, texts: Arc::new(texts), clock: Box::new(SystemClock), offset: local_offset }
    }

    /// Prints a note on the standard error, unless the output is JSON.
    pub(crate) fn print_note(&self, text: &str) {
        if !self.json {
            screen::print_error_line(&format!("{} {text}", screen::styled(screen::NOTICE, "note:")));
        }
    }

    /// Prints the result of a command: `json` as JSON with `--json`, and otherwise the text that `text` prints.
    pub(crate) fn print(&self, json: &impl Serialize, text: impl FnOnce()) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(json).map_err(|error| Failure::Failed(error.to_string()))?;
            screen::print_json(&json);
        } else {
            text();
        }
        Ok(())
    }
}

/// Returns the offset of the local time zone from UTC at a time, in minutes.
pub(crate) fn local_offset(at: Timestamp) -> i16 {
    let Some(at) = instant(at) else { return 0 };
    let offset = jiff::tz::TimeZone::system().to_offset(at);
    i16::try_from(offset.seconds() / 60).unwrap_or_default()
}

/// Formats a time in the local time zone, as `2026-11-20 19:36:00`.
pub(crate) fn local_time(at: Timestamp) -> String {
    let zoned = instant(at).map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map(|at| at.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
}

/// Formats a moment in UTC with `strftime`; an empty text if it is outside the range of the calendar.
pub(crate) fn format_utc(at: Timestamp, format: &str) -> String {
    instant(at).map(|at| at.strftime(format).to_string()).unwrap_or_default()
}

/// Converts a timestamp to a moment of the calendar library; `None` if it is out of range.
fn instant(at: Timestamp) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_microsecond(i64::try_from(at.0).ok()?).ok()
}

/// The maximum size of a text file that an argument names, in bytes.
const MAX_TEXT_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a text file that an argument names. It may be a pipe, such as `<(command)` of a shell.
///
/// # Errors
/// [`Failure::Failed`] if it cannot be read, is not UTF-8, or is larger than 64 MiB.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let mut read = || File::open(path)?.take(MAX_TEXT_BYTES + 1).read_to_string(&mut text);
    match read() {
        Ok(bytes) if bytes as u64 <= MAX_TEXT_BYTES => Ok(text),
        Ok(_) => Err(Failure::Failed(format!("cannot read `{}`: it is larger than 64 MiB", path.display()))),
        Err(error) => Err(Failure::file("read", path, &error)),
    }
}
