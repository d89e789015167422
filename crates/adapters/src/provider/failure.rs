//! A request without a successful response.

use std::time::Duration;

use contracts::events::ErrorClass;
use hyper::{StatusCode, body::Bytes};

/// A request that got no successful response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamFailure {
    /// The class, from the status and body or from what happened to the connection.
    pub class: ErrorClass,
    /// The status; `None` if no response arrived.
    pub status: Option<StatusCode>,
    /// How often the request was sent again.
    pub retries: u32,
    /// The body of the response, at most 64 KiB; empty if there is none or it could not be read in time.
    pub body: Bytes,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl UpstreamFailure {
    /// A failure without a response.
    pub const fn without_response(class: ErrorClass) -> Self {
        Self { class, status: None, retries: 0, body: Bytes::new(), retry_after: None }
    }

    /// Whether the same request may succeed a moment later.
    pub(crate) const fn is_temporary(&self) -> bool {
        matches!(
            self.class,
            ErrorClass::RateLimit | ErrorClass::Overloaded | ErrorClass::ServerError | ErrorClass::Network
        )
    }
}
