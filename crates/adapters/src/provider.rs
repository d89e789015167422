//! Requests to model providers: the trait [`Provider`], its HTTP implementation, and the types of requests, responses
//! and errors.

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

/// A model provider that accepts requests in one or more wire APIs. [`HttpProvider`] is the implementation; tests may
/// use another.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// Returns the provider's configuration.
    fn config(&self) -> &ProviderConfig;

    /// Sends a request, with retries within its retry budget, and resolves when status and headers of a successful
    /// response have arrived.
    ///
    /// # Errors
    /// [`UpstreamFailure`] of the last attempt. Once a response is returned, the request is not retried: its stream may
    /// still end in a [`StreamError`].
    async fn send(&self, request: &UpstreamRequest<'_>) -> Result<UpstreamResponse, UpstreamFailure>;
}
