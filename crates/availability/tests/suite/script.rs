//! Sequences of calls written as text: `0 a:x overloaded, 30 a:x ok`. Start and outcome of a call can be separate
//! entries, `0 a:x sent, 30 a:x ok`: the outcomes of a model's calls are in the order in which they were sent.

use availability::{Availability, Transition};
use contracts::{
    ModelId, SessionId, TurnId,
    events::{ErrorClass, LlmCallStarted},
};
use event_core::{EventId, NewEvent, Position, Projected, Recorded, Timestamp};
use test_events::{call_completed, call_failed};

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

/// One entry: seconds since the start of the script, model, and outcome.
pub(crate) type Call = (u64, ModelId, Outcome);

/// Converts seconds since the start of the script to a time.
pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_secs(1_778_000_000 + seconds)
}

/// Converts a time to seconds since the start of the script.
pub(crate) fn seconds(at: Timestamp) -> u64 {
    at.0 / 1_000_000 - 1_778_000_000
}

/// Creates a model id.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Parses a script, with entries separated by commas. Panics on invalid text.
pub(crate) fn parse(script: &str) -> Vec<Call> {
    let calls = script.split(',').map(str::trim).filter(|call| !call.is_empty());
    calls.map(parse_call).collect()
}

/// Parses one entry: `seconds model outcome`.
fn parse_call(call: &str) -> Call {
    let words: Vec<_> = call.split_whitespace().collect();
    let [seconds, name, word] = words[..] else { panic!("`{call}` is not `seconds model outcome`") };
    (seconds.parse().unwrap(), model(name), outcome(word))
}

/// The classes of errors in scripts.
const CLASSES: [ErrorClass; 13] = [
    ErrorClass::RateLimit,
    ErrorClass::Overloaded,
    ErrorClass::ServerError,
    ErrorClass::Network,
    ErrorClass::Timeout,
    ErrorClass::ModelNotFound,
    ErrorClass::Auth,
    ErrorClass::Cancelled,
    ErrorClass::InvalidRequest,
    ErrorClass::ContextOverflow,
    ErrorClass::ContentFilter,
    ErrorClass::InvalidResponse,
    ErrorClass::Other,
];

impl Outcome {
    /// Returns the word for the outcome in scripts: `sent`, `ok` or the name of the class.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Ok => "ok",
            Self::Failed(class) => class.name(),
        }
    }
}

/// Parses the word for an outcome. Panics on another word.
pub(crate) fn outcome(word: &str) -> Outcome {
    let failed = CLASSES.into_iter().map(Outcome::Failed);
    let mut outcomes = [Outcome::Sent, Outcome::Ok].into_iter().chain(failed);
    outcomes.find(|outcome| outcome.name() == word).unwrap_or_else(|| panic!("no outcome `{word}`"))
}

/// Returns a script that repeats an entry once a second.
pub(crate) fn repeated(times: u64, call: &str) -> String {
    (0..times).map(|second| format!("{second} {call}, ")).collect::<Vec<_>>().concat()
}

/// Returns five failures of a model, one a second.
pub(crate) fn strikes(name: &str, start: u64) -> String {
    (start..start + 5).map(|second| format!("{second} {name} overloaded, ")).collect::<Vec<_>>().concat()
}

/// The log of a script, and the projection that folds it.
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
    /// Creates the log of a script, without transitions.
    pub(crate) fn of(script: &str) -> Self {
        let mut log = Self::default();
        for call in &parse(script) {
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
        let sent = self.running.iter().position(|(running, _)| running == model).filter(|_| *outcome != Outcome::Sent);
        let sent = sent.map(|place| self.running.remove(place).1);
        let id = self.call_caused_by(*seconds, model, *outcome, sent);
        if *outcome == Outcome::Sent {
            self.running.push((model.clone(), id));
        }
    }

    /// Appends the event of the start or the outcome of a call, and returns its id. `sent` is the event of the start of an
    /// outcome; `None` if it is not in the log.
    pub(crate) fn call_caused_by(
        &mut self,
        seconds: u64,
        model: &ModelId,
        outcome: Outcome,
        sent: Option<EventId>,
    ) -> EventId {
        let id = EventId::derive(&[b"script", &self.events.len().to_le_bytes()]);
        let turn = TurnId(EventId::derive(&[b"turn", &self.events.len().to_le_bytes()]));
        let (session, model) = (SessionId::try_from("s").unwrap(), model.clone());
        let event = match outcome {
            Outcome::Sent => {
                let body = LlmCallStarted { turn, session, model, ..LlmCallStarted::sample() };
                NewEvent::new(id, at(seconds), turn.0, &body)
            }
            Outcome::Failed(class) => NewEvent::new(id, at(seconds), turn.0, &call_failed(turn, session, model, class)),
            Outcome::Ok => NewEvent::new(id, at(seconds), turn.0, &call_completed(turn, session, model)),
        };
        self.append(NewEvent { causation: sent, ..event.unwrap() });
        id
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
