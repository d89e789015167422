//! The gateway: an HTTP server between coding agents or SDKs and model providers, which routes every turn.
//!
//! [`Gateway`] is the state that all requests share; [`serve`] accepts connections. The engine is the state of a bus
//! ([`event_bus::Bus`]), and requests send it commands. A client receives no byte of a response before the decision is
//! durable.

mod board;
mod body;
mod body_budget;
mod call;
mod client_stream;
mod configuration;
mod content_encoding;
mod control;
mod counting;
mod descriptors;
mod embedding;
mod embeddings;
mod exchange;
mod faults;
mod gateway;
mod guard;
mod host_name;
mod listing;
mod matching;
mod metrics;
mod outages;
mod own;
mod panics;
mod provider_source;
mod request_span;
mod routes;
mod server;
mod skill_question;
mod skill_reports;
mod skills;
pub mod tls;
mod traces;
mod unavailable;
mod view;

pub use board::{Board, session_turns, turn_details};
pub use configuration::{
    Collector, Configuration, ConfigurationError, DEFAULT_ADDRESS, Limits, Retention, Timeouts, Tls, TracesEntry,
};
pub use descriptors::raise_descriptor_limit;
pub use gateway::{Gateway, StartError};
pub use guard::{NameTaken, Scope, Token, Tokens};
pub use provider_source::ProviderSource;
pub use server::serve;
