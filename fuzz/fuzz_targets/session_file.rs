//! Fuzz target for [`hostile_input::check_claude_code_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_claude_code_file(data));
