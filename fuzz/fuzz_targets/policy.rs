//! Fuzz target for [`hostile_input::policy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::policy(data));
