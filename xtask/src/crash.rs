//! A writer of the log killed with SIGKILL at random moments, and what is left checked after every kill.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program::{cannot_start, capture, cargo, execute},
    workspace,
};

/// The writer lives so many milliseconds: from dying while it opens the log to dying in the middle of a stream.
const LIVES_MS: (u64, u64) = (20, 400);

pub(crate) fn run(rounds: u32, seed: Option<u64>) -> Outcome<Passed> {
    let examples = ["--example", "crash_writer", "--example", "crash_check"];
    execute(cargo(&["build", "--release", "--locked", "--package", "event-bus"]).args(examples))?;
    let seed = seed.unwrap_or_else(clock);
    println!("crash: {rounds} rounds, seed {seed}");
    let folder = workspace::temporary()?;
    let place = Place::in_folder(folder.path());
    let mut random = Random(seed);
    let (mut report, mut silent) = (String::new(), 0);
    for round in 1..=rounds {
        let lived = Duration::from_millis(random.between(LIVES_MS));
        let fail = |failure: Failure| {
            Failure::new(format!("round {round} of seed {seed}, killed after {} ms: {failure}", lived.as_millis()))
        };
        let said = place.write_and_kill(random.next(), lived).map_err(fail)?;
        silent += u32::from(said == 0);
        report = place.check().map_err(fail)?;
    }
    let note = format!("{rounds} kills, {silent} of them before a first acknowledgement; {}", report.trim());
    println!("crash: {note}");
    Ok(Passed::noting(note))
}

/// A log, and what its writers said they had written.
struct Place {
    log: PathBuf,
    said: PathBuf,
}

impl Place {
    fn in_folder(folder: &Path) -> Self {
        Self { log: folder.join("log"), said: folder.join("acknowledged") }
    }

    /// One life of the writer. Returns how many bytes it said before it died.
    fn write_and_kill(&self, seed: u64, lived: Duration) -> Outcome<usize> {
        // A file, because it keeps what was said at the moment of death and never makes the writer wait.
        let latest = self.said.with_extension("latest");
        let out = File::create(&latest).map_err(|error| Failure::file("create", &latest, &error))?;
        let mut command = Command::new(example("crash_writer"));
        command.arg(&self.log).arg(seed.to_string()).stdout(out);
        let mut writer = command.spawn().map_err(|error| cannot_start(&command, &error))?;
        thread::sleep(lived);
        let died = writer.try_wait().map_err(|error| Failure::new(format!("lost the writer: {error}")))?;
        if let Some(status) = died {
            return Err(Failure::new(format!("the writer ended before it was killed: {status}")));
        }
        let killed = writer.kill().and_then(|()| writer.wait());
        killed.map_err(|error| Failure::new(format!("cannot kill the writer: {error}")))?;
        let said = workspace::read(&latest)?;
        let before = if self.said.exists() { workspace::read(&self.said)? } else { String::new() };
        // The last line may be cut: it must not run into the first line of the next life.
        fs::write(&self.said, format!("{before}{said}\n"))
            .map_err(|error| Failure::file("write", &self.said, &error))?;
        Ok(said.len())
    }

    /// The counts, when everything acknowledged in any life is there, once, without a hole.
    fn check(&self) -> Outcome<String> {
        let said = File::open(&self.said).map_err(|error| Failure::file("read", &self.said, &error))?;
        let counts = capture(Command::new(example("crash_check")).arg(&self.log).stdin(Stdio::from(said)))?;
        // Repairs stand on lines of their own above the counts.
        Ok(counts.lines().last().unwrap_or_default().to_owned())
    }
}

fn example(name: &str) -> PathBuf {
    workspace::release_binary(&format!("examples/{name}"))
}

/// A seed nobody chose.
fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs())
}

/// Numbers that look random and follow from a seed: `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, (least, most): (u64, u64)) -> u64 {
        least + self.next() % (most - least + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_of_a_seed_are_the_same_every_time_and_within_bounds() {
        let moments = |seed| {
            let mut random = Random(seed);
            (0..100).map(|_| random.between(LIVES_MS)).collect::<Vec<_>>()
        };
        assert_eq!(moments(7), moments(7));
        assert_ne!(moments(7), moments(8));
        assert!(moments(7).iter().all(|moment| (20..=400).contains(moment)));
    }
}
