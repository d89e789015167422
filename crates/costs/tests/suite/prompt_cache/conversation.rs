//! R3 and R5: a conversation's prefix is read while it has not expired and is within reach.

use contracts::CacheVariant;
use costs::prompt_cache::Call;
use event_core::Timestamp;

use super::table::{HAIKU, SONNET, at, check, check_with, command, hour, last_read, message};

#[test]
fn the_previous_prompt_is_read_and_new_tokens_are_written() {
    check(&[
        (at(0, 20_000), (0, 19_992, 0, 8)),
        (at(10, 21_000), (19_992, 1_000, 0, 8)),
        (at(20, 21_000), (20_992, 0, 0, 8)),
        (at(30, 25_500), (20_992, 4_500, 0, 8)),
    ]);
}

#[test]
fn five_minutes_are_305_seconds_from_the_last_use() {
    let read = |micros| last_read(&[at(0, 20_000), Call { sent: Timestamp(micros), ..at(0, 21_000) }]);
    assert_eq!([read(305_000_000), read(305_000_001)], [19_992, 0], "then all is gone, the base too");
    assert_eq!(last_read(&[at(0, 20_000), at(300, 21_000), at(600, 22_000)]), 20_992, "a hit refreshes");
}

#[test]
fn a_lifetime_of_one_hour_is_3605_seconds_and_the_base_stays_cached() {
    let read = |seconds| last_read(&[hour(0, 20_000), hour(seconds, 21_000)]);
    assert_eq!([read(3_605), read(3_606)], [19_992, 14_000]);
}

#[test]
fn the_lifetime_starts_with_the_response() {
    let slow = Call { began: Timestamp::from_secs(50), ..at(0, 20_000) };
    assert_eq!(last_read(&[slow.clone(), at(355, 21_000)]), 19_992);
    assert_eq!(last_read(&[slow, at(356, 21_000)]), 0);
}

#[test]
fn after_a_completed_turn_all_but_the_new_message_is_read() {
    // 22,000 less 8 uncached less 400 / 4 + 5 of the message.
    check(&[(at(0, 20_000), (0, 19_992, 0, 8)), (message(30, 22_000), (21_887, 105, 0, 8))]);
    let long = Call { message_bytes: 400_000, ..message(30, 22_000) };
    check(&[(at(0, 20_000), (0, 19_992, 0, 8)), (long, (19_992, 2_000, 0, 8))]);
    // When nothing is left there was nothing to refresh.
    check(&[(at(0, 20_000), (0, 19_992, 0, 8)), (message(400, 22_000), (0, 21_992, 0, 8))]);
}

#[test]
fn concurrent_calls_read_the_prefix_cached_before_both() {
    let beside = |sent, began, total| Call { began: Timestamp::from_secs(began), ..at(sent, total) };
    check(&[
        (at(0, 20_000), (0, 19_992, 0, 8)),
        (beside(10, 20, 21_000), (19_992, 1_000, 0, 8)),
        (beside(15, 18, 21_500), (19_992, 1_500, 0, 8)),
        (beside(16, 19, 21_600), (19_992, 1_600, 0, 8)),
        (at(30, 22_000), (21_592, 400, 0, 8)),
    ]);
}

#[test]
fn variants_have_separate_cached_conversations() {
    check(&[
        (at(0, 20_000), (0, 19_992, 0, 8)),
        (command(10, 21_000), (16_000, 4_992, 0, 8)),
        (at(20, 22_000), (19_992, 2_000, 0, 8)),
        (command(30, 23_000), (20_992, 2_000, 0, 8)),
    ]);
}

#[test]
fn a_conversation_twenty_blocks_back_is_not_found() {
    // The first call ends at block 1; the command's next call has its mark behind 1 + `blocks`.
    let back = |blocks| {
        let away = Call { blocks, ..command(10, 21_000) };
        last_read(&[at(0, 20_000), away, command(20, 22_000), at(30, 23_000)])
    };
    assert_eq!([back(18), back(19)], [19_992, 16_000]);
    let tools = Call { blocks: 27, ..at(0, 20_000) };
    assert_eq!(last_read(&[tools, at(10, 30_000)]), 19_992, "calls in direct succession need not look back");
}

#[test]
fn returning_to_a_model_after_a_long_turn_of_another_writes_the_prompt_again() {
    let long = Call { blocks: 25, ..at(10, 21_000) };
    check_with(&[
        (at(0, 20_000), SONNET, (0, 19_992, 0, 8)),
        (long, HAIKU, (0, 20_992, 0, 8)),
        (at(20, 25_000), HAIKU, (20_992, 4_000, 0, 8)),
        (at(30, 26_000), SONNET, (16_000, 9_992, 0, 8)),
    ]);
}

#[test]
fn sessions_and_threads_have_caches_of_their_own() {
    let agent = |seconds, total| Call { thread: crate::log::sub_agent("agent"), ..at(seconds, total) };
    let other = |seconds, total| Call { session: "two".try_into().unwrap(), ..at(seconds, total) };
    let title = contracts::Thread::Auxiliary(contracts::AuxiliaryCall::Title);
    let title = |seconds, total| Call { thread: title.clone(), ..at(seconds, total) };
    check(&[
        (at(0, 20_000), (0, 19_992, 0, 8)),
        (agent(1, 9_000), (0, 8_992, 0, 8)),
        (other(2, 20_000), (0, 19_992, 0, 8)),
        (title(3, 500), (0, 492, 0, 8)),
        (at(4, 21_000), (19_992, 1_000, 0, 8)),
        (agent(5, 9_500), (8_992, 500, 0, 8)),
    ]);
}

#[test]
fn any_number_is_decoded_as_a_cache_variant() {
    let other = Call { variant: CacheVariant(7), ..at(10, 21_000) };
    check(&[(at(0, 20_000), (0, 19_992, 0, 8)), (other, (16_000, 4_992, 0, 8))]);
}
