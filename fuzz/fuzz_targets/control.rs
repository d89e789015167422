//! Fuzz target for [`hostile_input::check_control`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_control(data));
