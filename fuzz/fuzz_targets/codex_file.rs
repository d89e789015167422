//! Fuzz target for [`hostile_input::codex_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::codex_file(data));
