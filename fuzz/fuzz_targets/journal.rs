//! Fuzz target for [`hostile_input::check_journal`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_journal(data));
