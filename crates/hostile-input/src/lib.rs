//! Bodies of the fuzz targets in `fuzz/`: each function reads any bytes as one kind of external input and panics if a
//! property of its parser is violated.
//!
//! The tests of this crate run them on the corpora in `fuzz/` and on seeded mutations, without a fuzzer.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a violated property must stop the fuzzer")]

mod codex_file;
mod control;
mod damage;
mod journal;
mod log_import;
mod openai_log;
mod policy;
mod selector;
mod session_file;
mod skill_manifest;
mod skill_routing;
mod wire_request;
mod wire_response;

pub use codex_file::check_codex_file;
pub use control::check_control;
pub use damage::mutate;
pub use journal::check_journal;
pub use log_import::check_log_import;
pub use openai_log::check_openai_log;
pub use policy::check_policy;
pub use session_file::check_claude_code_file;
pub use skill_manifest::check_skill_manifest;
pub use skill_routing::check_skill_routing;
pub use wire_request::check_wire_request;
pub use wire_response::check_wire_response;

/// Body of a fuzz target: reads any bytes and panics if a property is violated.
pub type TargetBody = fn(&[u8]);

/// All fuzz targets. The target in `fuzz/` and its corpus directory have the same name.
pub const FUZZ_TARGETS: [(&str, TargetBody); 11] = [
    ("journal", check_journal),
    ("log_import", check_log_import),
    ("session_file", check_claude_code_file),
    ("codex_file", check_codex_file),
    ("openai_log", check_openai_log),
    ("policy", check_policy),
    ("wire_request", check_wire_request),
    ("wire_response", check_wire_response),
    ("control", check_control),
    ("skill_manifest", check_skill_manifest),
    ("skill_routing", check_skill_routing),
];
