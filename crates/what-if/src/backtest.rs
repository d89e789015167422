//! Backtest: decides the recorded turns again under other policies and estimates what they would have cost.

use std::{collections::BTreeMap, sync::Arc};

use contracts::{
    ModelId, Registry, TurnId,
    events::{RouteDecided, TurnEnded, TurnStarted},
};
use costs::prompt_cache::{Call, Calls};
use event_bus::{EventLog, TextStore};
use event_core::{Position, Recorded, Timestamp};

use crate::{
    candidate::Candidate,
    choose::{Chosen, choose},
    error::WhatIfError,
    identity::Check,
    ledger::{Ledger, Scale},
    library::Library,
    range::Range,
    report::{Report, TurnRow, Unjudged},
    tally::Tally,
    walk::{Point, Visitor, walk},
};

/// The baseline that the candidate policies are compared with.
#[derive(Debug, Clone)]
pub enum Against {
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
    pub against: Against,
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
    question: &Backtest,
    row: &mut dyn FnMut(&TurnRow),
    progress: &mut dyn FnMut(Position) -> bool,
) -> Result<Report, WhatIfError> {
    let old = match &question.against {
        Against::Recorded => None,
        Against::Policy(candidate) => Some(candidate),
    };
    let policies = question.candidates.iter().chain(old);
    let mut run = Run {
        question,
        calls: Calls::default(),
        identity: Ledger::default(),
        sides: policies.map(Side::new).collect(),
        turns: BTreeMap::new(),
        check: Check::new(),
        tally: Tally::new(question),
        row,
        progress,
    };
    walk(log, texts, &question.range, &mut run)?;
    Ok(run.finish())
}

/// One policy of the comparison with its simulated prompt cache.
struct Side<'q> {
    candidate: &'q Candidate,
    ledger: Ledger,
    /// A UTC day in days since 1970, and the nano-dollars spent on it beyond the recorded cost (negative: less). Only
    /// the latest day is kept, because budgets are per day.
    spent: (u64, i64),
}

impl<'q> Side<'q> {
    fn new(candidate: &'q Candidate) -> Self {
        Self { candidate, ledger: Ledger::default(), spent: (0, 0) }
    }

    /// Nano-dollars that this policy had spent beyond the recorded cost on the UTC day of `at`; 0 for any other day.
    fn spent_more(&self, at: Timestamp) -> i64 {
        if self.spent.0 == day_number(at) { self.spent.1 } else { 0 }
    }

    /// Adds `nano` nano-dollars to the difference from the recorded cost on the UTC day of `at`.
    fn spend_more(&mut self, at: Timestamp, nano: i64) {
        let day = day_number(at);
        let before = if self.spent.0 == day { self.spent.1 } else { 0 };
        self.spent = (day, before.saturating_add(nano));
    }
}

/// The UTC day of a moment, in days since 1970.
fn day_number(at: Timestamp) -> u64 {
    at.0 / 86_400_000_000
}

/// A turn that was decided and has not ended.
pub(crate) struct Turn {
    pub(crate) at: Timestamp,
    pub(crate) started: TurnStarted,
    /// The decision in the log.
    pub(crate) decided: Box<RouteDecided>,
    /// The choice of each policy, in the order of `Run::sides`.
    pub(crate) chosen: Vec<Chosen>,
    /// The model of the first call on the turn's own thread; `None` before it.
    pub(crate) model: Option<ModelId>,
    /// Why the turn is not counted in the comparison; `None` while it can be.
    pub(crate) unjudged: Option<String>,
    pub(crate) calls: u64,
    /// The cost of the turn's calls in nano-dollars: as recorded, as simulated on the recorded models, and as simulated
    /// under each policy.
    pub(crate) recorded: i64,
    pub(crate) simulated: i64,
    pub(crate) sides: Vec<i64>,
}

impl Turn {
    /// Whether the call is on the turn's own thread: neither of a sub-agent nor auxiliary.
    fn owns(&self, call: &Call) -> bool {
        call.thread.role() != contracts::CallRole::Auxiliary && call.thread == self.started.thread
    }
}

/// The state of a running backtest.
struct Run<'q> {
    question: &'q Backtest,
    calls: Calls,
    identity: Ledger,
    sides: Vec<Side<'q>>,
    turns: BTreeMap<TurnId, Turn>,
    check: Check,
    tally: Tally,
    row: &'q mut dyn FnMut(&TurnRow),
    progress: &'q mut dyn FnMut(Position) -> bool,
}

impl Visitor for Run<'_> {
    fn decision(&mut self, point: Point<'_>, _: &mut Library<'_>) -> Result<(), WhatIfError> {
        let chosen: Vec<_> =
            self.sides.iter().map(|side| choose(&point, &side.candidate.policy, side.spent_more(point.at))).collect();
        let unjudged = chosen.iter().zip(&self.sides).find_map(|(chosen, side)| chosen.refusal(&side.candidate.name));
        let turn = Turn {
            at: point.at,
            started: point.started.clone(),
            sides: vec![0; chosen.len()],
            chosen,
            decided: Box::new(point.decided),
            model: None,
            unjudged,
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
        self.tally.cannot_judge(Unjudged { turn, session, at: event.event.at, reason }, 0);
    }

    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError> {
        if let Some(call) = self.calls.advance(event)? {
            self.call(&call);
        }
        if let Some(ended) = event.read::<TurnEnded>()?
            && let Some(turn) = self.turns.remove(&ended.turn)
        {
            self.end(&turn);
        }
        if (self.progress)(event.position) { Ok(true) } else { Err(WhatIfError::Stopped) }
    }
}

impl Run<'_> {
    /// Simulates the call under every policy. Calls whose model does not change are simulated too, since they keep the
    /// cache warm.
    fn call(&mut self, call: &Call) {
        let cost = call.cost.map(|cost| signed(cost.0));
        let models = Arc::clone(&self.question.models);
        self.check.add(call, &models);
        let known = models.get(&call.model);
        let simulated =
            known.and_then(|model| self.identity.spend(call, model, Scale::SAME)).map(|cost| signed(cost.0));
        let mut turn = self.turns.get_mut(&call.turn);
        if let Some(turn) = &mut turn {
            if turn.model.is_none() && turn.owns(call) {
                turn.model = Some(call.model.clone());
            }
            match (cost, simulated) {
                (Some(cost), Some(simulated)) => {
                    turn.recorded = turn.recorded.saturating_add(cost);
                    turn.simulated = turn.simulated.saturating_add(simulated);
                }
                _ => turn.unjudged = turn.unjudged.take().or_else(|| Some(no_price(&call.model))),
            }
        }
        for (index, side) in self.sides.iter_mut().enumerate() {
            let own = turn.as_deref().filter(|turn| turn.model.as_ref() == Some(&call.model) && turn.owns(call));
            let chosen = own.filter(|turn| turn.unjudged.is_none()).and_then(|turn| turn.chosen.get(index)?.model());
            let Some(model) = models.get(chosen.unwrap_or(&call.model)) else { continue };
            let scale = match (own, known) {
                (Some(turn), Some(known)) => Scale::of(&turn.started, known.tokenizer, model.tokenizer),
                _ => Scale::SAME,
            };
            let spent = side.ledger.spend(call, model, scale).map(|cost| signed(cost.0));
            if let Some(turn) = &mut turn {
                match spent {
                    Some(spent) => turn.sides[index] = turn.sides[index].saturating_add(spent),
                    None => turn.unjudged = turn.unjudged.take().or_else(|| Some(no_price(&model.id))),
                }
            }
        }
        if let Some(turn) = turn
            && turn.model.as_ref() == Some(&call.model)
            && turn.owns(call)
        {
            turn.calls += 1;
        }
    }

    /// Adds an ended turn to the report and reports its row.
    fn end(&mut self, turn: &Turn) {
        for (side, simulated) in self.sides.iter_mut().zip(&turn.sides) {
            if turn.unjudged.is_none() {
                side.spend_more(turn.at, simulated.saturating_sub(turn.simulated));
            }
        }
        if let Some(row) = self.tally.add(turn) {
            (self.row)(&row);
        }
    }

    /// Counts the turns that never ended, and returns the report.
    fn finish(mut self) -> Report {
        while let Some((_, turn)) = self.turns.pop_first() {
            self.end(&turn);
        }
        self.tally.report(self.check.error())
    }
}

fn no_price(model: &ModelId) -> String {
    format!("the price of `{model}` is not known")
}

fn signed(nano: u64) -> i64 {
    i64::try_from(nano).unwrap_or(i64::MAX)
}
