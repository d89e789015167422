//! Labelled requests: a file of cases, and how well decisions agree with them.

mod parse;
mod report;

pub use parse::{RoutingCase, parse_cases};
pub use report::{CasesReport, ConfusedSkills};
