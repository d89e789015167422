//! A row of the board: one turn.

use contracts::{
    ChainSlot, Decision, MessageText, ModelId, NanoUsd, Slot, Thread, Turn, TurnId,
    events::{TurnStarted, TurnStatus},
};
use event_core::{Position, Timestamp};
use router_core::{NoticeContext, Policy, TurnStage, banners};
use serde_json::{Value, json};

use super::DecisionSummary;

/// A turn as the page and `watch` list it: with its decision, status, calls and cost.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The id of the turn.
    pub(super) turn: TurnId,
    /// The event that captured the turn at its start.
    pub(super) started: TurnStarted,
    /// The time of the start.
    pub(super) at: Timestamp,
    /// The position of the last event that changed the row.
    pub(super) changed: Position,
    /// The position of the turn's start.
    pub(super) position: Position,
    /// The start of the user's message on one line; `None` if it was not recorded or was purged.
    pub(super) message: Option<String>,
    /// The client, such as `claude-code`; `None` if unknown.
    pub(super) client: Option<String>,
    /// The chosen model, or of an imported turn the model that ran.
    pub(super) model: Option<ModelId>,
    /// Of an imported turn, what the policy would have chosen; `None` for a live turn (decision D42).
    pub(super) policy_choice: Option<DecisionSummary>,
    /// The slot of the decision chain that chose the model; `None` if none did, and for an imported turn.
    pub(super) slot: Option<Slot>,
    /// The reason of the decision; empty before it and for an imported turn.
    pub(super) reason: String,
    /// The rule that chose the model; `None` if another slot did.
    pub(super) rule: Option<String>,
    /// The status at the turn's end; `None` before it.
    pub(super) status: Option<TurnStatus>,
    /// Number of model calls that completed or failed.
    pub(super) calls: u32,
    /// Number of tool calls.
    pub(super) tools: u32,
    /// The cost of the calls with a known price; `None` if there are none.
    pub(super) cost: Option<NanoUsd>,
    /// Number of billed calls without a known price.
    pub(super) unpriced_calls: u32,
    /// Input tokens of the completed calls, with those read from and written to the cache.
    pub(super) input_tokens: u64,
    /// Output tokens of the completed calls.
    pub(super) output_tokens: u64,
    /// The sum of the latencies of the completed calls, in milliseconds; `None` if it is unknown for the last call.
    pub(super) latency_ms: Option<u64>,
    /// Number of fallbacks.
    pub(super) fallback: u32,
    /// The banners of the decision and of the fallbacks, each once.
    pub(super) notices: Vec<String>,
    /// The features of the request that were dropped or converted for the model.
    pub(super) adapted: Vec<&'static str>,
}

impl Row {
    /// Creates the row of a turn that started at `at`, with its event at `position` and without a decision.
    pub(super) fn new(started: TurnStarted, at: Timestamp, position: Position) -> Self {
        Self {
            turn: started.turn,
            client: started.request.as_ref().and_then(|request| request.client.clone()),
            model: started
                .request
                .as_ref()
                .filter(|request| request.imported)
                .and_then(|request| request.named.clone()),
            started,
            at,
            changed: position,
            position,
            message: None,
            policy_choice: None,
            slot: None,
            reason: String::new(),
            rule: None,
            status: None,
            calls: 0,
            tools: 0,
            cost: None,
            unpriced_calls: 0,
            input_tokens: 0,
            output_tokens: 0,
            latency_ms: None,
            fallback: 0,
            notices: Vec::new(),
            adapted: Vec::new(),
        }
    }

    /// Sets model, slot and reason of the turn from a routing decision, and adds its banners, some of which need the
    /// `policy` of the decision. For an imported turn, the decision is stored as the choice of the policy, and the
    /// model does not change.
    pub(super) fn set_decision(&mut self, decision: &Decision, policy: Option<&Policy>) {
        if self.started.is_imported() {
            self.policy_choice = Some(decision.into());
            return;
        }
        let DecisionSummary { model, slot, reason, rule } = decision.into();
        (self.model, self.slot, self.reason, self.rule) = (model, slot, reason, rule);
        let captured = Turn::new(&self.started, self.at, MessageText::Matched(&[]));
        // The row remains after the turn has ended, so its banners name no command for a running one.
        let (spent_today, turn, stage) = (self.started.spent_today, Some(&captured), TurnStage::Ended);
        let context = NoticeContext { policy, spent_today, turn, stage };
        for banner in banners(decision, &context) {
            let notice = banner.to_string();
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
    }

    /// Sets the model of an imported turn from its first call, since that model ran.
    pub(super) fn set_ran(&mut self, thread: &Thread, model: &ModelId) {
        if self.started.is_imported() && self.started.thread == *thread {
            self.model.get_or_insert_with(|| model.clone());
        }
    }

    /// Returns on one line why the turn has its model. For an imported turn it compares the policy's choice with the
    /// model that ran.
    fn reason(&self) -> String {
        let Some(choice) = &self.policy_choice else { return self.reason.clone() };
        match &choice.model {
            None => "imported; the policy would refuse it".to_owned(),
            model if *model == self.model => "imported; the policy would choose the same".to_owned(),
            Some(model) => {
                let by = choice.rule.as_deref().unwrap_or(&choice.reason);
                format!("imported; the policy would choose {} ({by})", model.model())
            }
        }
    }

    /// Adds the cost of a model call to the turn; `None` counts the call as unpriced.
    pub(super) fn add_cost(&mut self, cost: Option<NanoUsd>) {
        match cost {
            Some(cost) => self.cost = Some(self.cost.unwrap_or_default().plus(cost)),
            None => self.unpriced_calls = self.unpriced_calls.saturating_add(1),
        }
    }

    /// Returns the time of the turn's start.
    pub(crate) const fn time(&self) -> Timestamp {
        self.at
    }

    /// Returns the position of the turn's start.
    pub(crate) const fn start(&self) -> Position {
        self.position
    }

    /// Returns the turn as a JSON object. The page arranges the turns of sub-agents below their session.
    pub(crate) fn json(&self) -> Value {
        let request = self.started.request.as_ref();
        let status = match self.status {
            // The session file has no end of the turn; nothing runs.
            None if self.started.is_imported() => "unfinished",
            None => "running",
            Some(TurnStatus::Completed) => "completed",
            Some(TurnStatus::Cancelled) => "cancelled",
            Some(TurnStatus::Refused) => "refused",
            Some(TurnStatus::Failed) => "failed",
        };
        json!({
            "position": self.position.0,
            "turn": self.turn.to_string(),
            "session": self.started.session.as_str(),
            "thread": self.started.thread.sub_agent(),
            "parent": Value::Null,
            "client": self.client,
            "at": rfc3339(self.at),
            "message": self.message,
            "auxiliary": request.and_then(|request| request.auxiliary).map(contracts::AuxiliaryCall::name),
            "subagent": request.is_some_and(|request| request.subagent),
            "imported": self.started.is_imported(),
            "project": self.started.workspace,
            "requested": request.and_then(|request| request.named.as_ref()).map(ModelId::as_str),
            "asked": request.map(|request| request.model.clone()).filter(|model| !model.is_empty()),
            "model": self.model.as_ref().map(ModelId::as_str),
            "slot": self.slot.map_or("", ChainSlot::name),
            "slot_number": self.slot.map(ChainSlot::number),
            "reason": self.reason(),
            "rule": self.rule,
            "policy_choice": self.policy_choice.as_ref().map(|choice| json!({
                "model": choice.model.as_ref().map(ModelId::as_str),
                "slot": choice.slot.map_or("", ChainSlot::name),
                "slot_number": choice.slot.map(ChainSlot::number),
                "reason": choice.reason,
                "rule": choice.rule,
            })),
            "status": status,
            "calls": self.calls,
            "tools": self.tools,
            "cost": self.cost.map(|cost| cost.0),
            "unpriced_calls": self.unpriced_calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "latency_ms": self.latency_ms,
            "fallback": self.fallback,
            "notices": self.notices,
            "adapted": self.adapted,
        })
    }
}

/// Formats a time as RFC 3339 with milliseconds; empty if it is out of range.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
    at.map(|at| format!("{at:.3}")).unwrap_or_default()
}
