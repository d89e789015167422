//! The totals of removed sessions.

use std::collections::BTreeMap;

use contracts::{
    CallRole, ChainSlot as _, Decision, ModelId, SessionId, Slot, TurnId,
    events::{
        CostsRetained, DecisionMode, DecisionsRetained, LlmCallCompleted, LlmCallFailed, RouteDecided, RouteFallback,
        SkillModelAsked, TurnStarted,
    },
};
use costs::CostTotal;
use event_core::{EventId, EventType, NewEvent, Position, Recorded, Timestamp};

use crate::error::EngineError;

/// The decisions and costs of the removed sessions. A call counts towards the project and the client of its session, as
/// in [`Costs`](costs::Costs).
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// The number of turns.
    turns: u64,
    /// Project and client of each session: those of its latest turn that has one.
    sessions: BTreeMap<SessionId, (Option<String>, Option<String>)>,
    /// The rule that chose the model of each live turn; `None` if no rule did.
    rules: BTreeMap<TurnId, Option<String>>,
    /// The total of calls by their properties.
    costs: BTreeMap<CallGroup, CostTotal>,
    /// The number of decisions by slot and rule.
    decisions: BTreeMap<DecisionGroup, DecisionCount>,
}

/// The properties by which the costs of removed calls are summed up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CallGroup {
    /// UTC day, counted from 1970-01-01.
    day: u64,
    model: ModelId,
    role: CallRole,
    project: Option<String>,
    client: Option<String>,
    rule: Option<String>,
}

/// The properties by which the decisions of removed sessions are grouped and counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct DecisionGroup {
    /// Name of the slot that decided; empty for refused turns.
    slot_name: &'static str,
    rule: Option<String>,
    is_live: bool,
}

/// The number of turns of one group that are removed, and the day of the latest.
#[derive(Debug, Clone, Copy, Default)]
struct DecisionCount {
    /// The slot that decided; `None` for refused turns.
    slot: Option<Slot>,
    /// The number of turns.
    turns: u64,
    /// The UTC day of the latest of them, counted from 1970-01-01.
    day: u64,
}

impl Totals {
    /// Returns the number of turns.
    pub(super) const fn turns(&self) -> u64 {
        self.turns
    }

    /// Adds a removed event, in the order of the log.
    pub(super) fn add(&mut self, event: &Recorded) -> Result<(), EngineError> {
        let day = event.event.at.utc_day();
        match &*event.event.kind {
            TurnStarted::KIND => {
                let Some(turn) = event.read::<TurnStarted>()? else { return Ok(()) };
                self.turns += 1;
                let (project, client) = self.sessions.entry(turn.session).or_default();
                *project = turn.workspace.or_else(|| project.take());
                *client = turn.request.and_then(|request| request.client).or_else(|| client.take());
            }
            RouteDecided::KIND => {
                let Some(decided) = event.read::<RouteDecided>()? else { return Ok(()) };
                let is_live = decided.mode == DecisionMode::Live;
                let (slot, rule) = winner(&decided.decision);
                if is_live {
                    self.rules.insert(decided.turn, rule.clone());
                }
                let slot_name = slot.map_or("", |slot| slot.name());
                let count = self.decisions.entry(DecisionGroup { slot_name, rule, is_live }).or_default();
                *count = DecisionCount { slot, turns: count.turns + 1, day: count.day.max(day) };
            }
            RouteFallback::KIND => {
                let Some(step) = event.read::<RouteFallback>()? else { return Ok(()) };
                self.rules.insert(step.turn, winner(&step.decision).1);
            }
            LlmCallCompleted::KIND => {
                let Some(call) = event.read::<LlmCallCompleted>()? else { return Ok(()) };
                let total = CostTotal::from_call(call.usage, call.cost);
                self.add_call(day, call.turn, &call.session, call.thread.role(), call.model, &total);
            }
            LlmCallFailed::KIND => {
                let Some(call) = event.read::<LlmCallFailed>()? else { return Ok(()) };
                let Some(usage) = call.usage else { return Ok(()) };
                let total = CostTotal::from_call(usage, call.cost);
                self.add_call(day, call.turn, &call.session, call.thread.role(), call.model, &total);
            }
            SkillModelAsked::KIND => {
                let Some(asked) = event.read::<SkillModelAsked>()? else { return Ok(()) };
                let Some(usage) = asked.usage else { return Ok(()) };
                let total = CostTotal::from_call(usage, asked.cost);
                let (project, client) = self.sessions.get(&asked.session).cloned().unwrap_or_default();
                let (model, role) = (asked.model, CallRole::SkillRouting);
                self.costs.entry(CallGroup { day, model, role, project, client, rule: None }).or_default().add(&total);
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a billed call that ended on a UTC day.
    fn add_call(
        &mut self,
        day: u64,
        turn: TurnId,
        session: &SessionId,
        role: CallRole,
        model: ModelId,
        total: &CostTotal,
    ) {
        let (project, client) = self.sessions.get(session).cloned().unwrap_or_default();
        let rule = self.rules.get(&turn).cloned().flatten();
        self.costs.entry(CallGroup { day, model, role, project, client, rule }).or_default().add(total);
    }

    /// Returns the events that record the totals. Their ids are derived from the head of the log.
    pub(super) fn seal(&self, at: Timestamp, head: Position) -> Result<Vec<NewEvent>, EngineError> {
        let mut events = Vec::with_capacity(self.costs.len() + self.decisions.len());
        for (group, total) in &self.costs {
            let CallGroup { day, model, role, project, client, rule } = group.clone();
            let CostTotal { calls, unpriced_calls, usage, cost } = *total;
            let costs = CostsRetained { day, model, role, project, client, rule, calls, unpriced_calls, usage, cost };
            events.push(seal(&costs, events.len(), at, head)?);
        }
        for (group, count) in &self.decisions {
            let DecisionCount { slot, turns, day } = *count;
            let mode = if group.is_live { DecisionMode::Live } else { DecisionMode::Observed };
            let decisions = DecisionsRetained { slot, rule: group.rule.clone(), mode, day, turns };
            events.push(seal(&decisions, events.len(), at, head)?);
        }
        Ok(events)
    }
}

/// Returns the slot that decided, and the rule if that is the slot of rules; none if the turn was refused.
fn winner(decision: &Decision) -> (Option<Slot>, Option<String>) {
    let winner = decision.winner();
    (winner.map(|winner| winner.slot), winner.and_then(|winner| winner.reason.rule()).map(str::to_owned))
}

/// Creates an event with totals. Its id is derived from its `number` and the head of the log.
fn seal<E: EventType>(event: &E, number: usize, at: Timestamp, head: Position) -> Result<NewEvent, EngineError> {
    let id = EventId::derive(&[E::KIND.as_bytes(), &head.0.to_le_bytes(), &(number as u64).to_le_bytes()]);
    Ok(NewEvent::new(id, at, EventId::derive(&[b"log"]), event)?)
}
