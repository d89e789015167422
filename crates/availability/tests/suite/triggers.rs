//! The conditions that start an outage (004 §4.5.1), each at its boundary, and the two ways in which it ends: a
//! success, or five minutes without attempts.

use crate::script::{Log, repeated, strikes};

/// Asserts the unavailable scopes at second `at` after a script, as [`Log::out`] formats them.
#[track_caller]
fn check(script: &str, at: u64, out: &str) {
    assert_eq!(Log::of(script).out(at), out, "after `{script}`, asked at {at}");
}

#[test]
fn five_consecutive_failures_within_two_minutes_make_a_model_unavailable() {
    for (last, out) in [(119, "a:x until 419"), (120, "a:x until 420"), (121, "")] {
        let script =
            format!("0 a:x overloaded, 1 a:x rate_limit, 2 a:x server_error, 3 a:x timeout, {last} a:x overloaded");
        check(&script, last, out);
    }
}

#[test]
fn four_failures_start_no_outage() {
    check("0 a:x overloaded, 1 a:x overloaded, 2 a:x overloaded, 3 a:x overloaded", 3, "");
}

#[test]
fn any_five_consecutive_failures_within_the_window_start_an_outage() {
    let script = "0 a:x overloaded, 100 a:x overloaded, 110 a:x overloaded, 120 a:x overloaded, 130 a:x overloaded";
    check(script, 130, "");
    check(&format!("{script}, 140 a:x overloaded"), 140, "a:x until 440");
}

#[test]
fn a_success_resets_the_number_of_failures() {
    let script = "0 a:x timeout, 1 a:x timeout, 2 a:x timeout, 3 a:x timeout, 4 a:x ok, 5 a:x timeout";
    check(script, 5, "");
}

#[test]
fn failures_of_another_model_do_not_count() {
    check("0 a:x timeout, 1 a:x timeout, 2 a:x timeout, 3 a:x timeout, 4 a:y timeout, 5 b:x timeout", 5, "");
}

#[test]
fn a_model_not_found_error_counts_as_a_failure_of_the_model() {
    let script = repeated(5, "a:x model_not_found");
    check(&script, 4, "a:x until 304");
}

/// Errors whose cause is not the provider start no outage, however many there are.
#[test]
fn errors_without_evidence_about_the_provider_are_not_counted() {
    for class in ["cancelled", "invalid_request", "context_overflow", "content_filter"] {
        let script = repeated(20, &format!("a:x {class}"));
        check(&script, 20, "");
    }
}

/// Errors whose cause is not the provider do not reset the count of consecutive failures.
#[test]
fn errors_without_evidence_about_the_provider_do_not_reset_failures() {
    let script = "0 a:x timeout, 1 a:x timeout, 2 a:x cancelled, 3 a:x timeout, 4 a:x invalid_request, \
                 5 a:x timeout, 6 a:x timeout";
    check(script, 6, "a:x until 306");
}

/// 004 §10.1 test 21.
#[test]
fn three_model_outages_within_two_minutes_make_the_provider_unavailable() {
    for (third, out) in [(116, "a until 420, a:x until 304"), (117, "a:x until 304")] {
        // The fifth failures fall on seconds 4, 50 and third + 4: 120 or 121 seconds after the first of them.
        let third = third + 4;
        let script = strikes("a:x", 0) + &strikes("a:y", 46) + &strikes("a:z", third);
        let models = format!("{out}, a:y until 350, a:z until {}", third + 304);
        check(&script, third + 4, &models.replace("a until 420", "a until 424"));
    }
}

#[test]
fn two_model_outages_start_no_provider_outage() {
    check(&(strikes("a:x", 0) + &strikes("a:y", 10)), 14, "a:x until 304, a:y until 314");
}

#[test]
fn unavailable_models_of_different_providers_start_no_provider_outage() {
    let script = strikes("a:x", 0) + &strikes("b:x", 10) + &strikes("c:x", 20);
    check(&script, 24, "a:x until 304, b:x until 314, c:x until 324");
}

#[test]
fn a_recovered_model_does_not_count_towards_an_outage_of_its_provider() {
    let script = strikes("a:x", 0) + "5 a:x ok," + &strikes("a:y", 10) + &strikes("a:z", 20);
    check(&script, 24, "a:y until 314, a:z until 324");
}

/// 004 §10.1 test 20.
#[test]
fn one_rejected_key_makes_the_provider_unavailable() {
    check("0 a:x auth", 0, "a until 300");
}

#[test]
fn two_network_errors_within_thirty_seconds_make_the_provider_unavailable() {
    check("0 a:x network, 29 a:x network", 29, "a until 329");
    check("0 a:x network, 30 a:y network", 30, "a until 330");
    check("0 a:x network, 31 a:y network", 31, "");
}

#[test]
fn a_single_network_error_counts_only_towards_the_five_of_its_model() {
    check("0 a:x network", 0, "");
    check("0 a:x network, 1 a:x timeout, 2 a:x timeout, 3 a:x timeout, 4 a:x timeout", 4, "a:x until 304");
}

#[test]
fn a_success_of_any_model_resets_the_network_errors_of_its_provider() {
    check("0 a:x network, 10 a:y ok, 20 a:x network", 20, "");
    check("0 a:x network, 10 b:y ok, 20 a:x network", 20, "a until 320");
}

#[test]
fn a_success_ends_the_outages_of_model_and_provider() {
    check(&(strikes("a:x", 0) + "5 a:x ok"), 5, "");
    check("0 a:x auth, 1 a:y ok", 1, "");
}

/// A success of another model ends the outage of the provider, but not those of its models.
#[test]
fn models_stay_unavailable_when_another_model_ends_the_provider_outage() {
    let script = strikes("a:x", 0) + &strikes("a:y", 10) + &strikes("a:z", 20) + "30 a:w ok";
    check(&script, 30, "a:x until 304, a:y until 314, a:z until 324");
}

#[test]
fn an_outage_ends_five_minutes_after_the_last_attempt() {
    check("0 a:x auth", 299, "a until 300");
    check("0 a:x auth", 300, "");
}

#[test]
fn every_attempt_prolongs_an_outage() {
    check("0 a:x auth, 200 a:y timeout", 499, "a until 500");
    check("0 a:x auth, 200 a:y invalid_request", 499, "a until 500");
    check("0 a:x auth, 299 a:x auth", 598, "a until 599");
}

#[test]
fn a_cancelled_call_is_no_attempt() {
    check("0 a:x auth, 200 a:x cancelled", 299, "a until 300");
    check("0 a:x auth, 200 a:x cancelled", 300, "");
}

#[test]
fn an_attempt_of_another_model_does_not_prolong_an_outage() {
    check(&(strikes("a:x", 0) + "200 a:y timeout"), 303, "a:x until 304");
    check(&(strikes("a:x", 0) + "200 a:y timeout"), 304, "");
}

#[test]
fn an_automatic_recovery_resets_the_number_of_failures() {
    check(&(strikes("a:x", 0) + "304 a:x timeout"), 304, "");
    check(&(strikes("a:x", 0) + "303 a:x timeout"), 303, "a:x until 603");
}

/// An event older than the latest attempt of a scope has no effect on it.
#[test]
fn an_event_older_than_the_latest_attempt_is_ignored() {
    check(&("1000 a:x ok,".to_owned() + &strikes("a:x", 0)), 1_000, "");
    check("1000 a:x auth, 10 a:x ok", 1_000, "a until 1300");
    check("1000 a:y ok, 10 a:x auth", 1_000, "");
}

#[test]
fn a_late_event_counts_for_a_model_without_newer_attempts() {
    check(&("200 a:y ok,".to_owned() + &strikes("a:x", 0)), 200, "a:x until 304");
}
