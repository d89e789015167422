//! The canonical form of requests and responses, between all APIs.

pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod tokens;
