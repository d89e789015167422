//! Fuzz target for [`hostile_input::session_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::session_file(data));
