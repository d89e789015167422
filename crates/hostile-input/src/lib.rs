//! What must hold whatever bytes come in from outside: each function panics when it does not.
//!
//! They are the bodies of the fuzz targets under `fuzz/`, which grow the corpora there; the tests of this crate try
//! the corpora, and seeded changes of them, wherever a fuzzer is not at hand.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a property that does not hold must stop the fuzzer"
)]

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

/// A body: any bytes in, a panic when something does not hold.
pub type Body = fn(&[u8]);

/// Every body by the name of its fuzz target and of its corpus.
pub const ALL: [(&str, Body); 6] = [
    ("journal", journal),
    ("log_import", log_import),
    ("session_file", session_file),
    ("codex_file", codex_file),
    ("openai_log", openai_log),
    ("policy", policy),
];
