//! What clients and providers write into requests, responses and session files.
//!
//! The one place for this knowledge: `wire` reads it in live requests and `transcripts` in session files, and both have
//! to come to the same result.
//!
//! - [`user_text`]: which texts of the role `user` the user typed, and which ones a client injected.
//! - [`auxiliary_call`]: how clients' auxiliary calls are recognised.
//! - [`client`]: the client, its session and its working directory, from headers, ids and system prompts.
//! - [`usage`]: the usage objects of the providers.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

pub mod auxiliary_call;
pub mod client;
pub mod usage;
pub mod user_text;
