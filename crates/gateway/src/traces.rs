//! Traces for OpenTelemetry: exports every turn that ends as spans, folded from the log alone.
//!
//! The modules `turns`, `turn`, `open_span`, `attributes`, `names` and `otlp` are pure: the same events result in the
//! same spans, including ids and times. `export` is the reactor that exports them, and `post` sends its requests. No
//! span contains text of a user, a model or a tool.

mod attributes;
mod export;
mod names;
mod open_span;
mod otlp;
mod post;
mod turn;
mod turns;

pub(crate) use export::Exporter;
