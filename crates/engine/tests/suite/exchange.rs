//! Export and import of JSON Lines: no loss in either direction, and errors that name the invalid line.

use std::{io::BufReader, sync::Arc};

use contracts::{catalogue::KINDS, events::TurnTextRecorded};
use engine::{ChainCheck, EngineError, ExchangeError, ExchangeSummary, export, import};
use event_bus::{EventLog, Expected, MemoryLog, MemoryTexts, TextStore};
use event_core::{EventId, EventType as _, NewEvent, Position, Timestamp};
use proptest::prelude::*;

use crate::support::{Desk, desk::session};

/// Exports a log from its first event; returns the lines.
fn exported(log: &dyn EventLog, texts: &dyn TextStore) -> Vec<u8> {
    let mut lines = Vec::new();
    export(log, texts, Position::ORIGIN, &mut lines, |_| {}).unwrap();
    lines
}

/// Imports lines with hash chains into an empty log; returns log, text store and result.
fn imported(lines: &[u8]) -> (Arc<MemoryLog>, Arc<MemoryTexts>, Result<ExchangeSummary, EngineError>) {
    imported_with(ChainCheck::Required, lines)
}

/// Imports lines into an empty log, as [`imported`] does; `chains` is whether lines must have a hash chain.
fn imported_with(
    chains: ChainCheck,
    lines: &[u8],
) -> (Arc<MemoryLog>, Arc<MemoryTexts>, Result<ExchangeSummary, EngineError>) {
    let (log, texts) = (Arc::new(MemoryLog::new()), Arc::new(MemoryTexts::new()));
    let done = import(log.as_ref(), texts.as_ref(), chains, &mut BufReader::new(lines), |_| {});
    (log, texts, done)
}

/// Exports a log, imports it into an empty one, and exports that again; the exports must be equal.
fn round(log: &dyn EventLog, texts: &dyn TextStore) -> ExchangeSummary {
    let lines = exported(log, texts);
    let (copy, copied, done) = imported(&lines);
    let again = exported(copy.as_ref(), copied.as_ref());
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(lines).unwrap());
    assert_eq!(copy.read_after(Position::ORIGIN, 10_000).unwrap(), log.read_after(Position::ORIGIN, 10_000).unwrap());
    done.unwrap()
}

/// Returns an event with the kind, version and payload. Every second event has the previous one as its cause.
fn event(number: u64, kind: &str, version: u16, payload: Vec<u8>) -> NewEvent {
    NewEvent {
        id: EventId::derive(&[&number.to_le_bytes()]),
        at: Timestamp(number * 1_000),
        correlation: EventId::derive(&[b"turn"]),
        causation: (number % 2 == 1).then(|| EventId::derive(&[&(number - 1).to_le_bytes()])),
        kind: kind.to_owned().into(),
        version,
        payload: payload.into(),
    }
}

/// Returns a log in memory with these events.
fn log_of(events: &[NewEvent]) -> MemoryLog {
    let log = MemoryLog::new();
    for (number, event) in (0..).zip(events) {
        log.append(Expected::Any, Timestamp(number * 7), std::slice::from_ref(event)).unwrap();
    }
    log.sync().unwrap();
    log
}

/// Returns a log of 20 turns, one of them with a text too long for an event.
fn desk() -> Desk {
    let mut desk = Desk::with("global_default: haiku");
    for number in 0..20 {
        desk.pass_secs(1);
        let message = if number == 7 { "word ".repeat(1_000) } else { format!("turn {number}") };
        desk.turn("one", &message);
    }
    desk
}

/// An export that is imported into an empty log results in the same events, texts and export.
#[test]
fn a_log_of_turns_goes_out_and_in_without_a_difference() {
    let desk = desk();
    let done = round(desk.log.as_ref(), desk.texts.as_ref());
    // The texts of the policy, of the models, and of the long message.
    assert_eq!((done.events, done.texts, done.known), (desk.head().0, 3, 0));
}

/// A stored text is exported as a line before the event that refers to it, and importing it stores the text.
#[test]
fn texts_travel_before_the_events_that_name_them() {
    let desk = desk();
    let lines = String::from_utf8(exported(desk.log.as_ref(), desk.texts.as_ref())).unwrap();
    let text = lines.lines().position(|line| line.starts_with("{\"text\"") && line.contains("word word")).unwrap();
    let hash = &lines.lines().nth(text).unwrap()[9..73];
    assert!(lines.lines().nth(text + 1).unwrap().contains(hash));
    let (_, texts, _) = imported(lines.as_bytes());
    assert_eq!(
        texts.get(*blake3::hash("word ".repeat(1_000).as_bytes()).as_bytes()).unwrap(),
        Some("word ".repeat(1_000))
    );
}

/// Every kind of event is exported as JSON fields (`data`) and imported with the same bytes.
#[test]
fn every_kind_of_event_is_readable_and_comes_back_with_the_same_bytes() {
    let events: Vec<_> = (0..)
        .zip(KINDS)
        .map(|(number, spec)| event(number, spec.kind, spec.version, (spec.payload)().unwrap()))
        .collect();
    let log = log_of(&events);
    let lines = String::from_utf8(exported(&log, &MemoryTexts::new())).unwrap();
    assert!(lines.lines().all(|line| line.contains("\"data\"")), "no known event is written as `payload`");
    assert_eq!(round(&log, &MemoryTexts::new()).events, KINDS.len() as u64);
    let ended = lines.lines().find(|line| line.contains("turn.ended")).unwrap();
    // The chain depends on the bytes of all earlier events; `round` has verified it.
    insta::assert_snapshot!(ended.split(",\"chain\"").next().unwrap());
}

/// Events of unknown kinds, newer versions or undecodable payloads are exported as hexadecimal digits (`payload`) and
/// imported with the same bytes.
#[test]
fn events_of_unknown_kinds_and_newer_versions_go_through_as_they_are() {
    let sample = (KINDS[0].payload)().unwrap();
    let events = [
        event(0, "acme.coffee_brewed", 3, vec![0, 255, 7]),
        event(1, KINDS[0].kind, KINDS[0].version + 1, sample.clone()),
        event(2, KINDS[0].kind, 0, sample),
        event(3, "acme.nothing", 1, Vec::new()),
        event(4, TurnTextRecorded::KIND, TurnTextRecorded::VERSION, vec![1, 2, 3]),
    ];
    let log = log_of(&events);
    assert_eq!(round(&log, &MemoryTexts::new()).events, 5);
    let lines = String::from_utf8(exported(&log, &MemoryTexts::new())).unwrap();
    assert!(lines.lines().all(|line| line.contains("\"payload\"")));
    insta::assert_snapshot!(lines.lines().next().unwrap());
}

/// Importing lines that the log has in part counts the known events and adds the others; a second time it adds none.
#[test]
fn reading_the_same_lines_again_skips_what_is_known() {
    let desk = desk();
    let lines = exported(desk.log.as_ref(), desk.texts.as_ref());
    let half: Vec<u8> = lines.split_inclusive(|byte| *byte == b'\n').take(40).flatten().copied().collect();
    let (log, texts, first) = imported(&half);
    let first = first.unwrap();
    let rest = |expected: (u64, u64)| {
        let done =
            import(log.as_ref(), texts.as_ref(), ChainCheck::Required, &mut BufReader::new(lines.as_slice()), |_| {})
                .unwrap();
        assert_eq!((done.events, done.known), expected);
    };
    rest((desk.head().0 - first.events, first.events));
    rest((0, desk.head().0));
    assert_eq!(exported(log.as_ref(), texts.as_ref()), lines);
}

/// Imports an export after a change of its lines; returns the error and the number of imported events.
fn changed(change: impl FnOnce(&mut Vec<String>)) -> (String, u64) {
    let desk = desk();
    let lines = String::from_utf8(exported(desk.log.as_ref(), desk.texts.as_ref())).unwrap();
    let mut lines: Vec<_> = lines.lines().map(str::to_owned).collect();
    change(&mut lines);
    wrong(ChainCheck::Required, &lines)
}

/// Imports a changed export, as [`changed`] does, after removing the hash chains from its lines.
fn changed_without_chains(change: impl FnOnce(&mut Vec<String>)) -> (String, u64) {
    let desk = desk();
    let lines = String::from_utf8(exported(desk.log.as_ref(), desk.texts.as_ref())).unwrap();
    let mut lines: Vec<_> = lines.lines().map(stripped).collect();
    change(&mut lines);
    wrong(ChainCheck::Optional, &lines)
}

/// Imports lines with an error; returns the error and the number of imported events.
fn wrong(chains: ChainCheck, lines: &[String]) -> (String, u64) {
    let (log, _, done) = imported_with(chains, lines.join("\n").as_bytes());
    let error = done.unwrap_err();
    assert!(matches!(&error, EngineError::Exchange(_)), "{error}");
    (error.to_string(), log.head().unwrap().0)
}

/// Removes the hash chain from a line of an export.
fn stripped(line: &str) -> String {
    line.rfind(",\"chain\":\"").map_or(line.to_owned(), |chain| format!("{}}}", &line[..chain]))
}

/// An invalid line is an error with its number, and all events before it are imported.
#[test]
fn a_wrong_line_is_named_and_everything_before_it_is_kept() {
    // Two of the first ten lines are texts, so three fewer events than lines precede line 60.
    let events_before = 60 - 1 - 3;
    let cut = changed(|lines| {
        lines.truncate(60);
        lines[59].truncate(70);
    });
    assert!(cut.0.starts_with("line 60: EOF"), "{}", cut.0);
    assert_eq!(cut.1, events_before);
    let noise = changed(|lines| lines[59] = "not JSON".to_owned());
    assert!(noise.0.starts_with("line 60: "), "{}", noise.0);
    assert_eq!(noise.1, events_before);
    let unknown_key = changed(|lines| lines[59] = lines[59].replace("\"kind\"", "\"kindle\":1,\"kind\""));
    assert!(unknown_key.0.starts_with("line 60: unknown field `kindle`"), "{}", unknown_key.0);
    let bare = changed(|lines| lines[59] = lines[59].replace("\"data\"", "\"payload\":\"0\",\"data\""));
    assert_eq!(bare.0, "line 60: an event has one of `data`, `payload` and `purged`");
    let earlier = changed_without_chains(|lines| {
        let time = lines[59].find("\"recorded_at\":").unwrap() + 14;
        lines[59].replace_range(time..=time, "0");
    });
    assert!(earlier.0.starts_with("line 60: "), "{}", earlier.0);
    assert_eq!(earlier.1, events_before);
    let twice = changed_without_chains(|lines| {
        let id = |line: &str| line[line.find("\"id\":\"").unwrap() + 6..][..32].to_owned();
        lines[59] = lines[59].replace(&id(&lines[59]), &id(&lines[57]));
    });
    assert!(twice.0.starts_with("line 60: ") && twice.0.contains("already recorded"), "{}", twice.0);
    assert_eq!(twice.1, events_before);
}

/// A line that is not UTF-8 is an error of that line.
#[test]
fn a_line_that_is_not_text_is_named() {
    let desk = desk();
    let mut lines = exported(desk.log.as_ref(), desk.texts.as_ref());
    let end = lines.len() - 10;
    lines[end] = 0xff;
    let (log, _, done) = imported(&lines);
    let error = done.unwrap_err();
    assert!(error.to_string().contains("invalid utf-8"), "{error}");
    assert!(matches!(error, EngineError::Exchange(ExchangeError::Line { .. })));
    assert_eq!(log.head().unwrap().0, desk.head().0 - 1);
}

/// A missing position, a repeated position and a text that does not have its hash are errors.
#[test]
fn a_hole_a_jump_back_and_a_changed_text_are_told() {
    let hole = changed(|lines| drop(lines.remove(59)));
    assert!(hole.0.contains("the log ends at 56, the file starts at 58"), "{}", hole.0);
    assert_eq!(hole.1, 56);
    let back = changed_without_chains(|lines| lines[59] = lines[59].replace("\"position\":57,", "\"position\":48,"));
    assert!(back.0.contains("the log ends at 56, the file starts at 48"), "{}", back.0);
    assert_eq!(back.1, 56);
    let text = changed(|lines| {
        let text = lines.iter().position(|line| line.contains("word word")).unwrap();
        lines[text] = lines[text].replacen("word word", "word sword", 1);
    });
    assert!(text.0.contains("the content is not that of"), "{}", text.0);
}

/// The index of the line with the text of turn 13 in an export of [`desk`].
const CHANGED: usize = 72;

/// A line that was changed, removed or deprived of its hash chain is detected by the chain.
#[test]
fn a_line_that_was_changed_dropped_or_stripped_shows_in_the_chain() {
    let broken = "the hash chain does not hold: this line was changed, or one before it was changed or dropped";
    let data = changed(|lines| lines[CHANGED] = lines[CHANGED].replacen("turn 13", "turn 31", 1));
    let place = format!("line {}: ", CHANGED + 1);
    assert!(data.0.starts_with(&place) && data.0.contains(broken), "{}", data.0);
    // Three of the lines before have texts.
    assert_eq!(data.1, CHANGED as u64 - 3);
    let envelope = changed(|lines| {
        let at = lines[CHANGED].find("\"at\":").unwrap() + 5;
        lines[CHANGED].insert(at, '1');
    });
    assert!(envelope.0.starts_with(&place) && envelope.0.contains(broken), "{}", envelope.0);
    // Moving the lines after a removed one up does not help.
    let moved = changed(|lines| {
        let number = |line: &str| line[12..line.find(',').unwrap()].parse::<u64>().unwrap();
        drop(lines.remove(CHANGED));
        for line in &mut lines[CHANGED..] {
            let number = number(line);
            *line = line.replacen(&format!("\"position\":{number}"), &format!("\"position\":{}", number - 1), 1);
        }
    });
    assert!(moved.0.starts_with(&place) && moved.0.contains(broken), "{}", moved.0);
    let bare = changed(|lines| lines[CHANGED] = stripped(&lines[CHANGED]));
    assert!(bare.0.starts_with(&format!("{place}it carries no hash chain")), "{}", bare.0);
    assert_eq!(bare.1, CHANGED as u64 - 3);
}

/// With `ChainCheck::Optional`, lines without a hash chain are imported and counted.
#[test]
fn lines_without_a_chain_are_taken_when_told_to_and_counted() {
    let desk = desk();
    let lines = String::from_utf8(exported(desk.log.as_ref(), desk.texts.as_ref())).unwrap();
    let bare: String = lines.lines().map(|line| stripped(line) + "\n").collect();
    let (log, texts, done) = imported_with(ChainCheck::Optional, bare.as_bytes());
    let done = done.unwrap();
    assert_eq!((done.events, done.unchained), (desk.head().0, desk.head().0));
    assert_eq!(done.chain, desk.log.chain_at(desk.head()).unwrap());
    assert_eq!(exported(log.as_ref(), texts.as_ref()), lines.as_bytes());
}

/// Importing into a log with other events is an error and changes nothing.
#[test]
fn a_log_with_other_events_is_left_alone() {
    let desk = desk();
    let lines = exported(desk.log.as_ref(), desk.texts.as_ref());
    let mut other = Desk::with("global_default: opus");
    other.turn("two", "hello");
    let head = other.head();
    let done = import(
        other.log.as_ref(),
        other.texts.as_ref(),
        ChainCheck::Required,
        &mut BufReader::new(lines.as_slice()),
        |_| {},
    );
    assert!(matches!(done, Err(EngineError::Exchange(ExchangeError::NotAContinuation { .. }))), "{done:?}");
    assert_eq!(other.head(), head);
}

/// A log whose text was removed can be exported and imported without that text.
#[test]
fn a_purged_text_is_not_missed() {
    let desk = desk();
    let long = "word ".repeat(1_000);
    assert!(desk.texts.remove(*blake3::hash(long.as_bytes()).as_bytes()).unwrap());
    assert_eq!(round(desk.log.as_ref(), desk.texts.as_ref()).texts, 2);
}

/// The engine's state on an imported log has the same bytes as on the original.
#[test]
fn the_state_of_a_copied_log_is_the_state_of_the_log() {
    let desk = desk();
    let (copy, texts, _) = imported(&exported(desk.log.as_ref(), desk.texts.as_ref()));
    let copy = Desk::open(Some("global_default: haiku"), copy, texts, desk.models.clone());
    let bytes = |desk: &Desk| event_core::encode_state("router-state", desk.engine.state()).unwrap();
    assert_eq!(bytes(&copy), bytes(&desk));
    assert_eq!(copy.engine.state().sessions.get(&session("one")).unwrap().turns, 20);
}

/// Lines with their keys in another order are imported as well.
#[test]
fn keys_in_another_order_are_read_as_well() {
    let desk = desk();
    let lines = String::from_utf8(exported(desk.log.as_ref(), desk.texts.as_ref())).unwrap();
    let sorted: Vec<_> = lines
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let keys: std::collections::BTreeMap<_, _> = line.as_object().unwrap().iter().collect();
            serde_json::to_string(&keys).unwrap()
        })
        .collect();
    let (log, texts, done) = imported(sorted.join("\n").as_bytes());
    assert_eq!(done.unwrap().texts, 3);
    assert_eq!(exported(log.as_ref(), texts.as_ref()), lines.as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_under_any_kind_go_out_and_in(
        events in prop::collection::vec(("[a-z.]{1,20}", any::<u16>(), prop::collection::vec(any::<u8>(), 0..200)), 1..20),
    ) {
        let events: Vec<_> =
            (0..).zip(events).map(|(number, (kind, version, payload))| event(number, &kind, version, payload)).collect();
        round(&log_of(&events), &MemoryTexts::new());
    }
}
