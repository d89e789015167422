//! Backtest: decides the recorded turns again under other policies and estimates what they would have cost.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{
    FailedCandidate, ModelId, Registry, SessionId, Thread, TurnId,
    events::{LlmCallCompleted, LlmCallFailed, RouteDecided, RouteFallback, SkillModelAsked, TurnEnded, TurnStarted},
};
use costs::{
    SpendingLedger,
    prompt_cache::{Call, CallTracker},
};
use event_bus::{EventLog, TextStore};
use event_core::{Position, Recorded, Timestamp};
use patterns::Patterns;

use crate::{
    accuracy::SimulationCheck,
    candidate::Candidate,
    choice::{PolicyChoice, TriedSituation, decide_under, requested_model},
    error::WhatIfError,
    latest_turns::{LatestTurns, WalkStart},
    policy_cache::PolicyCache,
    range::Range,
    report::{ExcludedTurn, Report, TurnRow},
    report_builder::ReportBuilder,
    simulated_costs::{CallCosts, SimulatedCosts, TokenRatio, to_signed},
    turn_comparison::TurnComparison,
    walk::{DecisionPoint, VisitDecision, Visitor, walk},
};

/// The baseline of a backtest, which the candidate policies are compared with.
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

/// Runs a backtest in one pass over the log, however many policies it tries.
///
/// `row` receives each turn that could be decided under all policies, when the turn ends. `progress` receives the
/// position of each event that was read; if it returns `false`, the backtest stops. Memory grows with open turns,
/// sessions and groups, not with the log.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read, [`WhatIfError::Stopped`] if `progress` returned `false`.
pub fn backtest(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    parameters: &Backtest,
    row: &mut dyn FnMut(&TurnRow),
    progress: &mut dyn FnMut(Position) -> bool,
) -> Result<Report, WhatIfError> {
    run(log, texts, parameters, WalkStart::Origin, row, progress)
}

/// Runs a backtest over the latest turns, whatever the length of the log: time and memory grow with `latest` alone.
///
/// The recommendations recorded with each turn are used, outages that began before the first turn are unknown, and
/// the simulated prompt caches are empty there. Turns that began earlier are excluded. `row` and `progress` are those of
/// [`backtest`].
///
/// # Errors
/// As [`backtest`].
pub fn backtest_latest(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    parameters: &Backtest,
    latest: LatestTurns,
    row: &mut dyn FnMut(&TurnRow),
    progress: &mut dyn FnMut(Position) -> bool,
) -> Result<Report, WhatIfError> {
    let after = latest.start(log, &mut |position| !progress(position))?;
    run(log, texts, parameters, WalkStart::After(after), row, progress)
}

/// Runs a backtest in one walk from `start`.
fn run(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    parameters: &Backtest,
    start: WalkStart,
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
    let known = walk(log, texts, &parameters.range, start, &mut run)?;
    Ok(run.finish(&known.patterns))
}

/// The source of the model choices of one side of the comparison.
enum Chooser<'q> {
    /// The policy of a candidate, or of the baseline.
    Policy(&'q Candidate),
    /// The clients: the models that they requested.
    Requested,
}

/// One side of the comparison: the choices of a policy and everything that follows from them, such as prompt cache,
/// spending and signatures.
struct PolicyRun<'q> {
    /// The source of the choices.
    chooser: Chooser<'q>,
    /// The prompt caches under these choices, and the costs of calls with them.
    costs: SimulatedCosts,
    /// The differences between the costs of these choices and the recorded costs, by the time at which a call ended.
    extra_spending: SpendingLedger,
    /// The models that signed thinking, by session and thread.
    signers: BTreeMap<(SessionId, Thread), BTreeSet<ModelId>>,
}

impl<'q> PolicyRun<'q> {
    /// Creates a side of the comparison that has not seen any call.
    fn new(chooser: Chooser<'q>) -> Self {
        Self {
            chooser,
            costs: SimulatedCosts::default(),
            extra_spending: SpendingLedger::default(),
            signers: BTreeMap::new(),
        }
    }

    /// Returns the name of this side of the comparison, for the reasons of excluded turns.
    fn name(&self) -> &str {
        match self.chooser {
            Chooser::Policy(candidate) => &candidate.name,
            Chooser::Requested => "requested",
        }
    }

    /// Chooses the model of a recorded turn, when the models in `failed` have already failed in it.
    fn choose<D>(&self, point: &DecisionPoint<'_, D>, failed: &[FailedCandidate]) -> PolicyChoice {
        let Chooser::Policy(candidate) = self.chooser else { return requested_model(point.started) };
        let no_signers = BTreeSet::new();
        let started = point.started;
        let thread = (started.session.clone(), started.thread.clone());
        let client = started.request.as_ref().and_then(|request| request.client.as_deref());
        let project = started.workspace.as_deref();
        let tried = TriedSituation {
            extra_spending: self.extra_spending.spent_by(&started.session, project, client, point.at),
            signers: self.signers.get(&thread).unwrap_or(&no_signers),
            failed,
        };
        decide_under(point, &candidate.policy, tried)
    }
}

/// The state of a running backtest.
struct BacktestRun<'q> {
    /// The parameters of the backtest.
    parameters: &'q Backtest,
    /// Collects each completed model call from the events.
    calls: CallTracker,
    /// The prompt caches of the recorded models, and the costs of calls with them.
    recorded_models: SimulatedCosts,
    /// The sides of the comparison: the candidates in their order, then the baseline unless it is the recorded run.
    policies: Vec<PolicyRun<'q>>,
    /// The turns in the range that have been decided and not ended.
    turns: BTreeMap<TurnId, TurnComparison>,
    /// Measures the error of the simulation.
    simulation_check: SimulationCheck,
    /// Sums up the turns that ended.
    report: ReportBuilder,
    /// Receives each turn that could be decided under all policies, when it ends.
    row: &'q mut dyn FnMut(&TurnRow),
    /// Receives the position of each event; stops the backtest by returning false.
    progress: &'q mut dyn FnMut(Position) -> bool,
}

impl VisitDecision<RouteDecided> for BacktestRun<'_> {
    fn decision(&mut self, point: DecisionPoint<'_, RouteDecided>, _: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
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

    fn without_start(&mut self, event: &Recorded, decided: &RouteDecided) {
        let reason = "its start was lost from the log".to_owned();
        let (turn, session) = (decided.turn, decided.session.clone());
        self.report.exclude(ExcludedTurn { turn, session, at: event.event.at, reason }, 0);
    }
}

impl VisitDecision<RouteFallback> for BacktestRun<'_> {
    /// Handles a recorded fallback: a model failed before its response. A policy that had chosen this model decides
    /// again; the choice of any other policy stays.
    fn decision(
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
}

impl Visitor for BacktestRun<'_> {
    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError> {
        if let Some(call) = self.calls.advance(event)? {
            let thinking = event.read::<LlmCallCompleted>()?.is_some_and(|call| 0 < call.thinking_blocks);
            self.simulate_call(&call, event.event.at, thinking);
        }
        if let Some(started) = event.read::<TurnStarted>()? {
            for policy in &mut self.policies {
                policy.extra_spending.start_turn(&started);
            }
        }
        if let Some(failed) = event.read::<LlmCallFailed>()?
            && failed.usage.is_some()
        {
            self.add_failed_call(&failed);
        }
        if let Some(asked) = event.read::<SkillModelAsked>()?
            && asked.usage.is_some()
            && self.parameters.range.contains(event.event.at, &asked.session)
        {
            self.report.add_skill_question(asked.cost.map(to_signed));
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
    /// Simulates a recorded model call, which ended at `at`, under every policy. Calls whose model does not change are
    /// simulated too, since they use the prompt cache. `thinking` is whether the response has signed thinking.
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
                policy.extra_spending.add(&call.session, at, costs.simulated.saturating_sub(simulated));
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

    /// Adds the cost of a failed model call that was billed. It is the same under every policy.
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

    /// Adds a turn that ended to the report, and passes its row to the caller.
    fn finish_turn(&mut self, turn: &TurnComparison) {
        if let Some(row) = self.report.add(turn) {
            (self.row)(&row);
        }
    }

    /// Counts the turns that never ended, and returns the report. `patterns` contains the recorded success of the
    /// models.
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

/// Returns the start of a message on one line, at most [`MAX_CHARACTERS`] characters.
fn message_start(message: &str) -> String {
    /// The maximum number of characters.
    const MAX_CHARACTERS: usize = 160;
    let start: String = message.chars().take(MAX_CHARACTERS).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}
