//! The gateway: clients on one side, providers on the other, every turn routed in between.
//!
//! [`Gateway`] holds what a request needs; [`serve`] takes connections. The engine is the state of a bus
//! ([`event_bus::Bus`]): requests send it commands. A client receives no byte of an answer before its decision is durable.

mod board;
mod body;
mod call;
mod configuration;
mod counting;
mod exchange;
mod gateway;
mod guard;
mod listing;
mod metrics;
mod own;
mod relay;
mod routes;
mod server;
pub mod tls;
mod traces;
mod upstream;
mod view;
mod whole;

pub use board::Board;
pub use configuration::{
    Collector, Configuration, ConfigurationError, Credential, DEFAULT_ADDRESS, KeyError, Keys, Limits, Provider,
    ProviderEntry, Providers, Timeouts, Tls, TracesEntry,
};
pub use gateway::{Gateway, StartError};
pub use guard::Tokens;
pub use server::serve;
