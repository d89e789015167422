//! The status of all scopes, as a table for users.

use availability::ScopeStatus;
use contracts::OutageScope;

use crate::script::{Log, at, seconds, strikes};

/// Formats the status of all scopes at second `now` after a script.
#[track_caller]
fn table(script: &str, now: u64) -> String {
    Log::of(script).state().status(at(now)).iter().map(row).collect()
}

/// Formats the status of a scope as one line; `-` for `None`.
fn row(status: &ScopeStatus) -> String {
    let scope = match &status.scope {
        OutageScope::ProviderWide(provider) => provider.to_string(),
        OutageScope::ModelSpecific(model) => format!("  {model}"),
    };
    let time = |time: Option<event_core::Timestamp>| time.map_or("-".to_owned(), |time| seconds(time).to_string());
    let trigger = status.trigger.map_or("-".to_owned(), |trigger| format!("{trigger:?}"));
    format!(
        "{scope:6} {:11} since {:3} by {trigger:19} clears {:3} failures {}\n",
        status.state.name(),
        time(status.since),
        time(status.clears_at),
        status.failures
    )
}

#[test]
fn a_failure_degrades_model_and_provider_until_five_minutes_without_attempts() {
    let script = "0 b:x ok, 10 a:x timeout, 20 a:x timeout, 30 a:y ok";
    insta::assert_snapshot!(table(script, 30), @"
    a      healthy     since -   by -                   clears -   failures 0
      a:x  degraded    since 10  by -                   clears -   failures 2
      a:y  healthy     since -   by -                   clears -   failures 0
    b      healthy     since -   by -                   clears -   failures 0
      b:x  healthy     since -   by -                   clears -   failures 0
    ");
    insta::assert_snapshot!(table(script, 320), @"
    a      healthy     since -   by -                   clears -   failures 0
      a:x  healthy     since -   by -                   clears -   failures 0
      a:y  healthy     since -   by -                   clears -   failures 0
    b      healthy     since -   by -                   clears -   failures 0
      b:x  healthy     since -   by -                   clears -   failures 0
    ");
}

#[test]
fn the_status_of_an_outage_has_its_trigger_and_its_end() {
    let script = strikes("a:x", 0) + "5 a:x timeout, 6 b:y network, 7 b:z network, 8 b:y auth";
    insta::assert_snapshot!(table(&script, 10), @"
    a      degraded    since 0   by -                   clears -   failures 6
      a:x  unavailable since 4   by ConsecutiveFailures clears 305 failures 6
    b      unavailable since 7   by NetworkErrors       clears 308 failures 3
      b:y  degraded    since 6   by -                   clears -   failures 2
      b:z  degraded    since 7   by -                   clears -   failures 1
    ");
}
