//! Properties of parsers that hold for any input bytes; each function panics if its property is violated.
//!
//! They are the bodies of the fuzz targets in `fuzz/`. The tests of this crate run them on the corpora there and on seeded
//! mutations, without a fuzzer.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a violated property must stop the fuzzer")]

mod codex_file;
mod damage;
mod journal;
mod log_import;
mod openai_log;
mod policy;
mod session_file;

pub use codex_file::codex_file;
pub use damage::damaged;
pub use journal::journal;
pub use log_import::log_import;
pub use openai_log::openai_log;
pub use policy::policy;
pub use session_file::session_file;

/// The body of a fuzz target.
pub type Body = fn(&[u8]);

/// All bodies, by the name of the fuzz target and its corpus.
pub const ALL: [(&str, Body); 6] = [
    ("journal", journal),
    ("log_import", log_import),
    ("session_file", session_file),
    ("codex_file", codex_file),
    ("openai_log", openai_log),
    ("policy", policy),
];
