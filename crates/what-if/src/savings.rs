//! Computes savings: the difference between the cost of routed turns and their estimated cost on the models that the
//! clients requested.

use std::{collections::BTreeMap, sync::Arc};

use contracts::Registry;
use event_bus::{EventLog, TextStore};
use event_core::{Position, Timestamp};
use serde::Serialize;

use crate::{
    accuracy::AccuracyReport,
    backtest::{Backtest, Baseline, backtest, backtest_latest},
    error::WhatIfError,
    latest_turns::LatestTurns,
    range::Range,
    report::{OutsideCalls, TurnRow},
    totals::GroupTotal,
};

/// The cost of the gateway's turns, and their estimated cost on the models that their clients requested.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Savings {
    /// The time at which the first compared turn started; `None` without turns.
    pub since: Option<Timestamp>,
    /// The time at which the last compared turn started; `None` without turns.
    pub until: Option<Timestamp>,
    /// Number of turns for which a client requested a known model; only these are compared.
    pub turns: u64,
    /// Number of these turns that ran on another model.
    pub turns_on_another_model: u64,
    /// The recorded cost of the compared turns, in nano-dollars.
    pub spent_nano_usd: i64,
    /// The estimated cost on the requested models, in nano-dollars.
    pub requested_nano_usd: i64,
    /// The estimated cost minus the recorded cost, in nano-dollars; negative if routing cost more.
    pub saved_nano_usd: i64,
    /// The estimated cost on the requested models if a change of model lost no part of the prompt cache, in
    /// nano-dollars.
    pub requested_same_cache_nano_usd: i64,
    /// That cost minus the recorded cost, in nano-dollars.
    pub saved_without_cache_effects_nano_usd: i64,
    /// The savings of each rule or other slot that decided, by its name.
    pub rules: BTreeMap<String, RuleSavings>,
    /// The error of simulating the recorded run without any change.
    pub calibration: AccuracyReport,
    /// Turns that could not be compared, by reason, at their recorded cost.
    pub excluded: BTreeMap<String, GroupTotal>,
    /// Calls in the range that belong to no turn in it.
    pub outside: OutsideCalls,
    /// Questions of turnwise in the range to a model which skill a message loads; no other figure includes them.
    pub skill_routing: OutsideCalls,
}

/// The cost of the turns that a rule or another slot decided, and their estimated cost on the requested models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RuleSavings {
    /// The number of turns.
    pub turns: u64,
    /// The recorded cost, in nano-dollars.
    pub spent_nano_usd: i64,
    /// The estimated cost on the requested models, in nano-dollars.
    pub requested_nano_usd: i64,
}

impl RuleSavings {
    /// Returns the savings in nano-dollars: the estimated cost minus the recorded cost. Negative if the rule cost more
    /// than the requested models would have.
    pub const fn saved_nano_usd(&self) -> i64 {
        self.requested_nano_usd.saturating_sub(self.spent_nano_usd)
    }
}

/// Compares the cost of the turns in `range` with their estimated cost on the models that their clients requested. With
/// `latest`, only the latest turns are compared, and time and memory do not grow with the log. `progress` receives the position of each event that was read; if it returns `false`, the
/// comparison stops.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read, [`WhatIfError::Stopped`] if `progress` returned `false`.
pub fn savings(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    models: Arc<Registry>,
    range: Range,
    latest: Option<LatestTurns>,
    progress: &mut dyn FnMut(Position) -> bool,
) -> Result<Savings, WhatIfError> {
    let options = Backtest { candidates: Vec::new(), against: Baseline::Requested, range, models };
    let (mut turns_on_another_model, mut rules) = (0_u64, BTreeMap::<String, RuleSavings>::new());
    let mut count_row = |row: &TurnRow| {
        turns_on_another_model += u64::from(row.old.model != row.recorded);
        let rule = rules.entry(row.recorded_rule.clone()).or_default();
        rule.turns += 1;
        rule.spent_nano_usd = rule.spent_nano_usd.saturating_add(row.recorded_nano_usd);
        rule.requested_nano_usd = rule.requested_nano_usd.saturating_add(row.old.nano_usd);
    };
    let report = match latest {
        None => backtest(log, texts, &options, &mut count_row, progress)?,
        Some(latest) => backtest_latest(log, texts, &options, latest, &mut count_row, progress)?,
    };
    let (spent, requested, same_cache) =
        (report.recorded_nano_usd, report.old.all.nano_usd, report.old_same_cache_nano_usd);
    Ok(Savings {
        since: report.period.map(|(first, _)| first),
        until: report.period.map(|(_, last)| last),
        turns: report.turns,
        turns_on_another_model,
        spent_nano_usd: spent,
        requested_nano_usd: requested,
        saved_nano_usd: requested.saturating_sub(spent),
        requested_same_cache_nano_usd: same_cache,
        saved_without_cache_effects_nano_usd: same_cache.saturating_sub(spent),
        rules,
        calibration: report.calibration,
        excluded: report.excluded,
        outside: report.outside,
        skill_routing: report.skill_routing,
    })
}
