//! Collects the events of a running turn into OpenTelemetry spans.

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
    open_span::OpenSpan,
    otlp::{Span, SpanEvent},
};
use crate::view::DecisionSummary;

/// The maximum number of spans of one turn, and of its span events; further spans are only counted.
const MAX_SPANS: usize = 1_000;

/// A turn that has started and not ended, with the OpenTelemetry spans collected so far.
#[derive(Debug)]
pub(super) struct OpenTurn {
    /// The event that started the turn.
    started: TurnStarted,
    /// The position of its start in the log.
    pub(super) position: Position,
    /// The span of the turn, above all others.
    root: OpenSpan,
    /// The latest decision of the turn; empty before the first one.
    decision: DecisionSummary,
    /// A span event for each fallback, at most [`MAX_SPANS`].
    steps: Vec<SpanEvent>,
    /// The running model calls, by the id of the event that started them.
    calls: BTreeMap<EventId, OpenSpan>,
    /// The running tool calls, by the client's id of the call.
    tools: BTreeMap<String, OpenSpan>,
    /// The spans of ended calls.
    spans: Vec<Span>,
    /// The number of spans beyond [`MAX_SPANS`].
    dropped: u64,
    /// The cost of the calls with a known price; `None` if there is none.
    cost: Option<NanoUsd>,
    /// The number of calls without a known price.
    unpriced: u64,
    /// The number of fallbacks.
    fallback: u64,
    /// The class of the last failed call; `None` if no call has failed.
    failed: Option<ErrorClass>,
}

impl OpenTurn {
    /// Starts collecting the spans of a turn. `event` is the recorded form of `started`.
    pub(super) fn new(event: &Recorded, started: TurnStarted) -> Self {
        Self {
            position: event.position,
            root: OpenSpan::new(event, names::INVOKE_AGENT, agent(&started), &started.session),
            started,
            decision: DecisionSummary::default(),
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

    /// Sets the decision of the turn.
    pub(super) fn set_decision(&mut self, decision: DecisionSummary) {
        self.decision = decision;
    }

    /// Replaces the model of the decision, after an override.
    pub(super) fn set_model(&mut self, model: ModelId) {
        self.decision.model = Some(model);
    }

    /// Records a fallback: adds a span event for it and replaces the decision of the turn.
    pub(super) fn fallback(&mut self, event: &Recorded, body: &RouteFallback) {
        self.set_decision(DecisionSummary::from(&body.decision));
        self.fallback = self.fallback.saturating_add(1);
        if self.steps.len() < MAX_SPANS {
            let mut attributes = Attributes::default();
            if let Some(failed) = body.failed.last() {
                attributes.text(names::FAILED_MODEL, failed.model.as_str());
                attributes.text(names::ERROR, failed.class.name());
            }
            add_decision(&mut attributes, &self.decision);
            self.steps.push(SpanEvent { at: event.event.at.into(), name: "route.fallback", attributes });
        }
    }

    /// Starts the span of a model call, unless the turn has too many spans.
    pub(super) fn call_started(&mut self, event: &Recorded, body: &LlmCallStarted) {
        if self.reserve_span() {
            self.calls.insert(event.event.id, OpenSpan::call(event, body));
        }
    }

    /// Ends the span of a model call with its usage and adds its cost to the turn.
    pub(super) fn call_completed(&mut self, event: &Recorded, body: &LlmCallCompleted) {
        self.add_cost(body.cost);
        if let Some(call) = self.take_call(event) {
            self.finish(call.completed(body), event);
        }
    }

    /// Ends the span of a model call with its error. Its cost is added to the turn if the provider reported usage.
    pub(super) fn call_failed(&mut self, event: &Recorded, body: &LlmCallFailed) {
        if body.usage.is_some() {
            self.add_cost(body.cost);
        }
        self.failed = Some(body.class);
        if let Some(call) = self.take_call(event) {
            self.finish(call.failed(body), event);
        }
    }

    /// Starts the span of a tool call, unless the turn has too many spans.
    pub(super) fn tool_called(&mut self, event: &Recorded, body: ToolCalled) {
        if self.reserve_span() {
            let tool = OpenSpan::tool(event, &body);
            self.tools.insert(body.call, tool);
        }
    }

    /// Ends the span of a tool call with its outcome.
    pub(super) fn tool_finished(&mut self, event: &Recorded, body: &ToolFinished) {
        if let Some(tool) = self.tools.remove(&body.call) {
            self.finish(tool.with_outcome(body), event);
        }
    }

    /// Ends the turn and returns all its spans, that of the turn first. Model and tool calls without an outcome are
    /// marked as unfinished.
    pub(super) fn end(mut self, event: &Recorded, body: &TurnEnded) -> Vec<Span> {
        let calls = std::mem::take(&mut self.calls).into_values();
        for span in calls.chain(std::mem::take(&mut self.tools).into_values()) {
            self.finish(span.mark_unfinished(), event);
        }
        let attributes = self.summary(body.status);
        let Self { started, mut root, steps, mut spans, failed, .. } = self;
        root.attributes.extend(attributes);
        root.error = match body.status {
            TurnStatus::Completed | TurnStatus::Cancelled => None,
            TurnStatus::Refused => Some("refused"),
            TurnStatus::Failed => Some(failed.unwrap_or(ErrorClass::Other).name()),
        };
        let root = Span { events: steps, ..root.end(started.turn, None, event.event.at) };
        spans.insert(0, root);
        spans
    }

    /// Returns the attributes of the turn's own span, which ends with this status.
    fn summary(&self, status: TurnStatus) -> Attributes {
        let mut attributes = Attributes::default();
        let request = self.started.request.as_ref();
        attributes.optional_text(names::AGENT_NAME, agent(&self.started));
        if let Some(model) = &self.decision.model {
            attributes.text(names::PROVIDER, names::provider(model.provider()));
            attributes.text(names::REQUEST_MODEL, model.model());
        }
        attributes.text(names::TURN, &self.started.turn.to_string());
        attributes.optional_text(names::THREAD, self.started.thread.name());
        if request.is_some_and(|request| request.subagent) {
            attributes.flag(names::SUBAGENT);
        }
        attributes.optional_text(
            names::AUXILIARY_CALL,
            request.and_then(|request| request.auxiliary).map(AuxiliaryCall::name),
        );
        attributes.optional_text(names::CLIENT_MODEL, request.map(|request| request.model.as_str()));
        add_decision(&mut attributes, &self.decision);
        attributes.text(names::STATUS, names::status(status));
        attributes.nonzero_number(names::FALLBACKS, self.fallback);
        if let Some(cost) = self.cost {
            attributes.dollars(names::COST, cost);
        }
        attributes.nonzero_number(names::UNPRICED, self.unpriced);
        attributes.nonzero_number(names::SPANS_DROPPED, self.dropped);
        attributes
    }

    /// Adds the cost of a model call to the cost of the turn; `None` counts the call as unpriced.
    fn add_cost(&mut self, cost: Option<NanoUsd>) {
        match cost {
            Some(cost) => self.cost = Some(self.cost.unwrap_or_default().plus(cost)),
            None => self.unpriced = self.unpriced.saturating_add(1),
        }
    }

    /// Removes and returns the call whose outcome the event is; `None` if it is not running or was dropped.
    fn take_call(&mut self, event: &Recorded) -> Option<OpenSpan> {
        self.calls.remove(&event.event.causation?)
    }

    /// Returns whether the turn may have another span. If not, counts a span that is dropped.
    fn reserve_span(&mut self) -> bool {
        let has_room = self.spans.len() + self.calls.len() + self.tools.len() < MAX_SPANS;
        self.dropped = self.dropped.saturating_add(u64::from(!has_room));
        has_room
    }

    /// Ends the span of a model call or tool call at the time of the event.
    fn finish(&mut self, span: OpenSpan, event: &Recorded) {
        self.spans.push(span.end(self.started.turn, Some(&self.root.span), event.event.at));
    }
}

/// Returns the name of the client; `None` if it is unknown.
fn agent(started: &TurnStarted) -> Option<&str> {
    let client = started.request.as_ref()?.client.as_deref();
    client.filter(|client| *client != names::UNKNOWN_CLIENT)
}

/// Adds model, slot, reason and rule of a routing decision to the attributes of a span. Omits values that are `None` or
/// empty.
fn add_decision(attributes: &mut Attributes, decision: &DecisionSummary) {
    attributes.optional_text(names::MODEL, decision.model.as_ref().map(ModelId::as_str));
    attributes.optional_text(names::POLICY, decision.slot.map(ChainSlot::name));
    attributes.optional_text(names::REASON, Some(&decision.reason));
    attributes.optional_text(names::RULE, decision.rule.as_deref());
}
