//! Fuzz target for [`hostile_input::check_openai_log`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_openai_log(data));
