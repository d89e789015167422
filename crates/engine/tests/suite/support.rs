//! Fixtures of the engine's tests: models with prices, an engine on a log in memory, recorded sessions.

pub(crate) mod again;
pub(crate) mod desk;
pub(crate) mod idle;
pub(crate) mod models;
pub(crate) mod recorded;
pub(crate) mod story;

pub(crate) use desk::Desk;
