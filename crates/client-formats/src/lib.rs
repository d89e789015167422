//! Texts, headers, ids and usage objects that clients and providers write.
//!
//! `wire` uses this crate for live requests and `transcripts` for session files, so both classify a text in the same
//! way. All functions are pure.
//!
//! - [`user_text`]: classifies texts of the role `user` as typed by the user or injected by a client.
//! - [`auxiliary_call`]: recognises clients' auxiliary calls.
//! - [`client`]: identifies the client, its session and its working directory, from headers, ids and system prompts.
//! - [`file_paths`]: finds file paths in the output of tools.
//! - [`skills`]: reads the skills that a client offers, and compares them with a message.
//! - [`usage`]: parses the usage objects of providers.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

pub mod auxiliary_call;
pub mod client;
pub mod file_paths;
pub mod skills;
pub mod usage;
pub mod user_text;
