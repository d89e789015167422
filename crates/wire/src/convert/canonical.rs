//! The canonical form of requests, responses and token counts: one set of types that is independent of the wire APIs. A
//! conversion parses the form of one API to it and writes the form of the other API from it.

pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod tokens;
