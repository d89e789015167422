//! The canonical form of requests, responses and token counts. Each API is converted to it and from it.

pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod tokens;
