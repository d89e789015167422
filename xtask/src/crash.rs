//! Kills a writer of the log (SIGKILL) at random moments and checks the log after every kill.

use std::{
    fs::{self, File},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program::{cannot_start, capture_output, cargo, execute},
    workspace,
};

/// Shortest and longest lifetime of a writer in milliseconds: from a kill while it opens the log to one while it
/// appends.
const LIFETIME_MS: RangeInclusive<u64> = 20..=400;

/// Kills `rounds` writers of one log and checks the log after each. `seed` determines the lifetimes and the events;
/// `None` takes it from the clock.
pub(crate) fn run(rounds: u32, seed: Option<u64>) -> Outcome<Passed> {
    let examples = ["--example", "crash_writer", "--example", "crash_check"];
    execute(cargo(&["build", "--release", "--locked", "--package", "event-bus"]).args(examples))?;
    let seed = seed.unwrap_or_else(clock_seed);
    println!("crash: {rounds} rounds, seed {seed}");
    let folder = workspace::temporary_folder()?;
    let test = CrashTest::in_folder(folder.path());
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut report, mut early_kills) = (String::new(), 0);
    for round in 1..=rounds {
        let lifetime = Duration::from_millis(random.u64(LIFETIME_MS));
        let fail = |failure: Failure| {
            Failure::new(format!("round {round} of seed {seed}, killed after {} ms: {failure}", lifetime.as_millis()))
        };
        let acknowledged_bytes = test.write_and_kill(random.u64(..), lifetime).map_err(fail)?;
        early_kills += u32::from(acknowledged_bytes == 0);
        report = test.check_log().map_err(fail)?;
    }
    let note = format!("{rounds} kills, {early_kills} of them before a first acknowledgement; {}", report.trim());
    println!("crash: {note}");
    Ok(Passed::with_note(note))
}

/// The files of a crash test: the log, and the list of acknowledged events.
struct CrashTest {
    /// The folder of the log.
    log: PathBuf,
    /// The file with the events that writers acknowledged, one per line.
    acknowledged: PathBuf,
}

impl CrashTest {
    /// Returns the paths of the files in a folder; creates none of them.
    fn in_folder(folder: &Path) -> Self {
        Self { log: folder.join("log"), acknowledged: folder.join("acknowledged") }
    }

    /// Starts a program that writes to the log, and kills it after `lifetime`. `seed` determines the events that it
    /// writes. Returns the length of the file of acknowledged events in bytes. Fails if the writer ends earlier.
    fn write_and_kill(&self, seed: u64, lifetime: Duration) -> Outcome<usize> {
        // A file keeps every acknowledgement up to the kill, and never blocks the writer.
        let latest = self.acknowledged.with_extension("latest");
        let out = File::create(&latest).map_err(|error| Failure::file("create", &latest, &error))?;
        let mut command = Command::new(example("crash_writer"));
        command.arg(&self.log).arg(seed.to_string()).stdout(out);
        let mut writer = command.spawn().map_err(|error| cannot_start(&command, &error))?;
        thread::sleep(lifetime);
        let exit_status = writer.try_wait().map_err(|error| Failure::new(format!("lost the writer: {error}")))?;
        if let Some(status) = exit_status {
            return Err(Failure::new(format!("the writer ended before it was killed: {status}")));
        }
        let kill_result = writer.kill().and_then(|()| writer.wait());
        kill_result.map_err(|error| Failure::new(format!("cannot kill the writer: {error}")))?;
        let latest_events = workspace::read_file(&latest)?;
        let earlier_events =
            if self.acknowledged.exists() { workspace::read_file(&self.acknowledged)? } else { String::new() };
        // The last line may be cut off: it must not join the first line of the next writer.
        fs::write(&self.acknowledged, format!("{earlier_events}{latest_events}\n"))
            .map_err(|error| Failure::file("write", &self.acknowledged, &error))?;
        Ok(latest_events.len())
    }

    /// Checks that the log has every acknowledged event exactly once and without gaps. Returns the counts as text.
    fn check_log(&self) -> Outcome<String> {
        let acknowledged_events =
            File::open(&self.acknowledged).map_err(|error| Failure::file("read", &self.acknowledged, &error))?;
        let counts = capture_output(
            Command::new(example("crash_check")).arg(&self.log).stdin(Stdio::from(acknowledged_events)),
        )?;
        // Repairs are printed on lines above the counts.
        Ok(counts.lines().last().unwrap_or_default().to_owned())
    }
}

/// Returns the path of an example program built in the release profile.
fn example(name: &str) -> PathBuf {
    workspace::release_binary(&format!("examples/{name}"))
}

/// Returns the current time in seconds since 1970, as a seed.
fn clock_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs())
}
