//! The program as a process in a fresh home folder: its output and exit codes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

#[path = "../../../adapters/tests/support/stand_in.rs"]
#[expect(dead_code, reason = "the tests of adapters use the rest")]
mod stand_in;

mod control;
mod desk;
mod doctor;
mod embedded;
mod feedback;
mod figures;
mod first_steps;
mod gateway;
mod hook;
mod hook_settings;
mod launch;
mod learning;
mod limits;
mod logging;
mod logs;
mod policies;
mod protection;
mod providers;
mod readme;
mod sessions;
mod skill_reports;
mod skills;
mod status_line;
mod status_line_settings;
mod terminal;
mod what_if;
