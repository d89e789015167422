//! Real clients against the gateway.

pub(crate) mod programs;
