//! Sessions recorded elsewhere, as events: what happened, and what turnwise would have decided.

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

/// The longest name of a tool or of its call that an event carries, in bytes; the rest is cut.
const LONGEST_NAME: usize = 128;
/// The most files of one tool that an event names.
const MOST_FILES: usize = 64;
/// The longest account of a call's usage that an event carries, in bytes; longer ones are dropped.
const LONGEST_USAGE: usize = 1_024;

/// That a session was seen. Its id follows from the session, so it is recorded once.
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

/// Everything of an observed turn after its decision.
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
    /// The event that led to the next one.
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
            // The rest of this answer may still come: a later import of the grown file counts all of it.
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
                    // Cut short, the list would still name files, and never everything.
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
                    // The files do not say what a call had used before it failed.
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
            // Nobody's prices are guessed: a model that is not in the registry has no cost.
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

/// The model a session's file names: by the registry, or else as the provider's own name for it. Claude Code names
/// models without their provider, and colons are part of some; the other readers put it before the first colon.
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

/// The start of a text, cut at a character.
pub(crate) fn cut(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}
