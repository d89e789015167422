//! Backtest: decides the recorded turns again under other policies and estimates what they would have cost.

use std::{collections::BTreeMap, sync::Arc};

use contracts::{
    ModelId, Registry, TurnId,
    events::{RouteDecided, TurnEnded, TurnStarted},
};
use costs::prompt_cache::{Call, CallTracker};
use event_bus::{EventLog, TextStore};
use event_core::{Position, Recorded, Timestamp};

use crate::{
    accuracy::SimulationCheck,
    candidate::Candidate,
    choice::{PolicyChoice, decide_under},
    error::WhatIfError,
    policy_cache::PolicyCache,
    range::Range,
    report::{ExcludedTurn, Report, TurnRow},
    report_builder::ReportBuilder,
    simulated_costs::{SimulatedCosts, TokenRatio},
    walk::{DecisionPoint, Visitor, walk},
};

/// The baseline that the candidate policies are compared with.
#[derive(Debug, Clone)]
pub enum Baseline {
    /// The models that ran and the costs that were recorded.
    Recorded,
    /// The choices of this policy, at simulated costs.
    Policy(Candidate),
}

/// The parameters of a backtest.
#[derive(Debug, Clone)]
pub struct Backtest {
    /// The policies to try, at least one.
    pub candidates: Vec<Candidate>,
    /// The baseline of the comparison.
    pub against: Baseline,
    /// The turns to decide again.
    pub range: Range,
    /// The models with their prices and tokenizers, which all calls are priced with.
    pub models: Arc<Registry>,
}

/// Runs a backtest in one walk over the log, however many policies it tries.
///
/// `row` receives each turn that could be decided under all policies, when it ends. `progress` receives the position of
/// each event that was read; returning `false` stops the backtest. Memory grows with open turns, sessions and groups,
/// not with the log.
///
/// # Errors
/// [`WhatIfError`] when the log cannot be read, [`WhatIfError::Stopped`] when `progress` returned `false`.
pub fn backtest(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    parameters: &Backtest,
    row: &mut dyn FnMut(&TurnRow),
    progress: &mut dyn FnMut(Position) -> bool,
) -> Result<Report, WhatIfError> {
    let old = match &parameters.against {
        Baseline::Recorded => None,
        Baseline::Policy(candidate) => Some(candidate),
    };
    let policies = parameters.candidates.iter().chain(old);
    let mut run = BacktestRun {
        parameters,
        calls: CallTracker::default(),
        recorded_models: SimulatedCosts::default(),
        policies: policies.map(PolicyRun::new).collect(),
        turns: BTreeMap::new(),
        simulation_check: SimulationCheck::new(),
        report: ReportBuilder::new(parameters),
        row,
        progress,
    };
    walk(log, texts, &parameters.range, &mut run)?;
    Ok(run.finish())
}

/// One policy of the comparison with its simulated prompt cache.
struct PolicyRun<'q> {
    candidate: &'q Candidate,
    costs: SimulatedCosts,
    /// A UTC day in days since 1970, and the nano-dollars spent on it beyond the recorded cost (negative: less). Only
    /// the latest day is kept, because budgets are per day.
    latest_extra: (u64, i64),
}

impl<'q> PolicyRun<'q> {
    fn new(candidate: &'q Candidate) -> Self {
        Self { candidate, costs: SimulatedCosts::default(), latest_extra: (0, 0) }
    }

    /// Returns the nano-dollars spent beyond the recorded cost on the UTC day of `at`; 0 if that is not the latest day.
    fn extra_spending(&self, at: Timestamp) -> i64 {
        if self.latest_extra.0 == day_number(at) { self.latest_extra.1 } else { 0 }
    }

    /// Adds `nano` nano-dollars to the difference from the recorded cost on the UTC day of `at`.
    fn add_extra_spending(&mut self, at: Timestamp, nano: i64) {
        let day = day_number(at);
        let before = if self.latest_extra.0 == day { self.latest_extra.1 } else { 0 };
        self.latest_extra = (day, before.saturating_add(nano));
    }
}

/// Returns the UTC day of a moment, in days since 1970.
fn day_number(at: Timestamp) -> u64 {
    at.0 / 86_400_000_000
}

/// A turn that was decided and has not ended.
pub(crate) struct TurnComparison {
    /// The time when the turn started.
    pub(crate) at: Timestamp,
    /// The `turn.started` event.
    pub(crate) started: TurnStarted,
    /// The decision in the log.
    pub(crate) decided: Box<RouteDecided>,
    /// The choice of each policy, in the order of `BacktestRun::policies`.
    pub(crate) chosen: Vec<PolicyChoice>,
    /// The model of the first call on the turn's own thread; `None` before it.
    pub(crate) model: Option<ModelId>,
    /// The reason why the turn is excluded from the comparison; `None` if it is not excluded.
    pub(crate) exclusion: Option<String>,
    /// The number of calls of `model` on the turn's own thread.
    pub(crate) calls: u64,
    /// The recorded cost of the turn's calls, in nano-dollars.
    pub(crate) recorded: i64,
    /// The simulated cost on the recorded models, in nano-dollars.
    pub(crate) simulated: i64,
    /// The simulated cost under each policy, in nano-dollars, in the order of `BacktestRun::policies`.
    pub(crate) simulated_by_policy: Vec<i64>,
}

impl TurnComparison {
    /// Returns whether the call is on the turn's own thread: neither of a sub-agent nor auxiliary.
    fn is_own_call(&self, call: &Call) -> bool {
        call.thread.role() != contracts::CallRole::Auxiliary && call.thread == self.started.thread
    }
}

/// The state of a running backtest.
struct BacktestRun<'q> {
    parameters: &'q Backtest,
    calls: CallTracker,
    recorded_models: SimulatedCosts,
    policies: Vec<PolicyRun<'q>>,
    turns: BTreeMap<TurnId, TurnComparison>,
    simulation_check: SimulationCheck,
    report: ReportBuilder,
    row: &'q mut dyn FnMut(&TurnRow),
    progress: &'q mut dyn FnMut(Position) -> bool,
}

impl Visitor for BacktestRun<'_> {
    fn decision(&mut self, point: DecisionPoint<'_>, _: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        let chosen: Vec<_> = self
            .policies
            .iter()
            .map(|policy| decide_under(&point, &policy.candidate.policy, policy.extra_spending(point.at)))
            .collect();
        let exclusion =
            chosen.iter().zip(&self.policies).find_map(|(chosen, policy)| chosen.refusal(&policy.candidate.name));
        let turn = TurnComparison {
            at: point.at,
            started: point.started.clone(),
            simulated_by_policy: vec![0; chosen.len()],
            chosen,
            decided: Box::new(point.decided),
            model: None,
            exclusion,
            calls: 0,
            recorded: 0,
            simulated: 0,
        };
        self.turns.insert(turn.started.turn, turn);
        Ok(())
    }

    fn without_start(&mut self, event: &Recorded, decided: &RouteDecided) {
        let reason = "its start was lost from the log".to_owned();
        let (turn, session) = (decided.turn, decided.session.clone());
        self.report.exclude(ExcludedTurn { turn, session, at: event.event.at, reason }, 0);
    }

    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError> {
        if let Some(call) = self.calls.advance(event)? {
            self.simulate_call(&call);
        }
        if let Some(ended) = event.read::<TurnEnded>()?
            && let Some(turn) = self.turns.remove(&ended.turn)
        {
            self.finish_turn(&turn);
        }
        if (self.progress)(event.position) { Ok(true) } else { Err(WhatIfError::Stopped) }
    }
}

impl BacktestRun<'_> {
    /// Simulates the call under every policy. Calls whose model does not change are simulated too, since they keep the
    /// cache warm.
    fn simulate_call(&mut self, call: &Call) {
        let cost = call.cost.map(|cost| to_signed(cost.0));
        let models = Arc::clone(&self.parameters.models);
        self.simulation_check.add(call, &models);
        let known = models.get(&call.model);
        let simulated = known
            .and_then(|model| self.recorded_models.simulate(call, model, TokenRatio::EQUAL))
            .map(|cost| to_signed(cost.0));
        let mut turn = self.turns.get_mut(&call.turn);
        if let Some(turn) = &mut turn {
            if turn.model.is_none() && turn.is_own_call(call) {
                turn.model = Some(call.model.clone());
            }
            match (cost, simulated) {
                (Some(cost), Some(simulated)) => {
                    turn.recorded = turn.recorded.saturating_add(cost);
                    turn.simulated = turn.simulated.saturating_add(simulated);
                }
                _ => turn.exclusion = turn.exclusion.take().or_else(|| Some(unknown_price_reason(&call.model))),
            }
        }
        for (index, policy) in self.policies.iter_mut().enumerate() {
            let own = turn.as_deref().filter(|turn| turn.model.as_ref() == Some(&call.model) && turn.is_own_call(call));
            let chosen = own.filter(|turn| turn.exclusion.is_none()).and_then(|turn| turn.chosen.get(index)?.model());
            let Some(model) = models.get(chosen.unwrap_or(&call.model)) else { continue };
            let ratio = match (own, known) {
                (Some(turn), Some(known)) => TokenRatio::between(&turn.started, known.tokenizer, model.tokenizer),
                _ => TokenRatio::EQUAL,
            };
            let spent = policy.costs.simulate(call, model, ratio).map(|cost| to_signed(cost.0));
            if let Some(turn) = &mut turn {
                match spent {
                    Some(spent) => {
                        turn.simulated_by_policy[index] = turn.simulated_by_policy[index].saturating_add(spent);
                    }
                    None => turn.exclusion = turn.exclusion.take().or_else(|| Some(unknown_price_reason(&model.id))),
                }
            }
        }
        if let Some(turn) = turn
            && turn.model.as_ref() == Some(&call.model)
            && turn.is_own_call(call)
        {
            turn.calls += 1;
        }
    }

    /// Adds an ended turn to the report and reports its row.
    fn finish_turn(&mut self, turn: &TurnComparison) {
        for (policy, simulated) in self.policies.iter_mut().zip(&turn.simulated_by_policy) {
            if turn.exclusion.is_none() {
                policy.add_extra_spending(turn.at, simulated.saturating_sub(turn.simulated));
            }
        }
        if let Some(row) = self.report.add(turn) {
            (self.row)(&row);
        }
    }

    /// Counts the turns that never ended, and returns the report.
    fn finish(mut self) -> Report {
        while let Some((_, turn)) = self.turns.pop_first() {
            self.finish_turn(&turn);
        }
        self.report.build(self.simulation_check.report())
    }
}

/// Returns the reason for excluding a turn that called a model without a known price.
fn unknown_price_reason(model: &ModelId) -> String {
    format!("the price of `{model}` is not known")
}

/// Converts nano-dollars to a signed number, saturating.
fn to_signed(nano: u64) -> i64 {
    i64::try_from(nano).unwrap_or(i64::MAX)
}
