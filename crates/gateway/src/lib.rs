//! The gateway: an HTTP server between coding agents or SDKs and model providers, which routes every turn.
//!
//! [`Gateway`] is the state that all requests share; [`serve`] accepts connections. The engine is the state of a bus
//! ([`event_bus::Bus`]), and requests send it commands. A client receives no byte of a response before the decision is
//! durable.

mod board;
mod body;
mod call;
mod client_stream;
mod collect_body;
mod configuration;
mod content_encoding;
mod control;
mod counting;
mod embedding;
mod embeddings;
mod exchange;
mod gateway;
mod guard;
mod listing;
mod metrics;
mod outages;
mod own;
mod request_span;
mod routes;
mod server;
pub mod tls;
mod traces;
mod view;

pub use board::{Board, session_turns, turn_details};
pub use configuration::{
    Collector, Configuration, ConfigurationError, DEFAULT_ADDRESS, Limits, Timeouts, Tls, TracesEntry,
};
pub use gateway::{Gateway, StartError};
pub use guard::Tokens;
pub use server::serve;
