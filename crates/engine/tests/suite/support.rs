//! What the tests of the engine share: models with prices, an engine on a log in memory, sessions recorded elsewhere.

pub(crate) mod again;
pub(crate) mod desk;
pub(crate) mod models;
pub(crate) mod recorded;
pub(crate) mod story;

pub(crate) use desk::Desk;
