//! Why something could not be said in another API.

use contracts::Requirement;

/// Why a conversion failed. No message holds anything of a prompt or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// A request holds something that the other API cannot carry and that may not be dropped.
    #[error("the request needs {0}, which the other API cannot carry")]
    Requires(Requirement),
    /// What was read is not what its API describes.
    #[error("{place} {cause}")]
    Malformed {
        /// Which part of the request or the answer.
        place: &'static str,
        /// What is wrong with it.
        cause: &'static str,
    },
    /// A streamed answer stopped before its end.
    #[error("the provider's stream ended before the answer was complete")]
    EndedEarly,
    /// The provider said in its answer that it failed; the client was told so, in its API.
    #[error("the provider's answer is an error")]
    ProviderFailed,
}

impl ConvertError {
    pub(crate) const fn malformed(place: &'static str, cause: &'static str) -> Self {
        Self::Malformed { place, cause }
    }
}
