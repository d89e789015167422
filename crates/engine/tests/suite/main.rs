//! The engine as front ends use it: whole turns on a log in memory, and the resulting events.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

#[path = "../../../adapters/tests/support/stand_in.rs"]
#[expect(dead_code, reason = "the tests of adapters use the rest")]
mod stand_in;
mod support;

mod availability;
mod budgets;
mod captured;
mod costs;
mod decided_again;
mod embedded;
mod exchange;
mod expectations;
mod failed_barrier;
mod hard_failure;
mod hot_reload;
mod idle_sessions;
mod idle_workspaces;
mod live_calls;
mod long_lists;
mod lookups;
mod money_at_a_time;
mod observed;
mod observed_caching;
mod on_disk;
mod one_decision;
mod other_clients;
mod parallel_runs;
mod projections;
mod purge;
mod resolved;
mod retention;
mod rule_hits;
mod session_model;
mod skills;
mod suggestions;
mod through_gateway;
mod turn_lock;
mod verdicts;
