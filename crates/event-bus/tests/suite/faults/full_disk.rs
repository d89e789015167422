//! A full disk: appends fail, acknowledged events stay readable, and the log continues when there is space again. Needs
//! permission to mount a file system; skipped otherwise.

use std::{fs, io::Write as _, path::Path, process::Command};

use event_bus::{EventLog as _, Expected, JournalReader, LogError, SledLog, verify};
use event_core::{NewEvent, Position, Timestamp};
use tempfile::TempDir;

use crate::support::{all, new_event};

/// A small file system in memory, mounted until this value is dropped.
struct SmallDisk {
    /// Mount point.
    directory: TempDir,
}

impl SmallDisk {
    /// Mounts a file system of `kib` KiB. Returns a description of the reason if that is impossible.
    fn of(kib: u32) -> Result<Self, String> {
        let directory = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k,mode=700");
        mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], directory.path())?;
        Ok(Self { directory })
    }

    /// Returns the mount point.
    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Changes the size of the file system to `kib` KiB.
    fn grow(&self, kib: u32) {
        mount(&["-o", &format!("remount,size={kib}k")], self.path()).unwrap();
    }

    /// Writes a file that fills the file system to the last byte.
    fn fill(&self) {
        let mut file = fs::File::create(self.path().join("someone else's")).unwrap();
        for size in [4_096, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
    }

    /// Removes the file written by [`SmallDisk::fill`].
    fn make_space(&self) {
        fs::remove_file(self.path().join("someone else's")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("--lazy").arg(self.path()).status();
        let done = unmounted.is_ok_and(|status| status.success());
        assert!(done || std::thread::panicking(), "`{}` stays mounted", self.path().display());
    }
}

/// Runs `mount` with options at a directory; its error output if it fails.
fn mount(options: &[&str], at: &Path) -> Result<(), String> {
    let run = Command::new("mount").args(options).arg(at).output().map_err(|error| error.to_string())?;
    if run.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&run.stderr).trim().to_owned()) }
}

/// Creates event number `number` with a payload of 3,000 bytes.
fn large(number: u64) -> NewEvent {
    let mut event = new_event(number);
    event.payload = vec![1; 3_000].into();
    event
}

/// Appends and syncs at most `most` events, from number `from` on, until the log returns an error. Returns the number
/// of the last acknowledged event, and the error.
fn append(log: &SledLog, from: u64, most: u64) -> (u64, Option<LogError>) {
    for number in from..from + most {
        let appended = log.append(Expected::Any, Timestamp(number), &[large(number)]);
        if let Err(error) = appended.and_then(|_| log.sync()) {
            return (number - 1, Some(error));
        }
    }
    (from + most - 1, None)
}

/// Asserts that a log has the first `acknowledged` events, and at most one more that was being written.
fn has(log: &dyn event_bus::EventLog, acknowledged: u64) {
    let events = all(log);
    assert!((acknowledged..=acknowledged + 1).contains(&(events.len() as u64)), "{acknowledged}, {}", events.len());
    assert!(events.iter().zip(1..).all(|(event, number)| event.event == large(number)));
}

/// Asserts that the error contains the log's path, the cause and the next step, and that acknowledged events are
/// readable.
fn is_full(log: &SledLog, error: &LogError, acknowledged: u64) {
    let LogError::Full { path, .. } = error else { panic!("{error}") };
    assert_eq!(path, log.directory());
    let text = error.to_string();
    for part in [&*path.to_string_lossy(), "No space left on device", "no restart is needed"] {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
    assert_eq!(log.head().unwrap(), Position(acknowledged));
    assert_eq!(all(log).len() as u64, acknowledged);
    has(&JournalReader::open(log.directory()).unwrap(), acknowledged);
}

/// Opens a log on a full disk and asserts that no file is moved aside and no event is lost. Returns whether it was
/// opened.
fn is_opened_or_refused(directory: &Path, acknowledged: u64) -> bool {
    let opened = SledLog::open(directory);
    let aside = fs::read_dir(directory)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".damaged-"));
    assert_eq!(aside.count(), 0, "a full disk is no damage: {opened:?}");
    has(&JournalReader::open(directory).unwrap(), acknowledged);
    match opened {
        Ok((log, _)) => {
            has(&log, acknowledged);
            true
        }
        Err(error @ (LogError::Io { .. } | LogError::Stopped { .. })) => {
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            assert!(format!("{error}: {source}").contains("No space left on device"), "{error}: {source}");
            false
        }
        Err(other) => panic!("{other}"),
    }
}

/// Asserts that an open log that was full accepts events again, the one that waited for room first, once there is space.
fn continues_without_a_restart(log: &SledLog, acknowledged: u64) {
    let (written, error) = append(log, acknowledged + 2, 20);
    assert!(error.is_none(), "{error:?}");
    let events = all(log);
    assert_eq!((events.len() as u64, log.head().unwrap()), (written, Position(written)));
    assert!(events.iter().zip(1..).all(|(event, number)| event.event == large(number)));
}

#[test]
fn a_full_log_continues_by_itself_once_there_is_space() {
    let disk = match SmallDisk::of(6_144) {
        Ok(disk) => disk,
        Err(why) => {
            println!("skipped: full disk: a file system cannot be mounted here: {why}");
            return;
        }
    };
    let log_path = disk.path().join("log");
    // As the gateway opens it: the index may lag, and the journal is written ahead.
    let log = SledLog::open(&log_path).unwrap().0;
    let log = log.with_max_index_lag(std::time::Duration::ZERO).with_journal_preallocation(64 * 1024);
    let mut acknowledged = 0;
    for round in 0..3 {
        assert!(matches!(append(&log, acknowledged + 1, 10), (_, None)), "round {round}");
        acknowledged += 10;
        disk.fill();
        let (written, error) = append(&log, acknowledged + 1, 10_000);
        is_full(&log, &error.unwrap(), written);
        assert!(log.sync().unwrap_err().is_out_of_room(), "each attempt tries again");
        disk.make_space();
        continues_without_a_restart(&log, written);
        acknowledged = log.head().unwrap().0;
    }
    drop(log);
    goes_on(&log_path, acknowledged);
}

/// Asserts that the log opens with all events and accepts more, after space was freed.
fn goes_on(directory: &Path, acknowledged: u64) {
    let (log, _) = SledLog::open(directory).unwrap();
    has(&log, acknowledged);
    let head = log.head().unwrap().0;
    assert!(matches!(append(&log, head + 1, 20), (_, None)));
    drop(log);
    let verified = verify(directory).unwrap();
    assert!(verified.is_sound() && verified.notes.is_empty(), "{verified:?}");
    assert_eq!((verified.events, verified.indexed), (head + 20, Some(head + 20)));
}

/// A log that fills its disk stops with an error, loses no acknowledged event, and continues when the disk is larger.
#[test]
fn a_log_on_a_disk_that_is_full_says_so_keeps_everything_and_goes_on_with_space() {
    let (mut refused, mut acknowledged): (Vec<bool>, Vec<u64>) = Default::default();
    // Sizes at which different calls fail, of the journal and of the index.
    for kib in (1_600..3_600).step_by(188) {
        let disk = match SmallDisk::of(kib) {
            Ok(disk) => disk,
            Err(why) => {
                println!("skipped: full disk: a file system cannot be mounted here: {why}");
                return;
            }
        };
        let log_path = disk.path().join("log");
        let (log, _) = SledLog::open(&log_path).unwrap();
        let (written, error) = append(&log, 1, u64::MAX / 2);
        is_full(&log, &error.unwrap(), written);
        drop(log);
        refused.push(!is_opened_or_refused(&log_path, written));
        disk.grow(kib + 4_096);
        goes_on(&log_path, written);
        acknowledged.push(written);
    }
    assert!(acknowledged.iter().all(|written| 20 < *written), "{acknowledged:?}");
    let opened = refused.iter().filter(|refused| !**refused).count();
    let others = filled_by_someone_else();
    println!(
        "kept: full disk: {} disks of 1.6 to 3.6 MB filled by the log itself, {} events acknowledged and all there \
         ({opened} logs opened while the disk was full), {others} more filled by someone else",
        acknowledged.len(),
        acknowledged.iter().sum::<u64>()
    );
}

/// Tests logs on disks that another file fills, and creating a log on a full disk. Returns the number of disks.
fn filled_by_someone_else() -> usize {
    const FACTS: [u64; 4] = [0, 1, 10, 40];
    for events in FACTS {
        let disk = SmallDisk::of(4_096).unwrap();
        let log_path = disk.path().join("log");
        let (log, _) = SledLog::open(&log_path).unwrap();
        assert!(matches!(append(&log, 1, events), (_, None)));
        disk.fill();
        let (written, error) = append(&log, events + 1, 1_000);
        is_full(&log, &error.unwrap(), written);
        drop(log);
        is_opened_or_refused(&log_path, written);
        disk.make_space();
        goes_on(&log_path, written);
    }
    // A new log cannot be created without space.
    let disk = SmallDisk::of(64).unwrap();
    disk.fill();
    let refused = SledLog::open(disk.path().join("log")).unwrap_err();
    assert!(matches!(refused, LogError::Io { .. } | LogError::Stopped { .. }), "{refused}");
    disk.make_space();
    disk.grow(4_096);
    goes_on(&disk.path().join("log"), 0);
    FACTS.len() + 1
}
