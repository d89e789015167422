//! The one form in between: what a request and an answer say, whichever API says it.

pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod tokens;
