//! The error of conversions.

use contracts::Requirement;

/// An error of converting a request or a response. No message contains text of a prompt or a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// The request uses a feature that the other API does not support and that may not be dropped.
    #[error("the request needs {0}, which the other API cannot carry")]
    Requires(Requirement),
    /// The request or response does not follow its API.
    #[error("{subject} {problem}")]
    Malformed {
        /// The part of the request or response.
        subject: &'static str,
        /// The predicate of the sentence about it, such as `is not JSON`.
        problem: &'static str,
    },
    /// A streamed response ended before it was complete.
    #[error("the provider's stream ended before the answer was complete")]
    EndedEarly,
    /// The provider's response is an error. [`crate::StreamConverter`] has then written the error to the client's
    /// stream.
    #[error("the provider's answer is an error")]
    ProviderFailed,
}

impl ConvertError {
    /// The error of a response with more content than is converted.
    pub(crate) const TOO_LARGE: Self = Self::malformed("the answer", "is too large to be converted");

    /// Creates [`ConvertError::Malformed`].
    pub(crate) const fn malformed(subject: &'static str, problem: &'static str) -> Self {
        Self::Malformed { subject, problem }
    }
}
