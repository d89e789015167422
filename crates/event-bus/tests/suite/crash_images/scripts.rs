//! Scripts of the programs that are interrupted by crashes.

use std::{thread::sleep, time::Duration};

use super::program::Program;

/// A sequence of operations of a program, from its start to its end.
pub(crate) type Script = fn(&mut Program);

/// All scripts by name.
pub(crate) const SCRIPTS: [(&str, Script); 13] = [
    ("single events", single_events),
    ("single events, written ahead", single_events_ahead),
    ("groups of batches", groups),
    ("groups of batches, written ahead", groups_ahead),
    ("full barriers", full_barriers),
    ("large events", large_events),
    ("saved states", saved_states),
    ("texts", texts),
    ("opened often", opened_often),
    ("a purge", purge),
    ("a purge that records totals", purge_and_record),
    ("a repair", repair),
    ("anything", anything),
];

/// Script of a program that continues a log after a crash.
pub(crate) fn after_a_crash(program: &mut Program) {
    program.open();
    program.append(2);
    program.append_text(700);
    program.stage_some(3);
    program.append(1);
    program.close();
}

/// Waits until the next barrier writes the `HEAD` file, which has an interval of 100 ms.
fn wait() {
    sleep(Duration::from_millis(101));
}

/// Script: appends single events, each with its own barrier.
fn single_events(program: &mut Program) {
    program.open();
    (0..16).for_each(|_| program.append(1));
    wait();
    (0..8).for_each(|_| program.append(1));
    program.close();
}

/// Script: appends single events to a journal with preallocated space for ten events, which is used up several times.
fn single_events_ahead(program: &mut Program) {
    program.ahead = 2_000;
    single_events(program);
}

/// Script: as [`groups`], with a preallocated journal.
fn groups_ahead(program: &mut Program) {
    program.ahead = 3_000;
    groups(program);
}

/// Script: appends several batches per barrier.
fn groups(program: &mut Program) {
    program.open();
    for batches in 1..12 {
        (0..batches).for_each(|batch| program.stage_some(batch % 5 + 1));
        program.sync();
    }
    wait();
    program.append(7);
    program.close();
}

/// Script: appends batches that fill a barrier, and batches that need more than one.
fn full_barriers(program: &mut Program) {
    program.open();
    program.append(256);
    wait();
    // More than one barrier covers: the log makes a barrier before the third batch.
    (0..3).for_each(|_| program.stage_some(100));
    program.sync();
    program.append(1);
    program.close();
}

/// Script: appends batches of events with payloads of maximum length.
fn large_events(program: &mut Program) {
    program.open();
    for events in [1, 2, 5, 29, 1, 3] {
        program.append_large(events);
        program.append(1);
    }
    program.close();
}

/// Script: saves checkpoints of various sizes.
fn saved_states(program: &mut Program) {
    program.open();
    for length in [0, 100, 5_000, 300_000, 10] {
        program.append(3);
        program.save(length);
    }
    program.close();
    program.open();
    program.save(40_000);
    program.append(2);
    program.save(1);
    program.close();
}

/// Script: stores and removes texts.
fn texts(program: &mut Program) {
    program.open();
    for length in [1, 5_000, 20_000, 512, 9_000] {
        program.append_text(length);
        program.append(2);
    }
    program.remove_text();
    program.append_text(3_000);
    program.remove_text();
    program.close();
}

/// Script: opens and closes the log repeatedly, also without appending.
fn opened_often(program: &mut Program) {
    for events in 0..6 {
        program.open();
        if events != 0 {
            program.append(events);
        }
        program.close();
    }
}

/// Script: purges private payloads, then continues and opens the log again.
fn purge(program: &mut Program) {
    program.open();
    for events in [1, 5, 30, 2] {
        program.append_private(events);
        program.append(1);
    }
    program.purge();
    program.append(3);
    program.close();
    program.open();
    program.append(1);
    program.close();
}

/// Script: purges private payloads and records events in their place, then continues and opens the log again.
fn purge_and_record(program: &mut Program) {
    program.open();
    for events in [1, 5, 30, 2] {
        program.append_private(events);
        program.append(1);
    }
    program.purge_and_record(3);
    program.append(3);
    program.close();
    program.open();
    program.append(1);
    program.close();
}

/// Script: damages and repairs the journal, then continues.
fn repair(program: &mut Program) {
    program.open();
    for events in [4, 20, 1, 60] {
        program.append(events);
    }
    program.close();
    program.damage_and_repair();
    program.open();
    program.append(3);
    program.close();
}

/// Script: twenty random operations.
fn anything(program: &mut Program) {
    program.ahead = program.random.usize(..2) * 5_000;
    program.open();
    for _ in 0..20 {
        let (what, number) = (program.random.usize(..16), program.random.usize(..12_000));
        let few = number as u64 % 12;
        match what {
            0 => {
                program.ahead = number;
                program.close();
                program.open();
            }
            1 => program.save(number),
            2 | 3 => program.append_text(number % 4_000),
            4 => program.remove_text(),
            5 => program.append_large(few % 4 + 1),
            6 => wait(),
            7..=9 => {
                (0..few).for_each(|batch| program.stage_some(batch * 7 % 20 + 1));
                program.sync();
            }
            _ => program.append(few + 1),
        }
    }
    program.close();
}
