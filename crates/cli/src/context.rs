//! The environment of a command: home folder, output format, and access to log and engine.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use contracts::events::{LogRepaired, RepairAction};
use control::{Connection, Writer};
use engine::{Engine, Home, Models, RouterState, Stores};
use event_bus::{EventLog, JournalReader, LogError, MemoryLog, Repair, SledLog, SystemClock, TextFiles, TextStore};
use event_core::{EventId, NewEvent, Timestamp};
use serde::Serialize;

use crate::{
    arguments::Arguments,
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

/// The environment of a command, from the global arguments.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) home: Home,
    pub(crate) json: bool,
}

impl Context {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let user = std::env::home_dir();
        let dir = arguments.home.clone().unwrap_or_else(|| match &user {
            Some(user) => user.join(".turnwise"),
            None => PathBuf::from(".turnwise"),
        });
        let home = Home::new(dir, user).with_policy(arguments.config.clone());
        Self { home, json: arguments.json }
    }

    /// Opens the writer for a command: a connection to the running gateway, or else the log itself. The log is then
    /// locked until the writer is closed.
    pub(crate) fn writer(&self) -> Result<Writer, Failure> {
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

    /// Converts the error of opening the log for a command that cannot run while the gateway does. `reason` completes
    /// the sentence "`turnwise serve` is running, and …".
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

    /// Opens the engine for the gateway: a barrier waits for the journal alone, and the index follows.
    pub(crate) fn gateway_engine(&self, models: Models) -> Result<Engine, Failure> {
        let (log, repairs) = SledLog::open(self.home.log())?;
        self.engine_with_log(
            log.with_max_index_lag(MAX_INDEX_LAG).with_journal_preallocation(JOURNAL_PADDING_BYTES),
            &repairs,
            models,
        )
    }

    /// Opens an engine that writes to `log`, and reports the repairs made when it was opened.
    fn engine_with_log(&self, log: SledLog, repairs: &[Repair], models: Models) -> Result<Engine, Failure> {
        let mut engine = Engine::with_models(&self.home, models, self.stores(Arc::new(log)))?;
        self.report_repairs(&mut engine, repairs)?;
        Ok(engine)
    }

    /// Opens a read-only engine on the current content of the log. It can run beside a writer.
    pub(crate) fn engine_reader(&self) -> Result<Engine, Failure> {
        let log = self.log_reader()?;
        Ok(Engine::open(&self.home, self.stores(log))?)
    }

    /// Folds the state from the current content of the log, without loading the policy.
    pub(crate) fn fold_state(&self) -> Result<RouterState, Failure> {
        Ok(event_bus::fold_all(self.log_reader()?.as_ref())?)
    }

    /// As [`Context::print_policy_note`], for the policy file of an engine.
    pub(crate) fn print_problem_note(&self, engine: &Engine) {
        let problems = engine.policy_problems();
        let first = problems.first().map(ToString::to_string);
        self.print_policy_note(&engine.policy_path().display().to_string(), problems.len() as u64, first.as_deref());
    }

    /// Prints a note if the policy file has errors, because the last valid policy is active then. `first` is the first
    /// error.
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

    /// Prints the repairs made when the log was opened, and records an event for each.
    fn report_repairs(&self, engine: &mut Engine, repairs: &[Repair]) -> Result<(), Failure> {
        let mut events = Vec::new();
        for (number, repair) in (0..).zip(repairs) {
            self.print_note(&format!("the log was repaired: {repair}"));
            let now = engine.now();
            let correlation = EventId::derive(&[b"log"]);
            let action = match repair.action {
                event_bus::RepairAction::TailCut => RepairAction::TailCut,
                event_bus::RepairAction::HeadRewritten => RepairAction::HeadRewritten,
                event_bus::RepairAction::IndexExtended => RepairAction::IndexExtended,
                event_bus::RepairAction::IndexRebuilt => RepairAction::IndexRebuilt,
            };
            let detail = repair.detail.chars().take(500).collect();
            let event = LogRepaired { action, position: repair.position, detail };
            let id = EventId::derive(&[b"log.repaired", &now.0.to_le_bytes(), &[number]]);
            events.push(NewEvent::new(id, now, correlation, &event).map_err(engine::EngineError::from)?);
        }
        Ok(engine.record(events)?)
    }

    /// Prints a note on the standard error, unless the output is JSON.
    pub(crate) fn print_note(&self, text: &str) {
        if !self.json {
            screen::print_error_line(&format!("{} {text}", screen::styled(screen::NOTICE, "note:")));
        }
    }

    /// Prints `json` or calls `text`, depending on `--json`.
    pub(crate) fn print(&self, json: &impl Serialize, text: impl FnOnce()) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(json).map_err(|error| Failure::Failed(error.to_string()))?;
            println!("{json}");
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

fn instant(at: Timestamp) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_microsecond(i64::try_from(at.0).ok()?).ok()
}

/// Reads a text file.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))
}
