//! Clients of the services that a user configures: model providers and the embeddings endpoint.
//!
//! [`Provider`] sends a request in one of the wire APIs and returns the response as a stream of chunks; [`HttpProvider`]
//! is its implementation. [`Providers`] is the configuration, [`ProviderClients`] the clients made from it. [`embedder`]
//! computes embeddings of texts.

mod credential;
pub mod embedder;
mod http_client;
mod http_url;
mod key_check;
mod key_salt;
mod keys;
mod own_files;
mod provider;
mod providers;
mod redaction;
mod retry;
mod retry_after;

pub use credential::{Credential, HeaderSecret, KEY_HEADERS};
pub use http_client::{AllowedAddresses, HttpClient, ProxyConnector, http_client, http_client_allowing};
pub use http_url::parse_http_url;
pub use key_check::{KeyCheck, check_key};
pub use key_salt::KeySalt;
pub use keys::{KeyError, Keys, check_owner_only, read_secret_file};
pub use own_files::{check_regular_file, create_own_folder, read_own_file, write_own_file};
pub use provider::http::headers::has_chatgpt_login;
pub use provider::{
    ClientRequestParts, HttpProvider, Operation, Provider, ProviderClients, ResponseStream, ResponseTimeouts,
    StreamError, UpstreamFailure, UpstreamRequest, UpstreamResponse,
};
#[cfg(feature = "scripted")]
pub use provider::{ScriptedProvider, SentRequest};
pub use providers::{ProviderConfig, ProviderEntry, ProviderError, Providers};
pub use redaction::allowed_headers;
pub use retry::RetryBudget;
pub use retry_after::retry_after;

/// The `User-Agent` of requests that turnwise sends on its own behalf; requests of a client have the client's.
pub const USER_AGENT_VALUE: &str = concat!("turnwise/", env!("CARGO_PKG_VERSION"));
