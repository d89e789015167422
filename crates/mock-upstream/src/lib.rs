//! A mock provider for tests: it implements all wire APIs with streaming, and fails on request.
//!
//! Directives in the user's last message determine the response ([`mod@directive`] lists them), so that a real client
//! can be made to call a tool. The mock validates requests as strictly as the providers do.
//!
//! [`MockUpstream`] runs the mock on a thread of the test; the program `mock-upstream` runs it as a process, which
//! tests configure through the endpoints in `control`. Requests are recorded with the end of their responses
//! ([`Request`]), and a [`Failure`] makes a response fail. [`RawUpstream`] sends any bytes instead of responses.

mod answer;
mod anthropic;
mod api;
mod api_error;
mod body;
mod chat;
mod connection;
mod control;
pub mod directive;
mod failure;
mod faulty;
mod gemini;
mod listing;
mod parsed_request;
mod raw;
mod record;
mod reply;
mod request_handler;
mod response_cache;
mod responses;
mod route;
mod schema;
mod server;
mod sse;
mod state;

pub use api_error::gemini_status;
pub use failure::{ConnectionEnd, Failure, Fault};
pub use raw::{RawRequest, RawStep, RawUpstream};
pub use record::{Request, ResponseState};
pub use server::MockUpstream;
pub use state::Settings;
