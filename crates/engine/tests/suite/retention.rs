//! Retention: the contents of old sessions are removed, their decisions and costs stay as totals.

use std::path::Path;

use contracts::events::{CostsRetained, DecisionsRetained, LogRetained, StopReason, TurnStarted};
use engine::{RetentionPlan, RetentionScope, RouterState, TurnInput, plan_retention};
use event_bus::{EventLog, ManualClock, SledLog, TextFiles, TextStore as _, fold_all, verify};
use event_core::{Position, Recorded, Timestamp};

use crate::support::{
    Desk,
    desk::{client_request, session},
};

/// Microseconds of a day.
const DAY: u64 = 86_400 * 1_000_000;

/// The policy of the tests: one rule and a default.
const POLICY: &str = "rules:
  - {name: commits, when: {message_contains_any: [commit]}, use: haiku}
global_default: sonnet
";

/// Writes a log to a directory: one turn with a call each day for ten days, in the sessions `old` (days 0 to 3), `long`
/// (days 4 and 9) and `new` (the other days), some of them by a rule. Returns the events and the time after the last.
fn on_disk(directory: &Path) -> (Vec<Recorded>, Timestamp) {
    let mut desk = Desk::with(POLICY);
    for day in 0..10_u64 {
        let name = match day {
            0..=3 => "old",
            4 | 9 => "long",
            _ => "new",
        };
        let message = match day {
            0 => "commit once ".repeat(600),
            day if day % 2 == 0 => "commit it ".repeat(600),
            _ => "fix the tests".to_owned(),
        };
        let input = TurnInput {
            workspace: Some(format!("/work/{}", day % 3)),
            request: Some(client_request()),
            ..TurnInput::new(session(name), format!("message-{day}"), message)
        };
        desk.arrive(input).unwrap();
        desk.answer(name, StopReason::EndTurn);
        desk.end(name);
        desk.pass_secs(86_400);
    }
    let events = desk.events();
    let (log, _) = SledLog::open(directory).unwrap();
    log.restore(&events).unwrap();
    log.close().unwrap();
    let texts = TextFiles::open(directory);
    for text in ["commit once ".repeat(600), "commit it ".repeat(600), "a text that no event names".to_owned()] {
        texts.put(&text).unwrap();
    }
    (events, desk.now)
}

/// Removes what exceeds the limits from the log in a directory; returns the executed plan.
fn retain(directory: &Path, scope: RetentionScope, now: Timestamp) -> RetentionPlan {
    let (log, _) = SledLog::open(directory).unwrap();
    let plan = plan_retention(&log, scope, now).unwrap();
    let (_, outcome) = plan.clone().execute(log, &TextFiles::open(directory), &ManualClock::new(now)).unwrap();
    assert_eq!((outcome.events, outcome.bytes), (plan.events(), plan.bytes));
    plan
}

/// Returns the state and the events of the log in a directory, which must be sound.
fn read(directory: &Path) -> (RouterState, Vec<Recorded>) {
    let verified = verify(directory).unwrap();
    assert!(verified.is_sound(), "{verified:?}");
    let (log, repairs) = SledLog::open(directory).unwrap();
    assert_eq!(repairs, []);
    (fold_all(&log).unwrap(), log.read_after(Position::ORIGIN, usize::MAX).unwrap())
}

/// The old session is removed. All sums of costs and the hits of rules stay, and so do the other sessions and the
/// positions, ids and hashes of all events. A second retention finds nothing.
#[test]
fn an_old_session_is_removed_and_every_total_stays() {
    let directory = tempfile::tempdir().unwrap();
    let (events, now) = on_disk(directory.path());
    let (before, _) = read(directory.path());
    let scope = RetentionScope { before: Some(Timestamp(now.0 - 5 * DAY)), max_bytes: None };
    let plan = retain(directory.path(), scope, now);
    assert_eq!((plan.sessions(), plan.turns(), plan.texts()), (1, 4, 1), "the other sessions have one of the texts");
    let texts = TextFiles::open(directory.path());
    let has = |text: &str| texts.get(*blake3::hash(text.as_bytes()).as_bytes()).unwrap().is_some();
    assert_eq!((has(&"commit once ".repeat(600)), has(&"commit it ".repeat(600))), (false, true));

    let (after, left) = read(directory.path());
    assert_eq!(after.costs.overall(), before.costs.overall());
    assert_eq!(after.costs.days().collect::<Vec<_>>(), before.costs.days().collect::<Vec<_>>());
    assert_eq!(after.costs.models().collect::<Vec<_>>(), before.costs.models().collect::<Vec<_>>());
    for path in ["/work/0", "/work/1", "/work/2"] {
        let spent =
            |state: &RouterState, at| state.costs.spending(&session("any"), Some(path), Some("claude-code"), at);
        for at in [now, Timestamp(now.0 - 7 * DAY)] {
            assert_eq!(spent(&after, at), spent(&before, at), "{path}");
        }
    }
    assert_eq!(after.rule_hits.for_rule("commits").live, before.rule_hits.for_rule("commits").live);
    assert_eq!(before.rule_hits.for_rule("commits").live, 5);
    assert_eq!(after.sessions.get(&session("old")), None);
    assert_eq!(after.sessions.get(&session("long")), before.sessions.get(&session("long")));
    let total = |state: &RouterState| state.costs.session(&session("long")).unwrap().total();
    assert_eq!(total(&after), total(&before));

    for (left, recorded) in left.iter().zip(&events) {
        assert_eq!(
            (left.position, left.event.id, left.event.at),
            (recorded.position, recorded.event.id, recorded.event.at)
        );
    }
    let new: Vec<_> = left.iter().skip(events.len()).collect();
    assert_eq!(new.iter().filter(|event| event.read::<CostsRetained>().unwrap().is_some()).count(), 4);
    assert_eq!(new.iter().filter(|event| event.read::<DecisionsRetained>().unwrap().is_some()).count(), 2);
    let retained = new.last().unwrap().read::<LogRetained>().unwrap().unwrap();
    assert_eq!((retained.sessions, retained.turns, retained.events), (1, 4, plan.events()));
    assert_eq!(left.iter().filter(|event| event.read::<TurnStarted>().unwrap().is_some()).count(), 6);
    assert_eq!(retain(directory.path(), scope, now).events(), 0);
    assert_eq!(read(directory.path()).1.len(), left.len(), "nothing is recorded if nothing was removed");
}

/// A limit of size removes the oldest sessions first and never one of the last day.
#[test]
fn a_limit_of_size_removes_the_oldest_sessions_and_not_those_of_the_last_day() {
    let directory = tempfile::tempdir().unwrap();
    let (events, now) = on_disk(directory.path());
    let total: u64 = events.iter().map(|event| event.event.payload.len() as u64 + 170).sum();
    let plan = retain(directory.path(), RetentionScope { before: None, max_bytes: Some(total - 1) }, now);
    assert_eq!(plan.sessions(), 1);
    let (state, _) = read(directory.path());
    assert_eq!(state.sessions.get(&session("old")), None, "the oldest");

    // The last event of `long` is exactly one day old.
    let plan = retain(directory.path(), RetentionScope { before: Some(now), max_bytes: Some(1) }, now);
    assert_eq!((plan.sessions(), plan.texts()), (1, 0));
    let (state, _) = read(directory.path());
    assert!(state.sessions.get(&session("long")).is_some());
    assert_eq!(state.costs.overall().calls, 10);
}
