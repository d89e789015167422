//! R1: a rewritten history is in no model's cache; the base is.

use costs::prompt_cache::{Call, PrecedingInput};

use super::table::{HAIKU, SONNET, at, check, check_with, command, message};

#[test]
fn after_a_compaction_or_a_resumption_only_the_base_is_read() {
    let rest = (32_000, 17_992, 0, 8);
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (Call { compacted: true, ..at(1, 50_000) }, rest)]);
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (Call { resumed: true, ..at(1, 50_000) }, rest)]);
    // A completed turn before it changes nothing.
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (Call { compacted: true, ..message(1, 50_000) }, rest)]);
}

#[test]
fn a_shorter_prompt_within_a_turn_or_after_an_incomplete_turn_was_rewritten() {
    let rest = (32_000, 6_992, 0, 8);
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (at(1, 39_000), rest)]);
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (Call { after: PrecedingInput::Cut, ..at(1, 39_000) }, rest)]);
}

#[test]
fn a_shorter_prompt_after_a_completed_turn_is_read_from_the_unrecorded_call() {
    // 39,000 less 8 uncached less 400 / 4 + 5 of the message; and what is known is cut to the prompt.
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (message(1, 39_000), (39_000, 0, 0, 0))]);
    check(&[(at(0, 40_000), (0, 39_992, 0, 8)), (message(1, 40_050), (39_992, 50, 0, 8))]);
}

#[test]
fn a_compaction_clears_the_conversations_of_all_models_and_variants() {
    check_with(&[
        (at(0, 40_000), SONNET, (0, 39_992, 0, 8)),
        (at(1, 40_000), HAIKU, (0, 39_992, 0, 8)),
        (command(2, 40_000), SONNET, (32_000, 7_992, 0, 8)),
        (Call { compacted: true, ..at(3, 41_000) }, SONNET, (32_000, 8_992, 0, 8)),
        (at(4, 42_000), HAIKU, (32_000, 9_992, 0, 8)),
        (command(5, 43_000), SONNET, (32_000, 10_992, 0, 8)),
        // What was written since is known.
        (at(6, 44_000), SONNET, (40_992, 3_000, 0, 8)),
    ]);
}

#[test]
fn the_first_call_of_a_thread_clears_no_cache() {
    check(&[(Call { resumed: true, ..message(0, 40_000) }, (0, 39_992, 0, 8)), (at(1, 40_100), (39_992, 100, 0, 8))]);
}
