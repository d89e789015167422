//! Sequences of calls written as text: `0 a:x overloaded, 30 a:x ok`. Start and outcome of a call can be separate
//! entries, `0 a:x sent, 30 a:x ok`: the outcomes of a model's calls are in the order in which they were sent.

use availability::{Availability, Transition};
use contracts::{
    CacheVariant, ModelId, SessionId, TurnId, Usage,
    events::{ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, StopReason},
};
use event_core::{EventId, NewEvent, Position, Projected, Recorded, Timestamp};

/// Outcome of a call, or its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The start of a call.
    Sent,
    /// The call succeeded.
    Ok,
    /// The call failed or was cancelled.
    Failed(ErrorClass),
}

/// One entry: seconds since the start of the story, model, and outcome.
pub(crate) type Call = (u64, ModelId, Outcome);

/// Converts seconds since the start of the story to a time.
pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_secs(1_778_000_000 + seconds)
}

/// Converts a time to seconds since the start of the story.
pub(crate) fn seconds(at: Timestamp) -> u64 {
    at.0 / 1_000_000 - 1_778_000_000
}

/// Creates a model id.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Parses a story, with entries separated by commas. Panics on invalid text.
pub(crate) fn parse(story: &str) -> Vec<Call> {
    let calls = story.split(',').map(str::trim).filter(|call| !call.is_empty());
    calls.map(parse_call).collect()
}

/// Parses one entry: `seconds model outcome`.
fn parse_call(call: &str) -> Call {
    let words: Vec<_> = call.split_whitespace().collect();
    let [seconds, name, outcome] = words[..] else { panic!("`{call}` is not `seconds model outcome`") };
    let outcome = match outcome {
        "sent" => Outcome::Sent,
        "ok" => Outcome::Ok,
        "rate_limit" => Outcome::Failed(ErrorClass::RateLimit),
        "overloaded" => Outcome::Failed(ErrorClass::Overloaded),
        "server_error" => Outcome::Failed(ErrorClass::ServerError),
        "network" => Outcome::Failed(ErrorClass::Network),
        "timeout" => Outcome::Failed(ErrorClass::Timeout),
        "model_not_found" => Outcome::Failed(ErrorClass::ModelNotFound),
        "auth" => Outcome::Failed(ErrorClass::Auth),
        "cancelled" => Outcome::Failed(ErrorClass::Cancelled),
        "invalid_request" => Outcome::Failed(ErrorClass::InvalidRequest),
        "context_overflow" => Outcome::Failed(ErrorClass::ContextOverflow),
        "content_filter" => Outcome::Failed(ErrorClass::ContentFilter),
        other => panic!("no outcome `{other}`"),
    };
    (seconds.parse().unwrap(), model(name), outcome)
}

/// Returns a story that repeats an entry once a second.
pub(crate) fn repeated(times: u64, call: &str) -> String {
    (0..times).map(|second| format!("{second} {call}, ")).collect::<Vec<_>>().concat()
}

/// Returns five failures of a model, one a second.
pub(crate) fn strikes(name: &str, start: u64) -> String {
    (start..start + 5).map(|second| format!("{second} {name} overloaded, ")).collect::<Vec<_>>().concat()
}

/// The log of a story, and the projection that folds it.
#[derive(Default)]
pub(crate) struct Log {
    /// All events, in the order of the log.
    pub(crate) events: Vec<Recorded>,
    /// The projection of these events.
    pub(crate) view: Projected<Availability>,
    /// Started calls without an outcome.
    running: Vec<(ModelId, EventId)>,
}

impl Log {
    /// Creates the log of a story, without transitions.
    pub(crate) fn of(story: &str) -> Self {
        let mut log = Self::default();
        for call in &parse(story) {
            log.call(call);
        }
        log
    }

    /// Returns the projection.
    pub(crate) fn state(&self) -> &Availability {
        self.view.state()
    }

    /// Appends the event of an entry. An outcome has the first running call of its model as causation.
    pub(crate) fn call(&mut self, (seconds, model, outcome): &Call) {
        let id = EventId::derive(&[b"story", &self.events.len().to_le_bytes()]);
        let turn = TurnId(EventId::derive(&[b"turn", &self.events.len().to_le_bytes()]));
        let (session, model) = (SessionId::try_from("s").unwrap(), model.clone());
        let sent = self.running.iter().position(|(running, _)| *running == model).filter(|_| *outcome != Outcome::Sent);
        let sent = sent.map(|place| self.running.remove(place).1);
        let event = match *outcome {
            Outcome::Sent => {
                self.running.push((model.clone(), id));
                let body = LlmCallStarted { turn, session, model, ..LlmCallStarted::sample() };
                NewEvent::new(id, at(*seconds), turn.0, &body)
            }
            Outcome::Failed(class) => {
                let body = LlmCallFailed { turn, session, model, class, ..LlmCallFailed::sample() };
                NewEvent::new(id, at(*seconds), turn.0, &body)
            }
            Outcome::Ok => {
                let body = LlmCallCompleted {
                    turn,
                    session,
                    thread: contracts::Thread::Main,
                    model,
                    usage: Usage::default(),
                    cost: None,
                    latency_ms: None,
                    stop_reason: StopReason::EndTurn,
                    tool_calls: 0,
                    thinking_blocks: 0,
                    raw_usage: None,
                    variant: CacheVariant::PLAIN,
                    began_at: None,
                };
                NewEvent::new(id, at(*seconds), turn.0, &body)
            }
        };
        let event = event.unwrap();
        self.append(NewEvent { causation: sent, ..event });
    }

    /// Appends an event unless its id is known, as the log does.
    pub(crate) fn append(&mut self, event: NewEvent) {
        if self.events.iter().any(|known| known.event.id == event.id) {
            return;
        }
        let position = Position(self.events.len() as u64 + 1);
        let recorded = Recorded::new(position, event.at, event);
        self.view.advance(&recorded).unwrap();
        self.events.push(recorded);
    }

    /// Appends the transitions at a time to the log, as the engine does.
    pub(crate) fn react(&mut self, seconds: u64) -> Vec<Transition> {
        let transitions = self.state().transitions(at(seconds));
        for transition in &transitions {
            self.append(transition.seal().unwrap());
        }
        transitions
    }

    /// Returns the unavailable scopes at a time, with the second at which each outage ends.
    pub(crate) fn out(&self, seconds_in: u64) -> String {
        let outages = self.state().outages();
        let models = outages.models.iter().map(|(model, until)| (model.as_str(), *until));
        let providers = outages.providers.iter().map(|(provider, until)| (provider.as_str(), *until));
        let out = providers.chain(models).filter(|(_, until)| at(seconds_in) < *until);
        out.map(|(name, until)| format!("{name} until {}", seconds(until))).collect::<Vec<_>>().join(", ")
    }
}
