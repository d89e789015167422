//! The scaling roadmap: the phase of the routing architecture, and the conditions of the next one (000 Scaling Roadmap).
//!
//! A transition is recommended if any two of its three conditions are met. The number of skills is shown and is no
//! condition. Nothing switches a layer on by itself.

mod counts;
mod format;
mod roadmap;

pub use counts::RoutingCounts;
pub use roadmap::{
    Condition, ConditionKind, Phase, RoutingArchitecture, ScalingReport, ScalingThresholds, TableSize, Transition,
};
