//! [`ResponseDefect`], a property by which a response does not follow its API.

/// A property by which a provider's response does not follow its API. The text is a predicate with the response as its
/// subject, such as `is not JSON`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseDefect {
    /// The response has no content, or only white space.
    #[error("is empty")]
    Empty,
    /// The response, or an event of it, is not JSON, or its bytes are not UTF-8.
    #[error("is not JSON")]
    NotJson,
    /// The stream has lines that are not server-sent events.
    #[error("is not a stream of events")]
    NotEvents,
    /// The response is JSON without the members that its API requires.
    #[error("does not follow its API")]
    NotOfApi,
    /// The stream ended within an event, or before the event that ends a response.
    #[error("ended before it was complete")]
    Incomplete,
    /// The response, or an event of it, exceeds the size limit.
    #[error("is too large")]
    TooLarge,
}
