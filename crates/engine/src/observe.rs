//! Converts observed sessions, which another program recorded in its own files, to events.
//!
//! The events say what happened. What turnwise would have decided is added by the importer.

use contracts::{
    ModelId, ModelSpec, Registry, SessionId, TurnId,
    events::{
        LlmCallCompleted, LlmCallFailed, SessionCompacted, SessionResumed, SessionSource, SessionStarted, ToolCalled,
        ToolFinished, TurnEnded,
    },
};
use event_core::{EventId, EventType as _, NewEvent};
use transcripts::observed::{ObservedCall, ObservedSession, ObservedTurn, Step};

use crate::{
    capture::{LONGEST_PATH, bounded},
    error::EngineError,
};

/// Maximum length of a client name, a tool name or a tool call id in an event, in bytes. Longer ones are truncated.
const LONGEST_NAME: usize = 128;
/// Maximum number of files in one `tool.called` event. Further files are dropped.
const MOST_FILES: usize = 64;
/// Maximum length of the provider's JSON usage object in an event, in bytes. A longer one is dropped.
const LONGEST_USAGE: usize = 1_024;

/// Returns the `session.started` event of a session. Its id is derived from the session's id, so a second import
/// records nothing new.
/// A workspace path longer than [`LONGEST_PATH`] is left out.
pub(crate) fn session_event(session: &ObservedSession) -> Result<NewEvent, EngineError> {
    let correlation = session.id.correlation();
    let event = SessionStarted {
        session: session.id.clone(),
        source: session.source,
        workspace: session.workspace.clone().filter(|path| path.len() <= LONGEST_PATH),
        client: session.client.clone().map(|client| cut(&client, LONGEST_NAME)),
        parent: session.parent.clone(),
    };
    Ok(NewEvent::new(correlation.then("session.started", 0), session.started_at, correlation, &event)?)
}

/// Returns the events of an observed turn that follow its decision, in order: calls, tools, compactions and, if the
/// turn has ended, its end.
/// Each event's cause is the one before it; the first is caused by the decision.
pub(crate) fn events_after_decision(
    turn: &ObservedTurn,
    source: SessionSource,
    registry: &Registry,
) -> Result<Vec<NewEvent>, EngineError> {
    let id = turn.id();
    let mut events = Events { turn, id, source, registry, cause: id.0.then("route.decided", 0), sealed: Vec::new() };
    for step in &turn.steps {
        events.step(step)?;
    }
    events.end()?;
    Ok(events.sealed)
}

struct Events<'a> {
    turn: &'a ObservedTurn,
    id: TurnId,
    source: SessionSource,
    registry: &'a Registry,
    /// The cause of the next event: the event before it, or at first the decision.
    cause: EventId,
    sealed: Vec<NewEvent>,
}

impl Events<'_> {
    fn session(&self) -> SessionId {
        self.turn.session.clone()
    }

    fn push(&mut self, event: NewEvent) {
        let event = event.caused_by(self.cause);
        self.cause = event.id;
        self.sealed.push(event);
    }

    fn step(&mut self, step: &Step) -> Result<(), EngineError> {
        match step {
            // An incomplete answer may continue in the file. It is not recorded yet; a later import of the longer file
            // records it whole.
            Step::Call(call) if !call.complete => {}
            Step::Call(call) => {
                let event = self.completed(call)?;
                let sealed = NewEvent::new(call.id.then("llm.call_completed", 0), call.at, self.id.0, &event)?;
                self.push(sealed);
            }
            Step::ToolCalled(tool) => {
                let event = ToolCalled {
                    turn: self.id,
                    session: self.session(),
                    call: cut(&tool.id, LONGEST_NAME),
                    name: cut(&tool.name, LONGEST_NAME),
                    side_effect: tool.side_effect,
                    extensions: bounded(&tool.extensions),
                    directories: bounded(&tool.directories),
                    files: tool.files.iter().take(MOST_FILES).copied().collect(),
                    // Truncating `files` cannot turn it into "all files", because only an empty list means that.
                    reverts: tool.reverts,
                };
                let id = EventId::derive(&[b"tool.called", tool.id.as_bytes()]);
                self.push(NewEvent::new(id, tool.at, self.id.0, &event)?);
            }
            Step::ToolFinished(result) => {
                let event = ToolFinished {
                    turn: self.id,
                    session: self.session(),
                    call: cut(&result.id, LONGEST_NAME),
                    outcome: result.outcome,
                    output_bytes: result.output_bytes,
                };
                let id = EventId::derive(&[b"tool.finished", result.id.as_bytes()]);
                self.push(NewEvent::new(id, result.at, self.id.0, &event)?);
            }
            Step::Failed(failure) => {
                let name = failure.model.as_deref().unwrap_or("unknown");
                let event = LlmCallFailed {
                    turn: self.id,
                    session: self.session(),
                    thread: self.turn.thread.clone(),
                    model: model_id(self.registry, self.source, name)?,
                    class: failure.class,
                    status: failure.status,
                    retries: failure.attempt.unwrap_or_default(),
                    // The transcript files do not contain the usage of failed calls.
                    usage: None,
                    cost: None,
                    raw_usage: None,
                };
                let id = EventId::derive(&[b"llm.call_failed", failure.id.as_bytes()]);
                self.push(NewEvent::new(id, failure.at, self.id.0, &event)?);
            }
            Step::Compacted(compaction) => {
                let event = SessionCompacted {
                    session: self.session(),
                    thread: self.turn.thread.clone(),
                    trigger: compaction.trigger,
                    tokens_before: compaction.tokens_before,
                };
                let id = EventId::derive(&[b"session.compacted", compaction.id.as_bytes()]);
                self.push(NewEvent::new(id, compaction.at, self.id.0, &event)?);
            }
            Step::Resumed(resumption) => {
                let event = SessionResumed { session: self.session() };
                let id = EventId::derive(&[b"session.resumed", resumption.id.as_bytes()]);
                self.push(NewEvent::new(id, resumption.at, self.id.0, &event)?);
            }
        }
        Ok(())
    }

    fn completed(&self, call: &ObservedCall) -> Result<LlmCallCompleted, EngineError> {
        let model = model_id(self.registry, self.source, &call.model)?;
        let prices = self.registry.get(&model).and_then(|model| model.prices);
        let started = call.started_at.filter(|started| *started <= call.at);
        Ok(LlmCallCompleted {
            turn: self.id,
            session: self.session(),
            thread: self.turn.thread.clone(),
            model,
            usage: call.usage,
            // No prices are assumed: a call to a model that is not in the registry has no cost.
            cost: prices.map(|prices| prices.cost(&call.usage)),
            latency_ms: started.map(|started| call.at.micros_since(started) / 1_000),
            stop_reason: call.stop_reason,
            tool_calls: call.tool_calls,
            thinking_blocks: call.thinking_blocks,
            raw_usage: call.raw_usage.clone().filter(|raw| raw.len() <= LONGEST_USAGE),
            variant: call.variant,
            began_at: Some(call.began_at).filter(|began| *began <= call.at),
        })
    }

    fn end(&mut self) -> Result<(), EngineError> {
        let Some((status, at)) = self.turn.end else { return Ok(()) };
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let event = TurnEnded {
            turn: self.id,
            session: self.session(),
            status,
            llm_calls: count(self.turn.calls().count()),
            tool_calls: count(self.turn.tools().count()),
        };
        let sealed = NewEvent::new(self.id.0.then(TurnEnded::KIND, 0), at, self.id.0, &event)?;
        self.push(sealed);
        Ok(())
    }
}

/// Returns the id of the model that a transcript names: the registry's model of that name, otherwise `provider:name` as
/// the transcript has it.
///
/// Claude Code writes model names without a provider, and some of its names contain colons. The other readers write
/// `provider:name`. Whitespace and control characters are removed, and each part is truncated to 56 bytes.
/// An empty part becomes `unknown`.
fn model_id(registry: &Registry, source: SessionSource, name: &str) -> Result<ModelId, EngineError> {
    let (provider, bare) = match source {
        SessionSource::Codex | SessionSource::OpenAiLog => name.split_once(':').unwrap_or(("openai", name)),
        SessionSource::ClaudeCode | SessionSource::CommandLine | SessionSource::Gateway => ("anthropic", name),
    };
    let of_provider = |known: &&ModelSpec| name == bare || known.id.provider() == provider;
    if let Some(known) = registry.named(bare).filter(of_provider) {
        return Ok(known.id.clone());
    }
    let clean = |text: &str, without: &str| -> String {
        let plain =
            text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(LONGEST_NAME).collect::<String>();
        if plain.is_empty() { without.to_owned() } else { plain[..plain.floor_char_boundary(56)].to_owned() }
    };
    let (provider, bare) = (clean(provider, "unknown"), clean(bare, "unknown"));
    Ok(ModelId::try_from(format!("{provider}:{bare}").as_str())?)
}

/// Returns the start of a text: at most `bytes` bytes, ending at a character boundary.
pub(crate) fn cut(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}
