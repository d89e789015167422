//! Fuzz target for [`hostile_input::check_wire_response`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_wire_response(data));
