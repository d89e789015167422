//! A mock provider for tests: it implements all wire APIs, streams, and fails on request.
//!
//! Directives in the user's last message determine the response ([`mod@directive`] lists them), so that a real client
//! can be made to call a tool. The mock validates requests as strictly as the providers do, and responds in their
//! shapes.

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
mod reply;
mod responses;
mod route;
mod schema;
mod server;
mod shapes;
mod sse;
mod state;

pub use failure::{Failure, Fault, How};
pub use record::{Ended, Request};
pub use server::MockUpstream;
pub use state::Settings;
