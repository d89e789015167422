//! Backtest: decides the recorded turns again under other policies and estimates what they would have cost.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{
    FailedCandidate, ModelId, Registry, SessionId, Thread, TurnId,
    events::{LlmCallCompleted, LlmCallFailed, RouteDecided, RouteFallback, TurnEnded, TurnStarted},
};
use costs::prompt_cache::{Call, CallTracker};
use event_bus::{EventLog, TextStore};
use event_core::{Position, Recorded, Timestamp};
use patterns::Patterns;

use crate::{
    accuracy::SimulationCheck,
    candidate::Candidate,
    choice::{PolicyChoice, TriedSituation, decide_under, requested_model},
    error::WhatIfError,
    extra_spending::ExtraSpending,
    policy_cache::PolicyCache,
    range::Range,
    report::{ExcludedTurn, Report, TurnRow},
    report_builder::ReportBuilder,
    simulated_costs::{CallCosts, SimulatedCosts, TokenRatio, to_signed},
    walk::{DecisionPoint, Visitor, walk},
};

/// The baseline that the candidate policies are compared with.
#[derive(Debug, Clone)]
pub enum Baseline {
    /// The models that ran and the costs that were recorded.
    Recorded,
    /// The choices of this policy, at simulated costs.
    Policy(Candidate),
    /// The models that the clients requested, at simulated costs. Turns for which no client requested a known model are
    /// excluded.
    Requested,
}

/// The parameters of a backtest.
#[derive(Debug, Clone)]
pub struct Backtest {
    /// The policies to try; none to compare only the baseline with what was recorded.
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
        Baseline::Policy(candidate) => Some(Chooser::Policy(candidate)),
        Baseline::Requested => Some(Chooser::Requested),
    };
    let policies = parameters.candidates.iter().map(Chooser::Policy).chain(old);
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
    let known = walk(log, texts, &parameters.range, &mut run)?;
    Ok(run.finish(&known.patterns))
}

/// What chooses the models of one side of the comparison.
enum Chooser<'q> {
    Policy(&'q Candidate),
    /// The clients.
    Requested,
}

/// One side of the comparison with everything that follows from its choices: prompt cache, spending and signatures.
struct PolicyRun<'q> {
    chooser: Chooser<'q>,
    costs: SimulatedCosts,
    extra_spending: ExtraSpending,
    /// The models that signed thinking, by session and thread.
    signers: BTreeMap<(SessionId, Thread), BTreeSet<ModelId>>,
}

impl<'q> PolicyRun<'q> {
    fn new(chooser: Chooser<'q>) -> Self {
        Self {
            chooser,
            costs: SimulatedCosts::default(),
            extra_spending: ExtraSpending::default(),
            signers: BTreeMap::new(),
        }
    }

    /// The name in reasons of excluded turns.
    fn name(&self) -> &str {
        match self.chooser {
            Chooser::Policy(candidate) => &candidate.name,
            Chooser::Requested => "requested",
        }
    }

    /// Chooses the model of a turn, after the models `failed` in it.
    fn choose<D>(&self, point: &DecisionPoint<'_, D>, failed: &[FailedCandidate]) -> PolicyChoice {
        let Chooser::Policy(candidate) = self.chooser else { return requested_model(point.started) };
        let no_signers = BTreeSet::new();
        let thread = (point.started.session.clone(), point.started.thread.clone());
        let tried = TriedSituation {
            extra_spending: self.extra_spending.before(point.at),
            signers: self.signers.get(&thread).unwrap_or(&no_signers),
            failed,
        };
        decide_under(point, &candidate.policy, tried)
    }
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
    /// The costs under each policy, in the order of `BacktestRun::policies`.
    pub(crate) by_policy: Vec<CallCosts>,
    /// The start of the message, on one line; `None` if its text is gone.
    pub(crate) message: Option<String>,
}

impl TurnComparison {
    /// Estimates the cost under a policy (an index of `by_policy`) in nano-dollars: with the simulated prompt cache, and as
    /// if a change of model lost no part of the cache.
    ///
    /// The first is the recorded cost plus the simulated change, so that errors common to both simulations cancel, but at
    /// least what the provider bills.
    pub(crate) fn estimate(&self, policy: usize) -> Option<(i64, i64)> {
        let costs = self.by_policy.get(policy)?;
        let change = costs.simulated.saturating_sub(self.simulated);
        let estimate = if change == 0 { self.recorded } else { self.recorded.saturating_add(change).max(costs.floor) };
        Some((estimate, costs.same_cache))
    }

    /// Returns whether the call is on the turn's own thread, and not of a sub-agent inside it.
    fn is_own_call(&self, call: &Call) -> bool {
        call.thread == self.started.thread
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
        let chosen: Vec<_> = self.policies.iter().map(|policy| policy.choose(&point, &[])).collect();
        let exclusion = chosen.iter().zip(&self.policies).find_map(|(chosen, policy)| chosen.refusal(policy.name()));
        self.report.add_decision(&point.decided, point.at);
        let turn = TurnComparison {
            at: point.at,
            started: point.started.clone(),
            by_policy: vec![CallCosts::default(); chosen.len()],
            message: point.message.map(message_start),
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

    /// A model failed before its response. A policy that had chosen it decides again as well; the choice of any other
    /// policy stays.
    fn fallback(
        &mut self,
        point: DecisionPoint<'_, RouteFallback>,
        _: &mut PolicyCache<'_>,
    ) -> Result<(), WhatIfError> {
        let Some(turn) = self.turns.get_mut(&point.decided.turn) else { return Ok(()) };
        let failed = &point.decided.failed;
        for (chosen, policy) in turn.chosen.iter_mut().zip(&self.policies) {
            if chosen.model().is_some_and(|model| failed.iter().any(|failed| failed.model == *model)) {
                *chosen = policy.choose(&point, failed);
                turn.exclusion = turn.exclusion.take().or_else(|| chosen.refusal(policy.name()));
            }
        }
        turn.decided.decision = point.decided.decision.clone();
        Ok(())
    }

    fn without_start(&mut self, event: &Recorded, decided: &RouteDecided) {
        let reason = "its start was lost from the log".to_owned();
        let (turn, session) = (decided.turn, decided.session.clone());
        self.report.exclude(ExcludedTurn { turn, session, at: event.event.at, reason }, 0);
    }

    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError> {
        if let Some(call) = self.calls.advance(event)? {
            let thinking = event.read::<LlmCallCompleted>()?.is_some_and(|call| 0 < call.thinking_blocks);
            self.simulate_call(&call, event.event.at, thinking);
        }
        if let Some(failed) = event.read::<LlmCallFailed>()?
            && failed.usage.is_some()
        {
            self.add_failed_call(&failed);
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
    /// Simulates the call, which ended at `at`, under every policy. Calls whose model does not change are simulated too,
    /// since they keep the cache warm. `thinking` is whether the response has signed thinking.
    fn simulate_call(&mut self, call: &Call, at: Timestamp, thinking: bool) {
        let cost = call.cost.map(to_signed);
        let models = Arc::clone(&self.parameters.models);
        self.simulation_check.add(call, &models);
        let known = models.get(&call.model);
        let simulated = known
            .and_then(|model| self.recorded_models.simulate(call, model, TokenRatio::EQUAL))
            .map(|costs| costs.simulated);
        let mut turn = self.turns.get_mut(&call.turn);
        match &mut turn {
            Some(turn) => {
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
            None => self.report.add_outside_call(cost, self.parameters.range.contains(at, &call.session)),
        }
        for (index, policy) in self.policies.iter_mut().enumerate() {
            let own = turn.as_deref().filter(|turn| turn.model.as_ref() == Some(&call.model) && turn.is_own_call(call));
            let chosen = own.filter(|turn| turn.exclusion.is_none()).and_then(|turn| turn.chosen.get(index)?.model());
            let id = chosen.unwrap_or(&call.model);
            if thinking {
                let thread = (call.session.clone(), call.thread.clone());
                policy.signers.entry(thread).or_default().insert(id.clone());
            }
            let Some(model) = models.get(id) else { continue };
            let ratio = match (own, known) {
                (Some(turn), Some(known)) => TokenRatio::between(&turn.started, known.tokenizer, model.tokenizer),
                _ => TokenRatio::EQUAL,
            };
            let costs = policy.costs.simulate(call, model, ratio);
            if let (Some(costs), Some(simulated)) = (costs, simulated) {
                policy.extra_spending.add(at, costs.simulated.saturating_sub(simulated));
            }
            if let Some(turn) = &mut turn {
                match costs {
                    Some(costs) => {
                        turn.by_policy[index].add(costs);
                        if model.id == call.model {
                            // What was billed for the recorded model needs no estimate.
                            turn.by_policy[index].keep_recorded(costs, cost.unwrap_or_default());
                        }
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

    /// Adds a failed call that was billed: its cost is the same on both sides.
    fn add_failed_call(&mut self, failed: &LlmCallFailed) {
        let cost = failed.cost.map(to_signed);
        let Some(turn) = self.turns.get_mut(&failed.turn) else {
            return self.report.add_outside_call(cost, self.parameters.range.session.is_none());
        };
        let Some(cost) = cost else {
            turn.exclusion = turn.exclusion.take().or_else(|| Some(unknown_price_reason(&failed.model)));
            return;
        };
        turn.recorded = turn.recorded.saturating_add(cost);
        for costs in &mut turn.by_policy {
            costs.floor = costs.floor.saturating_add(cost);
            costs.same_cache = costs.same_cache.saturating_add(cost);
        }
    }

    /// Adds an ended turn to the report and reports its row.
    fn finish_turn(&mut self, turn: &TurnComparison) {
        if let Some(row) = self.report.add(turn) {
            (self.row)(&row);
        }
    }

    /// Counts the turns that never ended, and returns the report with what `patterns` know of the models' success.
    fn finish(mut self, patterns: &Patterns) -> Report {
        while let Some((_, turn)) = self.turns.pop_first() {
            self.finish_turn(&turn);
        }
        self.report.build(self.simulation_check.report(), patterns)
    }
}

/// Returns the reason for excluding a turn that called a model without a known price.
fn unknown_price_reason(model: &ModelId) -> String {
    format!("the price of `{model}` is not known")
}

/// Returns the start of a message on one line.
fn message_start(message: &str) -> String {
    /// The maximum number of characters.
    const MAX_CHARACTERS: usize = 160;
    let start: String = message.chars().take(MAX_CHARACTERS).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}
