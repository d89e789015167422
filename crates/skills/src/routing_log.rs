//! The routing log: a record of every skill decision, as a markdown table and as YAML (000 Routing Observability).

mod markdown;
mod record;
mod yaml;

pub use markdown::routing_table;
pub(crate) use record::keywords_in_use;
pub use record::{AlternativeSkill, Correction, RecordedRequest, RoutingRecord, TreeResult, request_summary};
pub use yaml::routing_yaml;

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
