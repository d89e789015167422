//! Tests of the crate through its public interface, one module for each subject.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod cases;
mod chain_policy;
mod chain_properties;
mod chain_rules;
mod chain_support;
mod everyday_requests;
mod keyword_vectors;
mod lint;
mod manifest;
mod scored_policy;
mod skill_settings;
mod trigger_tables;
