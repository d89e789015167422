//! Replay and backtest, on the bundled session.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod backtest;
mod explain;
mod past;
mod replay;
mod report;
