//! Transitions are recorded as events once (decision D6).

use availability::{Transition, TransitionEvent};
use contracts::OutageScope;
use event_core::{Position, Projected};

use crate::script::{Log, parse, seconds, strikes};

/// Formats a transition as one line, with the position and kind of the event that caused it.
fn show(transition: &Transition, log: &Log) -> String {
    let cause = log.events.iter().find(|event| event.event.id == transition.causation).unwrap();
    let scope = |scope: &OutageScope| match scope {
        OutageScope::ProviderWide(provider) => provider.to_string(),
        OutageScope::ModelSpecific(model) => model.to_string(),
    };
    let what = match &transition.event {
        TransitionEvent::Unavailable(body) => format!(
            "{} unavailable: {:?} of {:?}, clears at {}",
            scope(&body.scope),
            body.trigger,
            body.models,
            seconds(body.clears_at)
        ),
        TransitionEvent::Recovered(body) => {
            format!("{} recovered: {:?} after {} s", scope(&body.scope), body.by, body.down_seconds)
        }
    };
    format!("{} {what}, caused by #{} {}\n", seconds(transition.at), cause.position, cause.event.kind)
}

/// Records the transitions after each call of a script, and twice at second `end`; returns them as lines.
fn told(script: &str, end: u64) -> String {
    let mut log = Log::default();
    let mut told = String::new();
    let mut react = |log: &mut Log, now| {
        for transition in log.react(now) {
            told += &show(&transition, log);
        }
    };
    for call in parse(script) {
        log.call(&call);
        react(&mut log, call.0);
    }
    react(&mut log, end);
    react(&mut log, end);
    told
}

#[test]
fn an_outage_and_its_recovery_are_returned_once_each() {
    insta::assert_snapshot!(told(&(strikes("a:x", 0) + "5 a:x timeout, 6 a:x ok, 7 a:x ok"), 1_000), @"
    4 a:x unavailable: ConsecutiveFailures of [a:x], clears at 304, caused by #5 llm.call_failed
    6 a:x recovered: Success after 2 s, caused by #8 llm.call_completed
    ");
}

/// The event of an automatic recovery has the time of the recovery, not of the query.
#[test]
fn an_automatic_recovery_has_its_exact_time_whenever_it_is_queried() {
    insta::assert_snapshot!(told("0 a:x auth, 100 a:x auth", 1_000), @"
    0 a unavailable: AuthError of [a:x], clears at 300, caused by #1 llm.call_failed
    400 a recovered: AutoClear after 400 s, caused by #2 routing.provider_unavailable
    ");
}

#[test]
fn one_failure_can_start_an_outage_of_model_and_provider() {
    let script = strikes("a:x", 0) + &strikes("a:y", 10) + &strikes("a:z", 20) + "30 a:w ok";
    insta::assert_snapshot!(told(&script, 1_000), @"
    4 a:x unavailable: ConsecutiveFailures of [a:x], clears at 304, caused by #5 llm.call_failed
    14 a:y unavailable: ConsecutiveFailures of [a:y], clears at 314, caused by #11 llm.call_failed
    24 a:z unavailable: ConsecutiveFailures of [a:z], clears at 324, caused by #17 llm.call_failed
    24 a unavailable: MultiModelFailures of [a:x, a:y, a:z], clears at 324, caused by #17 llm.call_failed
    30 a recovered: Success after 6 s, caused by #20 llm.call_completed
    304 a:x recovered: AutoClear after 300 s, caused by #6 routing.provider_unavailable
    314 a:y recovered: AutoClear after 300 s, caused by #12 routing.provider_unavailable
    324 a:z recovered: AutoClear after 300 s, caused by #18 routing.provider_unavailable
    ");
}

#[test]
fn a_second_outage_has_its_own_transitions() {
    insta::assert_snapshot!(told("0 a:x auth, 1 a:x ok, 2 a:x auth, 3 a:x ok", 3), @"
    0 a unavailable: AuthError of [a:x], clears at 300, caused by #1 llm.call_failed
    1 a recovered: Success after 1 s, caused by #3 llm.call_completed
    2 a unavailable: AuthError of [a:x], clears at 302, caused by #5 llm.call_failed
    3 a recovered: Success after 1 s, caused by #7 llm.call_completed
    ");
}

/// The end of an outage is recorded even if the next outage has already started.
#[test]
fn an_outage_replaced_before_its_end_was_recorded_still_gets_an_end_event() {
    let mut log = Log::of("0 a:x auth");
    log.react(0);
    log.call(&parse("1 a:x ok")[0]);
    log.call(&parse("2 a:x auth")[0]);
    let told: String = log.react(2).iter().map(|transition| show(transition, &log)).collect();
    insta::assert_snapshot!(told, @"
    1 a recovered: Success after 1 s, caused by #3 llm.call_completed
    2 a unavailable: AuthError of [a:x], clears at 302, caused by #4 llm.call_failed
    ");
}

/// An outage whose start is not in the log is not recorded after its end.
#[test]
fn transitions_of_past_outages_are_not_returned() {
    assert_eq!(Log::of("0 a:x auth").state().transitions(crate::script::at(300)), []);
    assert_eq!(Log::of("0 a:x auth, 1 a:x ok").state().transitions(crate::script::at(1)), []);
}

/// A projection restored from its checkpoint does not return a recorded transition again.
#[test]
fn after_a_restart_no_transition_is_returned_twice() {
    let mut log = Log::of("0 a:x auth");
    log.react(0);
    let saved = log.view.checkpoint().unwrap();
    let resumed = Projected::<availability::Availability>::resume(Some(&saved), Position(2));
    assert_eq!(log.view, resumed);
    assert_eq!(resumed.state().transitions(crate::script::at(299)), []);
}

/// Until a transition is in the log, each query returns the same event.
#[test]
fn a_transition_that_was_not_acknowledged_is_returned_again() {
    let log = Log::of("0 a:x auth");
    let (first, again) =
        (log.state().transitions(crate::script::at(0)), log.state().transitions(crate::script::at(200)));
    assert_eq!(first, again);
}

/// A failure before the recorded end of an outage, but folded after it, does not prolong the outage.
#[test]
fn a_late_failure_does_not_revoke_a_recorded_recovery() {
    let mut log = Log::of("0 a:x auth");
    log.react(0);
    log.react(300);
    log.call(&parse("299 a:x timeout")[0]);
    assert_eq!(log.out(300), "");
    assert_eq!(log.react(300), []);
}
