//! Collects the events of a running turn into spans.

use std::collections::BTreeMap;

use contracts::{
    AuxiliaryCall, ChainSlot, ModelId, NanoUsd,
    events::{
        ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteFallback, ToolCalled, ToolFinished,
        TurnEnded, TurnStarted, TurnStatus,
    },
};
use event_core::{EventId, Position, Recorded};

use super::{
    attributes::Attributes,
    names,
    otlp::{Happened, Span},
    running::Running,
};
use crate::view::Chosen;

/// The most spans of one turn; further ones are only counted.
const MOST_SPANS: usize = 1_000;

/// A turn that has started and not ended, with the spans collected so far.
#[derive(Debug)]
pub(super) struct OpenTurn {
    started: TurnStarted,
    /// The position of its start in the log.
    pub(super) position: Position,
    root: Running,
    chosen: Chosen,
    steps: Vec<Happened>,
    calls: BTreeMap<EventId, Running>,
    tools: BTreeMap<String, Running>,
    spans: Vec<Span>,
    dropped: u64,
    cost: Option<NanoUsd>,
    unpriced: u64,
    fallback: u64,
    failed: Option<ErrorClass>,
}

impl OpenTurn {
    pub(super) fn new(event: &Recorded, started: TurnStarted) -> Self {
        Self {
            position: event.position,
            root: Running::new(event, names::INVOKE_AGENT, agent(&started), &started.session),
            started,
            chosen: Chosen::default(),
            steps: Vec::new(),
            calls: BTreeMap::new(),
            tools: BTreeMap::new(),
            spans: Vec::new(),
            dropped: 0,
            cost: None,
            unpriced: 0,
            fallback: 0,
            failed: None,
        }
    }

    pub(super) fn decided(&mut self, chosen: Chosen) {
        self.chosen = chosen;
    }

    pub(super) fn overridden(&mut self, model: ModelId) {
        self.chosen.model = Some(model);
    }

    pub(super) fn fallback(&mut self, event: &Recorded, body: &RouteFallback) {
        self.decided(Chosen::from(&body.decision));
        self.fallback = self.fallback.saturating_add(1);
        if self.steps.len() < MOST_SPANS {
            let mut attributes = Attributes::default();
            if let Some(failed) = body.failed.last() {
                attributes.text(names::FAILED_MODEL, failed.model.as_str());
                attributes.text(names::ERROR, failed.class.name());
            }
            choice(&mut attributes, &self.chosen);
            self.steps.push(Happened { at: event.event.at.into(), name: "route.fallback", attributes });
        }
    }

    pub(super) fn call_started(&mut self, event: &Recorded, body: &LlmCallStarted) {
        if self.has_room() {
            self.calls.insert(event.event.id, Running::call(event, body));
        }
    }

    pub(super) fn call_completed(&mut self, event: &Recorded, body: &LlmCallCompleted) {
        self.spent(body.cost);
        if let Some(call) = self.call_of(event) {
            self.finish(call.answered(body), event);
        }
    }

    pub(super) fn call_failed(&mut self, event: &Recorded, body: &LlmCallFailed) {
        if body.usage.is_some() {
            self.spent(body.cost);
        }
        self.failed = Some(body.class);
        if let Some(call) = self.call_of(event) {
            self.finish(call.failed(body), event);
        }
    }

    pub(super) fn tool_called(&mut self, event: &Recorded, body: ToolCalled) {
        if self.has_room() {
            let tool = Running::tool(event, &body);
            self.tools.insert(body.call, tool);
        }
    }

    pub(super) fn tool_finished(&mut self, event: &Recorded, body: &ToolFinished) {
        if let Some(tool) = self.tools.remove(&body.call) {
            self.finish(tool.brought(body), event);
        }
    }

    /// Ends the turn and returns its spans, the span of the turn first. Operations without an outcome are marked as
    /// unfinished.
    pub(super) fn end(mut self, event: &Recorded, body: &TurnEnded) -> Vec<Span> {
        let calls = std::mem::take(&mut self.calls).into_values();
        for running in calls.chain(std::mem::take(&mut self.tools).into_values()) {
            self.finish(running.unfinished(), event);
        }
        let attributes = self.summary(body.status);
        let Self { started, mut root, steps, mut spans, failed, .. } = self;
        root.attributes.extend(attributes);
        root.error = match body.status {
            TurnStatus::Completed | TurnStatus::Cancelled => None,
            TurnStatus::Refused => Some("refused"),
            TurnStatus::Failed => Some(failed.unwrap_or(ErrorClass::Other).name()),
        };
        let root = Span { events: steps, ..root.over(started.turn, None, event.event.at) };
        spans.insert(0, root);
        spans
    }

    /// Returns the attributes of the turn's own span.
    fn summary(&self, status: TurnStatus) -> Attributes {
        let mut attributes = Attributes::default();
        let request = self.started.request.as_ref();
        attributes.maybe(names::AGENT_NAME, agent(&self.started));
        if let Some(model) = &self.chosen.model {
            attributes.text(names::PROVIDER, names::provider(model.provider()));
            attributes.text(names::REQUEST_MODEL, model.model());
        }
        attributes.text(names::TURN, &self.started.turn.to_string());
        attributes.maybe(names::THREAD, self.started.thread.name());
        if request.is_some_and(|request| request.subagent) {
            attributes.holds(names::SUBAGENT);
        }
        attributes.maybe(names::SIDE_CALL, request.and_then(|request| request.auxiliary).map(AuxiliaryCall::name));
        attributes.maybe(names::ASKED, request.map(|request| request.model.as_str()));
        choice(&mut attributes, &self.chosen);
        attributes.text(names::STATUS, names::status(status));
        attributes.some(names::FELL_THROUGH, self.fallback);
        if let Some(cost) = self.cost {
            attributes.dollars(names::COST, cost);
        }
        attributes.some(names::UNPRICED, self.unpriced);
        attributes.some(names::LEFT_OUT, self.dropped);
        attributes
    }

    fn spent(&mut self, cost: Option<NanoUsd>) {
        match cost {
            Some(cost) => self.cost = Some(self.cost.unwrap_or_default().plus(cost)),
            None => self.unpriced = self.unpriced.saturating_add(1),
        }
    }

    /// Removes and returns the call whose outcome the event is.
    fn call_of(&mut self, event: &Recorded) -> Option<Running> {
        self.calls.remove(&event.event.causation?)
    }

    /// Returns whether another span may be collected; counts it as dropped if not.
    fn has_room(&mut self) -> bool {
        let room = self.spans.len() + self.calls.len() + self.tools.len() < MOST_SPANS;
        self.dropped = self.dropped.saturating_add(u64::from(!room));
        room
    }

    fn finish(&mut self, running: Running, event: &Recorded) {
        self.spans.push(running.over(self.started.turn, Some(&self.root.span), event.event.at));
    }
}

/// Returns the name of the client; `None` if it is unknown.
fn agent(started: &TurnStarted) -> Option<&str> {
    let client = started.request.as_ref()?.client.as_deref();
    client.filter(|client| *client != names::SOME_CLIENT)
}

/// Adds the attributes of a decision: model, slot, reason and rule.
fn choice(attributes: &mut Attributes, chosen: &Chosen) {
    attributes.maybe(names::MODEL, chosen.model.as_ref().map(ModelId::as_str));
    attributes.maybe(names::POLICY, chosen.slot.map(ChainSlot::name));
    attributes.maybe(names::REASON, Some(&chosen.reason));
    attributes.maybe(names::RULE, chosen.rule.as_deref());
}
