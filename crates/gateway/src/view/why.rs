//! One turn in detail: chain, fallbacks, calls and verdict.

use contracts::{
    CallRole, ChainSlot, Decision, DecisionKind, ModelId, NanoUsd, TurnId, Usage,
    events::{EvalCompleted, LlmCallCompleted, LlmCallFailed, RouteFallback, SkillLoaded, TurnStarted},
};
use engine::{EngineError, RecordedDecision, events};
use event_bus::{EventLog, TextStore};
use event_core::{EventType as _, Position, Recorded};
use router_core::chain_json;
use serde_json::{Value, json};

use super::{board::Board, row::rfc3339, skills::skills_view};

/// The number of events after the start of a turn that are searched for events of the turn.
const MAX_EVENTS: usize = 20_000;

/// Returns a turn as the JSON of the gateway's `/turns/ID`: its row, reasons, chain, fallbacks, calls, requirements,
/// verdict and skills.
///
/// # Errors
/// [`EngineError::Log`] if the log cannot be read.
pub(crate) fn turn_view(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    insight: &RecordedDecision,
) -> Result<Value, EngineError> {
    let id = insight.decided.turn;
    let mut details = TurnDetails::new(insight);
    let mut board = Board::default();
    let start = log.find(id.0.then(TurnStarted::KIND, 0))?.unwrap_or(insight.position);
    for recorded in events(log, Position(start.0.saturating_sub(1))).take(MAX_EVENTS) {
        let recorded = recorded?;
        if recorded.event.correlation == id.0 {
            board.apply(&recorded, texts)?;
            details.apply(&recorded)?;
        }
    }
    let row = board.get(id).map(super::row::Row::json);
    Ok(json!({
        "turn": row,
        "why": insight.text(texts),
        "chain": chain_json(&insight.decided.decision),
        "skipped": skipped_slots(&insight.decided.decision),
        "notices": insight.notices(texts),
        "adapted": insight.adapted.iter().map(|feature| feature.name()).collect::<Vec<_>>(),
        "steps": details.steps,
        "calls": details.calls,
        "requires": details.requires,
        "verdict": details.verdict,
        "skills": skills_view(log, id, &details.loaded_skills)?,
        "policy_hash": insight.decided.policy.to_string(),
        "model_hash": insight.decided.catalogue.to_string(),
    }))
}

/// The details of one turn for the page and `why`, collected from its events.
struct TurnDetails {
    /// The id of the turn.
    turn: TurnId,
    /// A JSON object for each fallback: time, failed model, next model and chain.
    steps: Vec<Value>,
    /// A JSON object for each completed or failed call.
    calls: Vec<Value>,
    /// The names of the features that the request requires.
    requires: Vec<&'static str>,
    /// The latest verdict as a JSON object; null without one.
    verdict: Value,
    /// The skills that the agent loaded, in order.
    loaded_skills: Vec<SkillLoaded>,
}

impl TurnDetails {
    /// Creates the details of a turn before any of its events is read.
    const fn new(insight: &RecordedDecision) -> Self {
        let turn = insight.decided.turn;
        Self {
            turn,
            steps: Vec::new(),
            calls: Vec::new(),
            requires: Vec::new(),
            verdict: Value::Null,
            loaded_skills: Vec::new(),
        }
    }

    /// Adds an event of the turn to its details; events of other kinds are ignored.
    fn apply(&mut self, event: &Recorded) -> Result<(), EngineError> {
        let at = rfc3339(event.event.at);
        if let Some(body) = event.read::<TurnStarted>()? {
            let requires = body.request.into_iter().flat_map(|request| request.requires);
            self.requires = requires.map(contracts::Requirement::name).collect();
        } else if let Some(body) = event.read::<RouteFallback>()? {
            let failed = body.failed.last();
            let after = failed.map(|failed| json!({ "model": failed.model.as_str(), "class": failed.class.name() }));
            let model = body.decision.chosen.as_ref().map(contracts::ModelId::as_str);
            let (chain, skipped) = (chain_json(&body.decision), skipped_slots(&body.decision));
            self.steps.push(json!({ "at": at, "model": model, "after": after, "chain": chain, "skipped": skipped }));
        } else if let Some(call) = event.read::<LlmCallCompleted>()? {
            let mut shown =
                call_json(&call.model, call.thread.role(), call.usage, call.cost, call.raw_usage.as_deref());
            shown["at"] = at.into();
            shown["latency_ms"] = call.latency_ms.into();
            shown["stop_reason"] = json!(call.stop_reason);
            self.calls.push(shown);
        } else if let Some(call) = event.read::<LlmCallFailed>()? {
            let usage = call.usage.unwrap_or_default();
            let mut shown = call_json(&call.model, call.thread.role(), usage, call.cost, call.raw_usage.as_deref());
            shown["at"] = at.into();
            shown["failed"] = json!({ "class": call.class.name(), "status": call.status, "retries": call.retries });
            self.calls.push(shown);
        } else if let Some(loaded) = event.read::<SkillLoaded>()? {
            self.loaded_skills.push(loaded);
        } else if let Some(body) = event.read::<EvalCompleted>()?
            && body.turn == self.turn
        {
            let signals: Vec<_> = body.signals.iter().map(|signal| json!(signal.kind)).collect();
            let signals: Vec<_> = signals.iter().filter_map(Value::as_str).map(|name| name.replace('_', " ")).collect();
            self.verdict = json!({
                "score": body.score.to_string(), "confidence": body.confidence.to_string(), "says": signals.join(", "),
            });
        }
        Ok(())
    }
}

/// Returns the JSON fields that completed and failed model calls have in common: tokens, and the cost in nano-dollars,
/// null if unknown. The fields of only one of them are null.
fn call_json(model: &ModelId, role: CallRole, usage: Usage, cost: Option<NanoUsd>, raw_usage: Option<&str>) -> Value {
    json!({
        "model": model.as_str(),
        "role": role.name(),
        "latency_ms": Value::Null,
        "input": usage.input,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write_5m.saturating_add(usage.cache_write_1h),
        "output": usage.output,
        "cost": cost.map(|cost| cost.0),
        "stop_reason": Value::Null,
        "raw_usage": raw_usage,
        "usage_is_implausible": raw_usage.is_some() && usage == Usage::default() && cost.is_none(),
        "failed": Value::Null,
    })
}

/// Returns the names of the slots of the decision chain that were not evaluated.
pub(super) fn skipped_slots<K: DecisionKind>(decision: &Decision<K>) -> Vec<&'static str> {
    decision.skipped_slots().map(ChainSlot::name).collect()
}
