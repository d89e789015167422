//! Sending model requests to providers.

mod clients;
mod failure;
pub(crate) mod http;
mod request;
mod response;
#[cfg(feature = "scripted")]
mod scripted;

use std::fmt::Debug;

use async_trait::async_trait;

use crate::providers::ProviderConfig;
pub use clients::ProviderClients;
pub use failure::UpstreamFailure;
pub use http::HttpProvider;
pub use request::{ClientRequestParts, Operation, ResponseTimeouts, UpstreamRequest};
pub use response::{ResponseStream, StreamError, UpstreamResponse};
#[cfg(feature = "scripted")]
pub use scripted::{ScriptedProvider, SentRequest};

/// A model provider that accepts requests in one or more wire APIs.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// The provider's configuration.
    fn config(&self) -> &ProviderConfig;

    /// Sends a request, again where its retry budget allows it, and resolves once the status and headers of a successful
    /// response have arrived.
    ///
    /// # Errors
    /// [`UpstreamFailure`] of the last attempt. Once a response is returned nothing is retried: its stream may still end
    /// in a [`StreamError`].
    async fn send(&self, request: &UpstreamRequest<'_>) -> Result<UpstreamResponse, UpstreamFailure>;
}
