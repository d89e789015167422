//! A provider made up for tests: it speaks all the wire APIs, streams, and fails on demand.
//!
//! What it answers is steered by the last text of the user ([`mod@directive`] lists the words), so that a real client can
//! be made to use a tool. It checks what it gets as strictly as the providers do, and answers in their shapes.

mod answer;
mod anthropic;
mod asked;
mod body;
mod chat;
mod connection;
mod control;
pub mod directive;
mod exchange;
mod failure;
mod faulty;
mod gemini;
mod listing;
mod plain;
mod record;
mod refusal;
mod responses;
mod route;
mod schema;
mod server;
mod sse;

pub use failure::{Failure, Fault, How};
pub use record::{Ended, Request};
pub use server::{MockUpstream, Settings};
