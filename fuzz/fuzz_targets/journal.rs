//! Fuzz target for [`hostile_input::journal`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::journal(data));
