//! Traces for OpenTelemetry: every turn that ends becomes spans, folded from the log alone.
//!
//! The pure part (`turns`, `turn`, `running`, `attributes`, `names`, `otlp`) makes the same spans of the same events, ids
//! and times included. `export` is the reactor that sends them. No span holds text of a user, a model or a tool.

mod attributes;
mod export;
mod names;
mod otlp;
mod post;
mod running;
mod turn;
mod turns;

pub(crate) use export::Exporter;
