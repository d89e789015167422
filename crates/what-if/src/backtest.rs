//! The same traffic under other policies.

use std::{collections::BTreeMap, sync::Arc};

use contracts::{
    ModelId, Registry, TurnId,
    events::{CallRole, RouteDecided, TurnEnded, TurnStarted},
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

/// What the policies that are tried are compared with.
#[derive(Debug, Clone)]
pub enum Against {
    /// The models that really ran.
    Recorded,
    /// Another policy.
    Policy(Candidate),
}

/// A question about the past.
#[derive(Debug, Clone)]
pub struct Backtest {
    /// The policies that are tried, at least one.
    pub candidates: Vec<Candidate>,
    /// What they are compared with.
    pub against: Against,
    /// The turns that are asked about.
    pub range: Range,
    /// The models, for their prices.
    pub models: Arc<Registry>,
}

/// Answers a question. Each judged turn is told to `row`, each position that was passed to `progress`; false ends it.
///
/// One walk over the log, however many policies are tried; memory grows with open turns, sessions and groups.
///
/// # Errors
/// [`WhatIfError`] when the log cannot be read, [`WhatIfError::Stopped`] when `progress` says so.
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

/// A policy at work.
struct Side<'q> {
    candidate: &'q Candidate,
    ledger: Ledger,
    /// What was spent more than recorded, or less, by UTC day; only the last day matters.
    spent: (u64, i64),
}

impl<'q> Side<'q> {
    fn new(candidate: &'q Candidate) -> Self {
        Self { candidate, ledger: Ledger::default(), spent: (0, 0) }
    }

    /// What this policy had spent more than recorded on the day of a moment.
    fn spent_more(&self, at: Timestamp) -> i64 {
        if self.spent.0 == day_number(at) { self.spent.1 } else { 0 }
    }

    fn spend_more(&mut self, at: Timestamp, nano: i64) {
        let day = day_number(at);
        let before = if self.spent.0 == day { self.spent.1 } else { 0 };
        self.spent = (day, before.saturating_add(nano));
    }
}

fn day_number(at: Timestamp) -> u64 {
    at.0 / 86_400_000_000
}

/// A turn between its decision and its end.
pub(crate) struct Turn {
    pub(crate) at: Timestamp,
    pub(crate) started: TurnStarted,
    /// What was recorded as decided.
    pub(crate) decided: Box<RouteDecided>,
    /// What each side chooses, or why it cannot be judged.
    pub(crate) chosen: Vec<Chosen>,
    /// The model of the turn's own first call.
    pub(crate) model: Option<ModelId>,
    /// Why the turn cannot be judged, once that is known.
    pub(crate) unjudged: Option<String>,
    pub(crate) calls: u64,
    /// Nano-dollars: as recorded, as simulated without a change, and on each side.
    pub(crate) recorded: i64,
    pub(crate) simulated: i64,
    pub(crate) sides: Vec<i64>,
}

impl Turn {
    /// Whether a call is of the turn's own line of work: no sub-agent's, and no auxiliary call.
    fn owns(&self, call: &Call) -> bool {
        call.role != CallRole::Side && call.thread == self.started.thread
    }
}

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
    /// Simulates a call on every side, those without a change included: their caches stay warm with it.
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

    /// Turns that never ended count as well.
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
