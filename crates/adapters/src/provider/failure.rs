//! [`UpstreamFailure`], the error of a request to a provider.

use std::time::Duration;

use contracts::events::ErrorClass;
use hyper::{StatusCode, body::Bytes};

/// Error of a request to a provider that received no successful response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamFailure {
    /// Class of the error, from status and body or from the connection error.
    pub class: ErrorClass,
    /// HTTP status; `None` if no response arrived.
    pub status: Option<StatusCode>,
    /// Number of retries after the first attempt.
    pub retries: u32,
    /// Body of the response, at most 64 KiB; empty if there is none or it could not be read before the timeout.
    pub body: Bytes,
    /// Pause that the provider requests; `None` if it requests none.
    pub retry_after: Option<Duration>,
}

impl UpstreamFailure {
    /// Creates the error of a request without a response and without retries.
    pub const fn without_response(class: ErrorClass) -> Self {
        Self { class, status: None, retries: 0, body: Bytes::new(), retry_after: None }
    }

    /// Returns whether a retry of the same request may succeed: after a rate limit, an overload, a server error or a
    /// network error, but not after a timeout.
    pub(crate) const fn is_temporary(&self) -> bool {
        matches!(
            self.class,
            ErrorClass::RateLimit | ErrorClass::Overloaded | ErrorClass::ServerError | ErrorClass::Network
        )
    }
}
