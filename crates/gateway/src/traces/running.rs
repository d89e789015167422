//! A call of a model or of a tool that runs, and the span that it becomes.

use contracts::{
    NanoUsd, SessionId, TurnId, Usage,
    events::{ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, ToolCalled, ToolFinished, ToolOutcome},
};
use event_core::{Recorded, Timestamp};

use super::{
    attributes::Attributes,
    names,
    otlp::{Kind, Span, Status, span_id, trace_id},
};

/// Something that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) span: String,
    pub(super) at: Timestamp,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) attributes: Attributes,
    pub(super) error: Option<&'static str>,
}

impl Running {
    /// What begins with an event: the span has the event's id.
    pub(super) fn new(event: &Recorded, operation: &'static str, about: Option<&str>, session: &SessionId) -> Self {
        let mut attributes = Attributes::default();
        attributes.text(names::OPERATION, operation);
        attributes.text(names::CONVERSATION, session.as_str());
        Self {
            span: span_id(event.event.id),
            at: event.event.at,
            name: about.map_or_else(|| operation.to_owned(), |about| format!("{operation} {about}")),
            kind: Kind::Internal,
            attributes,
            error: None,
        }
    }

    pub(super) fn call(event: &Recorded, body: &LlmCallStarted) -> Self {
        let mut call = Self::new(event, names::CHAT, Some(body.model.model()), &body.session);
        call.kind = Kind::Client;
        call.attributes.text(names::PROVIDER, names::provider(body.model.provider()));
        call.attributes.text(names::REQUEST_MODEL, body.model.model());
        call.attributes.text(names::ROLE, body.role.name());
        call
    }

    pub(super) fn answered(mut self, body: &LlmCallCompleted) -> Self {
        // What nobody counted is not nothing.
        self.used((body.usage != Usage::default()).then_some(&body.usage), body.cost);
        if let Some(reason) = names::finish_reason(body.stop_reason) {
            self.attributes.texts(names::FINISH_REASONS, &[reason]);
        }
        self
    }

    pub(super) fn failed(mut self, body: &LlmCallFailed) -> Self {
        self.used(body.usage.as_ref(), body.cost);
        self.attributes.some(names::RETRIES, body.retries.into());
        if let Some(status) = body.status {
            self.attributes.number(names::HTTP_STATUS, status.into());
        }
        match body.class {
            // A client that goes away is nobody's failure.
            ErrorClass::Cancelled => self.cancelled(),
            class => Self { error: Some(class.name()), ..self },
        }
    }

    pub(super) fn tool(event: &Recorded, body: &ToolCalled) -> Self {
        let mut tool = Self::new(event, names::EXECUTE_TOOL, Some(&body.name), &body.session);
        tool.attributes.text(names::TOOL_NAME, &body.name);
        tool.attributes.maybe(names::TOOL_CALL, Some(&body.call));
        tool
    }

    pub(super) fn brought(self, body: &ToolFinished) -> Self {
        match body.outcome {
            ToolOutcome::Succeeded => self,
            ToolOutcome::Failed => Self { error: Some("tool_error"), ..self },
            ToolOutcome::Interrupted => self.cancelled(),
        }
    }

    /// The turn ended, and nothing more was heard of it.
    pub(super) fn unfinished(mut self) -> Self {
        self.attributes.holds(names::UNFINISHED);
        self
    }

    fn cancelled(mut self) -> Self {
        self.attributes.text(names::STATUS, "cancelled");
        self
    }

    fn used(&mut self, usage: Option<&Usage>, cost: Option<NanoUsd>) {
        if let Some(usage) = usage {
            self.attributes.number(names::INPUT_TOKENS, usage.input_total());
            self.attributes.some(names::CACHE_READ_TOKENS, usage.cache_read);
            let written = usage.cache_write_5m.saturating_add(usage.cache_write_1h);
            self.attributes.some(names::CACHE_WRITE_TOKENS, written);
            self.attributes.number(names::OUTPUT_TOKENS, usage.output);
        }
        if let Some(cost) = cost {
            self.attributes.dollars(names::COST, cost);
        }
    }

    /// The span of what ran, in the trace of a turn and below another span.
    pub(super) fn over(mut self, turn: TurnId, parent: Option<&str>, at: Timestamp) -> Span {
        self.attributes.maybe(names::ERROR, self.error);
        Span {
            trace: trace_id(turn.0),
            id: self.span,
            parent: parent.map(str::to_owned),
            name: self.name,
            kind: self.kind,
            start: self.at.into(),
            // Clocks are set back now and then.
            end: at.max(self.at).into(),
            attributes: self.attributes,
            events: Vec::new(),
            status: self.error.map(|_| Status::ERROR),
        }
    }
}
