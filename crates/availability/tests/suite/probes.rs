//! Probes: after an outage that ended automatically, the first call is the probe, and the scope stays unavailable for
//! other calls until it has an outcome or 60 seconds have passed.

use availability::AvailabilityState;
use contracts::{ModelId, events::ErrorClass};

use crate::script::{Log, Outcome, at, model, parse, strikes};

/// Returns whether decisions at a second may choose a model.
fn is_open(log: &Log, name: &str, second: u64) -> bool {
    log.state().outages_at(at(second)).against(&model(name), at(second)).is_none()
}

/// Asserts the unavailable scopes at a second after a script, as [`Log::out`] formats them.
#[track_caller]
fn check(script: &str, second: u64, out: &str) {
    assert_eq!(Log::of(script).out(second), out, "after `{script}`, asked at {second}");
}

/// The probe makes its scope unavailable for 60 seconds, or until it succeeds; then calls are allowed.
#[test]
fn a_probe_blocks_other_calls_until_its_outcome_or_for_a_minute() {
    let script = strikes("a:x", 0) + "310 a:x sent";
    check(&script, 310, "a:x until 370");
    check(&script, 369, "a:x until 370");
    check(&script, 370, "");
    check(&format!("{script}, 312 a:x ok"), 312, "");
    check("0 a:x auth, 300 a:y sent", 300, "a until 360");
    check("0 a:x auth, 300 a:y sent, 301 a:y ok", 301, "");
}

/// One failure of the probe starts a new outage, also after its deadline, and each time it is repeated.
#[test]
fn one_failure_of_the_probe_starts_a_new_outage() {
    let script = strikes("a:x", 0) + "310 a:x sent, 315 a:x overloaded";
    check(&script, 315, "a:x until 615");
    check("0 a:x auth, 300 a:y sent, 302 a:y timeout", 302, "a until 602");
    // And so on, for as long as it takes.
    check(&format!("{script}, 700 a:x sent, 701 a:x timeout"), 701, "a:x until 1001");
    // Late as it is, it is still its failure.
    check(&(strikes("a:x", 0) + "310 a:x sent, 400 a:x timeout"), 400, "a:x until 700");
}

/// A failure of another call while the probe runs starts a new outage as well; after the deadline of the probe it does
/// not.
#[test]
fn a_failure_of_another_call_during_the_probe_starts_an_outage() {
    check("0 a:x auth, 300 a:x sent, 301 a:y timeout", 301, "a until 601");
    check("0 a:x auth, 300 a:x sent, 361 a:y timeout", 361, "");
}

/// A probe that is cancelled, or fails for a reason other than the provider, is followed by another probe.
#[test]
fn after_a_probe_without_evidence_the_next_call_is_the_probe() {
    for class in ["cancelled", "invalid_request"] {
        let script = strikes("a:x", 0) + &format!("310 a:x sent, 311 a:x {class}");
        check(&script, 311, "");
        check(&format!("{script}, 312 a:x sent"), 312, "a:x until 372");
        check(&format!("{script}, 312 a:x sent, 313 a:x timeout"), 313, "a:x until 613");
    }
}

#[test]
fn a_probe_without_an_outcome_is_followed_by_another_one() {
    let script = strikes("a:x", 0) + "310 a:x sent, 369 a:x sent, 370 a:x sent";
    check(&script, 370, "a:x until 430");
}

#[test]
fn calls_during_a_probe_do_not_prolong_it() {
    check(&(strikes("a:x", 0) + "310 a:x sent, 340 a:x sent"), 340, "a:x until 370");
}

/// A call that was sent during the outage is no probe: its failure after the end counts as one of five.
#[test]
fn a_call_sent_during_an_outage_is_no_probe() {
    check(&(strikes("a:x", 0) + "200 a:x sent"), 299, "a:x until 304");
    check(&(strikes("a:x", 0) + "200 a:x sent"), 304, "");
    // Its failure, after the end, is one of five.
    check(&(strikes("a:x", 0) + "303 a:x sent, 305 a:x overloaded"), 305, "");
}

#[test]
fn an_outage_that_a_success_ended_needs_no_probe() {
    let script = strikes("a:x", 0) + "5 a:x ok, 400 a:x sent";
    check(&script, 400, "");
    check(&format!("{script}, 401 a:x overloaded"), 401, "");
}

#[test]
fn a_success_after_an_automatic_recovery_ends_probing() {
    check(&(strikes("a:x", 0) + "310 a:x ok, 320 a:x sent"), 320, "");
}

/// Without events for the start of calls there are no probes, and after an automatic recovery five failures are needed
/// again.
#[test]
fn without_call_starts_an_automatic_recovery_resets_failures_without_a_probe() {
    let script = strikes("a:x", 0) + "310 a:x overloaded, 311 a:x overloaded";
    check(&script, 311, "");
}

/// A probe of a model makes neither other models nor the provider unavailable.
#[test]
fn a_probe_of_a_model_is_no_probe_of_other_models_or_the_provider() {
    let log = Log::of(&(strikes("a:x", 0) + &strikes("a:y", 0) + "310 a:x sent"));
    assert!(!is_open(&log, "a:x", 310));
    assert!(is_open(&log, "a:y", 310) && is_open(&log, "a:z", 310));
}

/// A query about a time before the start of the probe does not include the probe.
#[test]
fn a_turn_before_the_start_of_the_probe_is_not_blocked_by_it() {
    let log = Log::of("0 a:x auth, 320 a:x sent");
    let open: Vec<_> = [299, 300, 319, 320, 379, 380].map(|second| is_open(&log, "a:x", second)).to_vec();
    assert_eq!(open, [false, true, true, false, false, true]);
}

/// While a probe runs, the status has its start, its deadline and the trigger of the previous outage.
#[test]
fn the_status_of_a_probe_has_the_trigger_of_the_previous_outage() {
    let status = |script: &str, second| Log::of(script).state().status(at(second)).remove(0);
    let script = "0 a:x auth, 320 a:x sent";
    let row = status(script, 321);
    assert_eq!(row.state, AvailabilityState::Probing);
    assert_eq!((row.since, row.clears_at), (Some(at(320)), Some(at(380))));
    assert_eq!(row.trigger, status(script, 1).trigger);
    assert_eq!(status(script, 380).state, AvailabilityState::Healthy);
    assert_eq!(status("0 a:x auth, 320 a:x sent, 321 a:x timeout", 321).state, AvailabilityState::Unavailable);
}

/// Returns the number of calls that reach an unavailable provider within some hours if `turns` turns retry in every
/// second in which they may, and every call fails after three seconds.
fn reached(turns: u64, hours: u64) -> usize {
    let mut log = Log::of(&strikes("a:x", 0));
    let name: ModelId = model("a:x");
    let mut waiting: Vec<(u64, ModelId)> = Vec::new();
    let mut reached = 0;
    for second in 5..hours * 3_600 {
        for _ in 0..turns {
            if is_open(&log, "a:x", second) {
                log.call(&(second, name.clone(), Outcome::Sent));
                waiting.push((second + 3, name.clone()));
                reached += 1;
            }
        }
        while waiting.first().is_some_and(|(due, _)| *due == second) {
            let (_, name) = waiting.remove(0);
            log.call(&(second, name, Outcome::Failed(ErrorClass::Overloaded)));
        }
        log.react(second);
    }
    reached
}

/// An unavailable provider receives 11 calls an hour, whether one turn retries or sixteen.
#[test]
fn an_unavailable_provider_gets_one_call_in_five_minutes() {
    assert_eq!((reached(16, 1), reached(1, 1)), (11, 11));
}

/// Each start and end of an outage is returned once, also if a probe failed between two outages.
#[test]
fn with_probes_each_transition_is_returned_once() {
    let mut log = Log::default();
    let mut told = Vec::new();
    for call in parse("0 a:x auth, 320 a:x sent, 322 a:x timeout, 700 a:x sent, 701 a:x ok, 800 a:x ok") {
        log.call(&call);
        for again in log.react(call.0) {
            told.push((again.at, format!("{:?}", again.event).contains("Unavailable")));
        }
        assert_eq!(log.react(call.0), []);
    }
    assert_eq!(told, [(at(0), true), (at(300), false), (at(322), true), (at(622), false)]);
}
