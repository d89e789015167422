//! Traces for OpenTelemetry: every turn that ends becomes spans, folded from the log and from nothing else.
//!
//! The pure part (`turns`, `turn`, `running`, `attributes`, `names`, `otlp`) makes the same spans of the same events, ids and times included.
//! `following` reads the log, `export` tells the collector. No span holds what a user, a model or a tool said.

mod attributes;
mod export;
mod following;
mod names;
mod otlp;
mod post;
mod running;
mod turn;
mod turns;

pub(crate) use export::{Export, FINISH_WITHIN};
pub(crate) use following::Following;
