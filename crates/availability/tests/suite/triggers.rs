//! The conditions that start an outage (004 §4.5.1), each at its boundary, and the two ways in which it ends: a
//! success, or five minutes without attempts.

use crate::story::{Log, repeated, strikes};

/// Asserts the unavailable scopes at second `at` after a story, as [`Log::out`] formats them.
#[track_caller]
fn check(story: &str, at: u64, out: &str) {
    assert_eq!(Log::of(story).out(at), out, "after `{story}`, asked at {at}");
}

#[test]
fn five_failures_in_a_row_take_a_model_out_when_the_first_and_the_last_are_at_most_two_minutes_apart() {
    for (last, out) in [(119, "a:x until 419"), (120, "a:x until 420"), (121, "")] {
        let story =
            format!("0 a:x overloaded, 1 a:x rate_limit, 2 a:x server_error, 3 a:x timeout, {last} a:x overloaded");
        check(&story, last, out);
    }
}

#[test]
fn four_failures_are_not_enough() {
    check("0 a:x overloaded, 1 a:x overloaded, 2 a:x overloaded, 3 a:x overloaded", 3, "");
}

#[test]
fn the_window_slides_so_that_any_five_in_a_row_may_be_the_ones() {
    let story = "0 a:x overloaded, 100 a:x overloaded, 110 a:x overloaded, 120 a:x overloaded, 130 a:x overloaded";
    check(story, 130, "");
    check(&format!("{story}, 140 a:x overloaded"), 140, "a:x until 440");
}

#[test]
fn a_success_in_between_starts_the_count_again() {
    let story = "0 a:x timeout, 1 a:x timeout, 2 a:x timeout, 3 a:x timeout, 4 a:x ok, 5 a:x timeout";
    check(story, 5, "");
}

#[test]
fn failures_of_another_model_do_not_count() {
    check("0 a:x timeout, 1 a:x timeout, 2 a:x timeout, 3 a:x timeout, 4 a:y timeout, 5 b:x timeout", 5, "");
}

#[test]
fn a_missing_model_counts_as_the_models_own_failure() {
    let story = repeated(5, "a:x model_not_found");
    check(&story, 4, "a:x until 304");
}

/// Errors whose cause is not the provider start no outage, however many there are.
#[test]
fn what_says_nothing_about_the_provider_never_counts() {
    for class in ["cancelled", "invalid_request", "context_overflow", "content_filter"] {
        let story = repeated(20, &format!("a:x {class}"));
        check(&story, 20, "");
    }
}

/// Errors whose cause is not the provider do not reset the count of consecutive failures.
#[test]
fn what_says_nothing_about_the_provider_does_not_interrupt_failures_in_a_row() {
    let story = "0 a:x timeout, 1 a:x timeout, 2 a:x cancelled, 3 a:x timeout, 4 a:x invalid_request, \
                 5 a:x timeout, 6 a:x timeout";
    check(story, 6, "a:x until 306");
}

#[test]
fn three_models_out_within_two_minutes_take_their_provider_out() {
    for (third, out) in [(116, "a until 420, a:x until 304"), (117, "a:x until 304")] {
        // The fifth failures fall on seconds 4, 50 and third + 4: 120 or 121 seconds after the first of them.
        let third = third + 4;
        let story = strikes("a:x", 0) + &strikes("a:y", 46) + &strikes("a:z", third);
        let models = format!("{out}, a:y until 350, a:z until {}", third + 304);
        check(&story, third + 4, &models.replace("a until 420", "a until 424"));
    }
}

#[test]
fn two_models_out_leave_their_provider_alone() {
    check(&(strikes("a:x", 0) + &strikes("a:y", 10)), 14, "a:x until 304, a:y until 314");
}

#[test]
fn models_of_different_providers_are_no_siblings() {
    let story = strikes("a:x", 0) + &strikes("b:x", 10) + &strikes("c:x", 20);
    check(&story, 24, "a:x until 304, b:x until 314, c:x until 324");
}

#[test]
fn a_model_that_recovered_is_no_sibling_any_more() {
    let story = strikes("a:x", 0) + "5 a:x ok," + &strikes("a:y", 10) + &strikes("a:z", 20);
    check(&story, 24, "a:y until 314, a:z until 324");
}

#[test]
fn one_refused_key_takes_the_provider_out_at_once() {
    check("0 a:x auth", 0, "a until 300");
}

#[test]
fn two_network_errors_within_thirty_seconds_take_the_provider_out_whatever_the_model() {
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
fn a_success_of_any_model_of_the_provider_empties_the_network_window() {
    check("0 a:x network, 10 a:y ok, 20 a:x network", 20, "");
    check("0 a:x network, 10 b:y ok, 20 a:x network", 20, "a until 320");
}

#[test]
fn a_success_clears_its_model_and_its_provider_at_once() {
    check(&(strikes("a:x", 0) + "5 a:x ok"), 5, "");
    check("0 a:x auth, 1 a:y ok", 1, "");
}

/// A success of another model ends the outage of the provider, but not those of its models.
#[test]
fn models_stay_out_when_another_one_brings_the_provider_back() {
    let story = strikes("a:x", 0) + &strikes("a:y", 10) + &strikes("a:z", 20) + "30 a:w ok";
    check(&story, 30, "a:x until 304, a:y until 314, a:z until 324");
}

#[test]
fn an_outage_clears_five_minutes_after_the_last_attempt() {
    check("0 a:x auth", 299, "a until 300");
    check("0 a:x auth", 300, "");
}

#[test]
fn every_attempt_puts_off_the_end_of_an_outage() {
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
fn an_attempt_of_a_sibling_does_not_put_off_the_end_of_a_models_outage() {
    check(&(strikes("a:x", 0) + "200 a:y timeout"), 303, "a:x until 304");
    check(&(strikes("a:x", 0) + "200 a:y timeout"), 304, "");
}

#[test]
fn after_an_outage_has_cleared_by_itself_the_count_starts_again() {
    check(&(strikes("a:x", 0) + "304 a:x timeout"), 304, "");
    check(&(strikes("a:x", 0) + "303 a:x timeout"), 303, "a:x until 603");
}

/// An event older than the latest attempt of a scope has no effect on it.
#[test]
fn a_event_older_than_the_newest_one_says_nothing_about_now() {
    check(&("1000 a:x ok,".to_owned() + &strikes("a:x", 0)), 1_000, "");
    check("1000 a:x auth, 10 a:x ok", 1_000, "a until 1300");
    check("1000 a:y ok, 10 a:x auth", 1_000, "");
}

#[test]
fn a_late_event_still_counts_for_a_model_that_has_seen_nothing_newer() {
    check(&("200 a:y ok,".to_owned() + &strikes("a:x", 0)), 200, "a:x until 304");
}
