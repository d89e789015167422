//! R2: a message cancelled before its response is cached if its call ran for three seconds.

use costs::prompt_cache::{Call, CancelledCall};

use super::table::{at, attempt, last_read, message};

/// Returns the tokens that a call 400 seconds after the first one reads, with cancelled calls in between.
fn read_after(attempts: Vec<CancelledCall>) -> u64 {
    // 400 seconds after the first call nothing of it is left.
    last_read(&[at(0, 20_000), Call { attempts, ..at(400, 21_000) }])
}

/// A call that ran for three seconds before it was cancelled has cached the previous prompt; one that ran for less has
/// not.
#[test]
fn a_call_cancelled_after_three_seconds_is_cached() {
    assert_eq!(read_after(Vec::new()), 0);
    assert_eq!(read_after(vec![attempt(250_000, 252_999)]), 0);
    assert_eq!(read_after(vec![attempt(250_000, 253_000)]), 20_000, "the prompt before, in whole");
}

#[test]
fn the_last_of_several_counts() {
    assert_eq!(read_after(vec![attempt(50_000, 60_000), attempt(200_000, 260_000)]), 20_000);
    assert_eq!(read_after(vec![attempt(50_000, 60_000), attempt(200_000, 201_000)]), 0);
}

#[test]
fn after_a_cancelled_message_there_is_no_unrecorded_call() {
    let second = message(30, 22_000);
    assert_eq!(last_read(&[at(0, 20_000), second.clone()]), 21_887);
    let attempts = vec![attempt(20_000, 21_000)];
    assert_eq!(last_read(&[at(0, 20_000), Call { attempts, ..second }]), 19_992);
}

#[test]
fn a_cancelled_first_call_caches_no_conversation() {
    assert_eq!(last_read(&[Call { attempts: vec![attempt(0, 9_000)], ..message(20, 20_000) }]), 0);
}
