//! The result of an import.

use std::collections::BTreeSet;

use contracts::{NanoUsd, SessionId};
use control::ImportedTurns;
use serde::Serialize;

use crate::screen::{NOTICE, count_noun, outln, styled};

/// The counts and costs that an import of session files prints.
#[derive(Debug, Default, Serialize)]
pub(super) struct Imported {
    /// Session files that were read.
    pub(super) files: usize,
    /// Their size in bytes.
    pub(super) bytes: u64,
    /// Sessions in the log after the import.
    pub(super) sessions: u64,
    /// Turns of the session files, including those of earlier imports.
    pub(super) turns: u64,
    /// Turns that this import decided; turns imported before keep their decision.
    pub(super) decisions: u64,
    /// Turns for which the policy would have chosen another model than the model that ran.
    pub(super) other_model: u64,
    /// Turns for which the policy chose no model.
    pub(super) refused: u64,
    /// Completed model calls.
    pub(super) calls: u64,
    /// Failed model calls.
    pub(super) failed_calls: u64,
    /// Tool calls.
    pub(super) tools: u64,
    /// Compactions of the history by the client.
    pub(super) compactions: u64,
    /// Sessions with turns that the gateway has recorded already.
    pub(super) gateway_sessions: u64,
    /// The turns of `gateway_sessions`; no other count includes them.
    pub(super) gateway_turns: u64,
    /// The ids of `gateway_sessions`, so that each is counted once.
    #[serde(skip)]
    through_gateway: BTreeSet<SessionId>,
    /// Events that were not in the log before.
    pub(super) new_events: u64,
    /// The lines that could not be read, with the reason.
    pub(super) issues: Vec<String>,
    /// The cost of all calls of the log, in nano-dollars.
    pub(super) total_cost_nano_usd: NanoUsd,
    /// Calls of models without a known price, which the cost leaves out.
    pub(super) unpriced_calls: u64,
}

impl Imported {
    /// Adds the counts of one import request to the totals.
    pub(super) fn add(&mut self, part: ImportedTurns) {
        self.turns += part.turns;
        self.decisions += part.decisions;
        self.other_model += part.other_model;
        self.refused += part.refused;
        self.calls += part.calls;
        self.failed_calls += part.failed_calls;
        self.tools += part.tools;
        self.compactions += part.compactions;
        self.new_events += part.new_events;
        self.gateway_turns += part.gateway_turns;
        self.through_gateway.extend(part.gateway_sessions);
        self.gateway_sessions = self.through_gateway.len() as u64;
    }
}

/// Prints the result of an import as text, with the lines of session files that were skipped.
pub(super) fn print(imported: &Imported) {
    let files = count_noun(imported.files as u64, "file");
    let counts = [
        count_noun(imported.turns, "turn"),
        count_noun(imported.calls, "call"),
        count_noun(imported.failed_calls, "failed call"),
        count_noun(imported.tools, "tool"),
        count_noun(imported.compactions, "compaction"),
    ];
    outln!("{files} ({} MB): {}", imported.bytes.div_ceil(1_000_000), counts.join(", "));
    if 0 < imported.gateway_turns {
        let (sessions, turns) =
            (count_noun(imported.gateway_sessions, "session"), count_noun(imported.gateway_turns, "turn"));
        outln!("omitted {turns} of {sessions} that came through the gateway, which has recorded them");
    }
    outln!(
        "The policy would have chosen another model for {} of {} and none for {}; {}",
        imported.other_model,
        count_noun(imported.decisions, "new turn"),
        imported.refused,
        count_noun(imported.new_events, "new event")
    );
    outln!("All calls in the log cost {}", imported.total_cost_nano_usd);
    if 0 < imported.unpriced_calls {
        outln!("  without {} of models that have no known price", count_noun(imported.unpriced_calls, "call"));
    }
    for issue in &imported.issues {
        outln!("{} {issue}", styled(NOTICE, "skipped:"));
    }
    outln!("\nNext: turnwise cost, turnwise backtest, turnwise patterns inspect, turnwise why last");
}
