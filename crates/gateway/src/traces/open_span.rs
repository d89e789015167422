//! A running turn, model call or tool call, and its conversion into an OpenTelemetry span.

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

/// A turn, model call or tool call that has started: the data of its future OpenTelemetry span.
#[derive(Debug)]
pub(super) struct OpenSpan {
    /// The id of the span, in hexadecimal.
    pub(super) span: String,
    /// The time of the event that started the operation.
    pub(super) started_at: Timestamp,
    /// The name of the span: the operation and its subject.
    pub(super) name: String,
    /// The kind of the span.
    pub(super) kind: Kind,
    /// The attributes collected so far.
    pub(super) attributes: Attributes,
    /// The class of the error; `None` without one.
    pub(super) error: Option<&'static str>,
}

impl OpenSpan {
    /// Starts a span for the operation that an event starts. The span id is derived from the event's id. `subject` is
    /// the model or tool in the span's name.
    pub(super) fn new(event: &Recorded, operation: &'static str, subject: Option<&str>, session: &SessionId) -> Self {
        let mut attributes = Attributes::default();
        attributes.text(names::OPERATION, operation);
        attributes.text(names::CONVERSATION, session.as_str());
        Self {
            span: span_id(event.event.id),
            started_at: event.event.at,
            name: subject.map_or_else(|| operation.to_owned(), |subject| format!("{operation} {subject}")),
            kind: Kind::Internal,
            attributes,
            error: None,
        }
    }

    /// Starts the OpenTelemetry span of a model call.
    pub(super) fn call(event: &Recorded, body: &LlmCallStarted) -> Self {
        let mut call = Self::new(event, names::CHAT, Some(body.model.model()), &body.session);
        call.kind = Kind::Client;
        call.attributes.text(names::PROVIDER, names::provider(body.model.provider()));
        call.attributes.text(names::REQUEST_MODEL, body.model.model());
        call.attributes.text(names::ROLE, body.thread.role().name());
        call
    }

    /// Adds usage, cost and stop reason of a completed model call to the call's span.
    pub(super) fn completed(mut self, body: &LlmCallCompleted) -> Self {
        // Usage of all zeros means that the provider reported none.
        self.add_usage((body.usage != Usage::default()).then_some(&body.usage), body.cost);
        if let Some(reason) = names::finish_reason(body.stop_reason) {
            self.attributes.texts(names::FINISH_REASONS, &[reason]);
        }
        self
    }

    /// Adds usage, cost and error of a failed model call to its span. A cancellation by the client is marked, but is
    /// not an error.
    pub(super) fn failed(mut self, body: &LlmCallFailed) -> Self {
        self.add_usage(body.usage.as_ref(), body.cost);
        self.attributes.nonzero_number(names::RETRIES, body.retries.into());
        if let Some(status) = body.status {
            self.attributes.number(names::HTTP_STATUS, status.into());
        }
        match body.class {
            // A cancellation by the client is not an error.
            ErrorClass::Cancelled => self.cancelled(),
            class => Self { error: Some(class.name()), ..self },
        }
    }

    /// Starts the span of a tool call.
    pub(super) fn tool(event: &Recorded, body: &ToolCalled) -> Self {
        let mut tool = Self::new(event, names::EXECUTE_TOOL, Some(&body.name), &body.session);
        tool.attributes.text(names::TOOL_NAME, &body.name);
        tool.attributes.optional_text(names::TOOL_CALL, Some(&body.call));
        tool
    }

    /// Adds the outcome of a tool call to its span: an error if the tool failed, a mark if it was interrupted.
    pub(super) fn with_outcome(self, body: &ToolFinished) -> Self {
        match body.outcome {
            ToolOutcome::Succeeded => self,
            ToolOutcome::Failed => Self { error: Some("tool_error"), ..self },
            ToolOutcome::Interrupted => self.cancelled(),
        }
    }

    /// Marks the span of an operation that had no outcome when its turn ended.
    pub(super) fn mark_unfinished(mut self) -> Self {
        self.attributes.flag(names::UNFINISHED);
        self
    }

    /// Marks the span of an operation as cancelled, which is not an error.
    fn cancelled(mut self) -> Self {
        self.attributes.text(names::STATUS, "cancelled");
        self
    }

    /// Adds the token counts of a model call and its cost to the span; unknown ones are omitted.
    fn add_usage(&mut self, usage: Option<&Usage>, cost: Option<NanoUsd>) {
        if let Some(usage) = usage {
            self.attributes.number(names::INPUT_TOKENS, usage.input_total());
            self.attributes.nonzero_number(names::CACHE_READ_TOKENS, usage.cache_read);
            let written = usage.cache_write_5m.saturating_add(usage.cache_write_1h);
            self.attributes.nonzero_number(names::CACHE_WRITE_TOKENS, written);
            self.attributes.number(names::OUTPUT_TOKENS, usage.output);
        }
        if let Some(cost) = cost {
            self.attributes.dollars(names::COST, cost);
        }
    }

    /// Ends the span at the time `at` and returns it in its final form. It belongs to the trace of `turn`, below the
    /// span `parent`; that is `None` for the span of the turn. A time before the start is replaced by the start.
    pub(super) fn end(mut self, turn: TurnId, parent: Option<&str>, at: Timestamp) -> Span {
        self.attributes.optional_text(names::ERROR, self.error);
        Span {
            trace: trace_id(turn.0),
            id: self.span,
            parent: parent.map(str::to_owned),
            name: self.name,
            kind: self.kind,
            start: self.started_at.into(),
            // The clock may have been set back.
            end: at.max(self.started_at).into(),
            attributes: self.attributes,
            events: Vec::new(),
            status: self.error.map(|_| Status::ERROR),
        }
    }
}
