//! The bytes on disk, which never change within a format version.

use std::fmt::Write as _;

use event_bus::{EventLog, Expected, SledLog};
use event_core::{EventId, NewEvent, Payload, Timestamp};

/// Formats bytes as a hexadecimal dump with 16 bytes per line.
fn hex(bytes: &[u8]) -> String {
    bytes.chunks(16).enumerate().fold(String::new(), |mut text, (line, bytes)| {
        write!(text, "{:04x} ", line * 16).unwrap();
        for byte in bytes {
            write!(text, " {byte:02x}").unwrap();
        }
        let shown = bytes.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' });
        writeln!(text, "{:1$}{2}", "", 2 + (16 - bytes.len()) * 3, shown.collect::<String>()).unwrap();
        text
    })
}

#[test]
fn the_header_and_two_events_have_these_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let first = NewEvent {
        id: EventId(*b"the first event."),
        at: Timestamp(1_700_000_000_000_000),
        correlation: EventId(*b"the turn........"),
        causation: None,
        kind: "turn.started".into(),
        version: 1,
        payload: b"payload of the first"[..].into(),
    };
    let mut second = first.clone().caused_by(first.id);
    second.id = EventId(*b"the second one..");
    second.kind = "route.decided".into();
    second.version = 2;
    second.payload = Payload::default();
    let batch = [first, second];
    log.append(Expected::Any, Timestamp(1_700_000_000_000_001), &batch).unwrap();
    log.close().unwrap();
    let journal = std::fs::read(directory.path().join("journal")).unwrap();
    let head = std::fs::read_to_string(directory.path().join("HEAD")).unwrap();
    insta::assert_snapshot!("journal", hex(&journal));
    insta::assert_snapshot!("head", head);
}
