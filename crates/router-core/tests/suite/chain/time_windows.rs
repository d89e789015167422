//! Time windows: the start is included, the end is not, and they may contain midnight (004 §5.3.2, decision D10).

use contracts::{
    Slot,
    views::{NoPatterns, Outages, Views},
};
use event_core::Timestamp;
use router_core::{Scenario, decide};

use crate::support::{chosen, policy};

/// Returns whether a rule with this window holds at a local time.
#[track_caller]
fn holds(window: &str, time: &str) -> bool {
    let text = format!("rules: [{{when: {{time_of_day_between: {window}}}, use: haiku}}]\nglobal_default: opus");
    chosen(&Scenario::message("hello").at(time), &policy(&text)) == "CONFIGURED_RULES claude-haiku-4-5"
}

/// Asserts that a window contains some local times and not others.
#[track_caller]
fn check(window: &str, inside: &[&str], outside: &[&str]) {
    for time in inside {
        assert!(holds(window, time), "{time} is in {window}");
    }
    for time in outside {
        assert!(!holds(window, time), "{time} is not in {window}");
    }
}

#[test]
fn the_start_is_included_and_the_end_excluded() {
    check("[09:00, 17:30]", &["09:00", "12:00", "17:29"], &["08:59", "17:30", "00:00", "23:59"]);
}

#[test]
fn a_window_that_ends_before_it_starts_contains_midnight() {
    check("[22:00, 06:00]", &["22:00", "23:59", "00:00", "05:59"], &["06:00", "12:00", "21:59"]);
}

#[test]
fn a_window_that_ends_where_it_starts_never_holds() {
    check("[00:00, 00:00]", &[], &["00:00", "00:01", "12:00", "23:59"]);
    check("[12:00, 12:00]", &[], &["11:59", "12:00", "12:01"]);
}

#[test]
fn a_window_until_midnight_ends_at_zero() {
    check("[18:00, 00:00]", &["18:00", "23:59"], &["00:00", "17:59"]);
}

#[test]
fn local_time_is_the_clock_of_the_user() {
    let text = "rules: [{when: {time_of_day_between: [22:00, 06:00]}, use: haiku}]\nglobal_default: opus";
    let policy = policy(text);
    let mut turn = Scenario::message("hello").turn(&policy).unwrap();
    let mut holds = |utc_minute: u64, offset_minutes: i16| {
        turn.at = Timestamp::from_secs(20_000 * 86_400 + utc_minute * 60 + 59);
        turn.started.offset_minutes = offset_minutes;
        let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
        decide(&turn.turn(), &policy, &views).decision.winner().unwrap().slot == Slot::ConfiguredRules
    };
    assert!(!holds(20 * 60, 0), "20:00 in Greenwich");
    assert!(holds(20 * 60, 120), "22:00 two hours east");
    assert!(!holds(20 * 60 - 1, 120), "21:59 two hours east");
    assert!(holds(3 * 60, -300), "22:00 of the day before, five hours west");
    assert!(!holds(3 * 60 - 1, -300), "21:59 of the day before, five hours west");
    assert!(holds(16 * 60 + 15, 345), "22:00 in Nepal");
    assert!(!holds(23 * 60, 14 * 60), "13:00 of the day after, in Kiribati");
}
