//! Fuzz target for [`hostile_input::check_skill_routing`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile_input::check_skill_routing(data));
