//! Tests of signals, verdicts and rubrics.
//!
//! `script` builds logs from lines of text, `events` translates each line into events, and `reference` is a naive
//! implementation of the rubric's formula.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod events;
mod examples;
mod properties;
mod reference;
mod rubrics;
mod script;
mod tones;
