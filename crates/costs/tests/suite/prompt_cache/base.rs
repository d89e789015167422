//! R0 and R3: the base is a part of the first prompt, and is read if the conversation has expired.

use super::table::{BEDROCK, HAIKU, SONNET, at, check, check_with, hour, last_read};

#[test]
fn the_base_is_four_fifths_of_the_first_prompt_and_at_most_33_500_tokens() {
    // Each second prompt is shorter than the first, so that nothing but the base is read.
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (at(1, 38_000), (32_000, 5_992, 0, 8))]);
    check(&[(at(0, 50_000), (0, 49_992, 0, 8)), (at(1, 45_000), (33_500, 11_492, 0, 8))]);
}

#[test]
fn a_prompt_shorter_than_the_base_is_read_in_whole() {
    check(&[(at(0, 50_000), (0, 49_992, 0, 8)), (at(1, 20_000), (20_000, 0, 0, 0))]);
}

#[test]
fn at_one_hour_the_base_is_seven_tenths_up_to_17_500_tokens_and_always_cached() {
    check(&[(hour(0, 20_000), (14_000, 0, 5_992, 8))]);
    check(&[(hour(0, 30_000), (17_500, 0, 12_492, 8))]);
    check_with(&[(hour(0, 20_000), SONNET, (14_000, 0, 5_992, 8)), (hour(1, 20_000), HAIKU, (14_000, 0, 5_992, 8))]);
}

#[test]
fn the_base_expires_at_five_minutes_and_for_other_providers() {
    check_with(&[(at(0, 20_000), SONNET, (0, 19_992, 0, 8)), (at(1, 20_000), HAIKU, (0, 19_992, 0, 8))]);
    check_with(&[(hour(0, 20_000), BEDROCK, (0, 0, 19_992, 8))]);
}

#[test]
fn the_base_lives_as_long_as_a_conversation() {
    let shrunk = |seconds| last_read(&[at(0, 40_000), at(seconds, 30_000)]);
    assert_eq!([shrunk(305), shrunk(306)], [30_000, 0], "the base is 32,000 tokens, more than the whole prompt");
    let resumed =
        |seconds| last_read(&[at(0, 40_000), costs::prompt_cache::Call { resumed: true, ..at(seconds, 50_000) }]);
    assert_eq!([resumed(305), resumed(306)], [32_000, 0]);
}

#[test]
fn a_prompt_smaller_than_the_uncached_end_is_uncached() {
    check(&[(at(0, 5), (0, 0, 0, 5)), (at(1, 5), (0, 0, 0, 5)), (at(2, 8), (0, 0, 0, 8)), (at(3, 9), (0, 1, 0, 8))]);
}
