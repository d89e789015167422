//! [`UpstreamFailure`], the error of a request to a provider.

use std::time::Duration;

use contracts::events::ErrorClass;
use hyper::{StatusCode, body::Bytes};

/// Error of a request to a model provider that received no successful response.
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
    /// The defect of an invalid response as a predicate with the response as its subject, such as `is not JSON`; `None`
    /// for other classes of errors.
    pub defect: Option<String>,
}

impl UpstreamFailure {
    /// Creates the error of a request that received no response and was not retried.
    pub const fn without_response(class: ErrorClass) -> Self {
        Self { class, status: None, retries: 0, body: Bytes::new(), retry_after: None, defect: None }
    }

    /// Creates the error of a response that does not follow the provider's API. `defect` is a predicate with the
    /// response as its subject, such as `is not JSON`.
    pub fn invalid_response(status: StatusCode, defect: impl Into<String>) -> Self {
        let defect = defect.into();
        Self { status: Some(status), defect: Some(defect), ..Self::without_response(ErrorClass::InvalidResponse) }
    }

    /// Returns whether the same request may succeed if it is sent again: after a rate limit, an overload, a server
    /// error or a network error, but not after a timeout.
    pub(crate) const fn is_temporary(&self) -> bool {
        matches!(
            self.class,
            ErrorClass::RateLimit | ErrorClass::Overloaded | ErrorClass::ServerError | ErrorClass::Network
        )
    }
}
