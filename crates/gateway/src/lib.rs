//! The gateway: clients on one side, providers on the other, every turn routed in between.
//!
//! [`Gateway`] holds what a request needs; [`serve`] takes connections. One thread has the engine (`desk`); everything
//! else asks it. What a client is told about a decision is on the disk before it is told.

mod board;
mod body;
mod call;
mod configuration;
mod counting;
mod desk;
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
pub use desk::{Closed, Desk, DeskThread, Receipt};
pub use gateway::{Gateway, StartError};
pub use guard::Tokens;
pub use server::serve;
