//! Fuzz target for the journal reader and for the codecs of event payloads.

use std::{
    ffi::OsString,
    io,
    path::Path,
    sync::{Arc, LazyLock},
};

use contracts::catalogue::KINDS;
use event_bus::{
    Chain, EventLog as _, Expected, JournalReader, LogError, SledLog,
    files::{File, Files, Mode},
};
use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};

use crate::damage::mutate;

/// A valid journal with one event of every kind in batches of three: the bytes of the file, and the events in it.
static VALID_JOURNAL: LazyLock<(Vec<u8>, Vec<Recorded>)> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a directory for the valid journal");
    let (log, _) = SledLog::open(directory.path()).expect("a new log opens");
    for (number, kinds) in (0..).zip(KINDS.chunks(3)) {
        let batch: Vec<_> = (0..)
            .zip(kinds)
            .map(|(index_in_batch, kind)| {
                let id = EventId::derive(&[kind.kind.as_bytes()]);
                let causation = (index_in_batch == 1).then_some(id);
                let payload = (kind.payload)().expect("a sample encodes");
                NewEvent {
                    id,
                    at: Timestamp(number),
                    correlation: id,
                    causation,
                    kind: kind.kind.into(),
                    version: kind.version,
                    payload: payload.into(),
                }
            })
            .collect();
        log.append(Expected::Any, Timestamp(number), &batch).expect("a batch is appended");
    }
    log.close().expect("the log closes");
    let bytes = std::fs::read(directory.path().join("journal")).expect("the journal is there");
    (bytes, log.read_after(Position::ORIGIN, 1_000).expect("the log reads"))
});

/// Tests the journal reader and the payload codecs on arbitrary bytes. The first byte selects one of three
/// interpretations: a journal file, mutation steps for a valid journal, or an event payload.
///
/// Panics if a journal is accepted although it is inconsistent, if a mutated journal yields an event that was never
/// written, or if a payload changes in a round trip.
pub fn check_journal(data: &[u8]) {
    let Some((selector, rest)) = data.split_first() else { return };
    match selector % 3 {
        0 => drop(read_journal(rest.to_vec())),
        1 => {
            let (valid, events) = &*VALID_JOURNAL;
            if let Some(found) = read_journal(mutate(valid, rest)) {
                assert!(events.starts_with(&found), "read an event that was not written");
            }
        }
        _ => check_payload(rest),
    }
}

/// Opens `bytes` as a journal and returns its events; `None` if it is rejected as damaged. Panics if positions, head
/// and hash chain of the events do not agree, or if opening fails for another reason than the content.
fn read_journal(bytes: Vec<u8>) -> Option<Vec<Recorded>> {
    let reader = match JournalReader::open_with("log", &JournalDirectory(Arc::new(bytes))) {
        Ok(reader) => reader,
        Err(LogError::Damaged { .. } | LogError::Format { .. }) => return None,
        Err(other) => panic_with(&other),
    };
    let events = reader.read_after(Position::ORIGIN, usize::MAX).expect("all scanned events can be read");
    let mut chain = Chain::ORIGIN;
    for (event, number) in events.iter().zip(1..) {
        assert_eq!(event.position, Position(number));
        chain = chain.after(event);
    }
    let head = reader.head().expect("the head is known");
    assert_eq!(head, Position(events.len() as u64));
    assert_eq!(reader.chain_at(head).expect("the last frame is there"), Some(chain));
    Some(events)
}

/// Panics because a journal was rejected for a reason other than its content.
#[expect(clippy::panic, reason = "any other error is a finding")]
fn panic_with(error: &LogError) -> ! {
    panic!("the journal was rejected for a reason other than its content: {error}")
}

/// Decodes an event payload to JSON; the first byte selects the kind of event. Panics if encoding and decoding that
/// JSON changes it. A payload that cannot be decoded is not a violation.
fn check_payload(data: &[u8]) {
    let Some((kind, payload)) = data.split_first() else { return };
    let spec = &KINDS[usize::from(*kind) % KINDS.len()];
    let Ok(json) = (spec.to_json)(payload) else { return };
    if let Ok(encoded) = (spec.from_json)(json.clone()) {
        assert_eq!((spec.to_json)(&encoded).ok(), Some(json), "`{}` changes in a round trip", spec.kind);
    }
}

/// A read-only file system for tests whose only file is `journal`, with these bytes.
#[derive(Debug)]
struct JournalDirectory(Arc<Vec<u8>>);

/// The open journal of a [`JournalDirectory`]; contains its bytes. Cannot be locked.
#[derive(Debug)]
struct JournalFile(Arc<Vec<u8>>);

/// Returns the error of every operation that would change or lock a file.
fn read_only<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl Files for JournalDirectory {
    fn create_dir(&self, _: &Path) -> io::Result<bool> {
        read_only()
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>> {
        match mode {
            Mode::Read if path.ends_with("journal") => Ok(Arc::new(JournalFile(Arc::clone(&self.0)))),
            Mode::Read => Err(io::ErrorKind::NotFound.into()),
            Mode::Write | Mode::Create | Mode::Replace => read_only(),
        }
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        read_only()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        read_only()
    }

    fn remove_dir(&self, _: &Path) -> io::Result<()> {
        read_only()
    }

    fn list(&self, _: &Path) -> io::Result<Vec<OsString>> {
        Ok(vec!["journal".into()])
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        read_only()
    }
}

impl File for JournalFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, _: u64, _: &[u8]) -> io::Result<usize> {
        read_only()
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn truncate(&self, _: u64) -> io::Result<()> {
        read_only()
    }

    fn sync_data(&self) -> io::Result<()> {
        read_only()
    }

    fn try_lock(&self) -> io::Result<bool> {
        read_only()
    }
}
