//! Fuzz target for [`hostile_input::check_policy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_policy(data));
