//! The events that the lines of a script describe.
//!
//! A line is `<seconds> <turn> <verb> …`, such as `0 a1 asks fix the total`, `1 a1 calls opus`, `2 a1 edits cart.rs`,
//! `3 a1 ends completed`.

use std::collections::BTreeSet;

use contracts::{
    AuxiliaryCall, Features, ModelId, Override, Score, SessionId, Sketch, Thread, ThreadId, TurnId,
    events::{
        ErrorClass, FeedbackGiven, LlmCallCompleted, LlmCallFailed, PatternOverrideDismissed, Rating, StopReason,
        ToolCalled, ToolFinished, ToolOutcome, TurnEnded, TurnStarted, TurnStatus,
    },
};
use evaluator::tone;
use event_core::{EventId, NewEvent, Timestamp};
use test_events::{call_completed, route_overridden, tool_called, turn_started};

/// Returns the time `seconds` after the start of every script.
pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_secs(1_778_000_000 + seconds)
}

/// Returns the id of the turn with this name.
pub(crate) fn turn_id(turn: &str) -> TurnId {
    TurnId::derive(&session(turn), turn)
}

/// Returns the session of a turn. The first letter is its name; `a2/x` is turn `a2` of thread `x`.
fn session(turn: &str) -> SessionId {
    SessionId::try_from(&turn[..1]).unwrap()
}

/// Returns the thread of a turn: the part of its name after `/`, or the main thread.
fn thread(turn: &str) -> Thread {
    let id = turn.split_once('/').map(|(_, thread)| ThreadId::try_from(thread).unwrap());
    id.into()
}

/// Returns the id of a model, such as `a:opus` for `opus`.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(format!("a:{name}").as_str()).unwrap()
}

/// Returns a sketch with one hash for each word.
fn sketch(message: &str) -> Sketch {
    let words = message.split_whitespace();
    let number = |word: &str| u16::from_le_bytes(EventId::derive(&[word.as_bytes()]).0[..2].try_into().unwrap());
    Sketch { words: words.map(number).collect::<BTreeSet<_>>().into_iter().collect(), ..Sketch::default() }
}

/// Returns the hash of a path.
fn file(path: &str) -> u32 {
    u32::from_le_bytes(EventId::derive(&[path.as_bytes()]).0[..4].try_into().unwrap())
}

/// Returns the events of one line, such as `3 a edits cart.rs`; panics for an unknown verb.
pub(crate) fn events(line: &str) -> Vec<NewEvent> {
    let mut words = line.split_whitespace();
    let (seconds, turn, verb) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let rest: Vec<_> = words.collect();
    let at = at(seconds.parse().unwrap());
    let (id, session) = (turn_id(turn), session(turn));
    let seal = |number: u64, event: NewEvent| NewEvent {
        id: EventId::derive(&[line.as_bytes(), &number.to_le_bytes()]),
        at,
        ..event
    };
    let (first, second) = (rest.first().copied().unwrap_or_default(), rest.get(1).copied().unwrap_or_default());
    match verb {
        "asks" => vec![seal(0, sealed(id, &started(turn, &rest)))],
        "calls" => vec![seal(0, sealed(id, &completed(turn, first, second)))],
        "fails" => {
            let class = if first == "withheld" { ErrorClass::ContentFilter } else { ErrorClass::Overloaded };
            let event = LlmCallFailed { turn: id, session, model: model("opus"), class, ..LlmCallFailed::sample() };
            vec![seal(0, sealed(id, &event))]
        }
        "edits" | "runs" | "reverts" => {
            let files: Vec<_> = rest.iter().filter(|word| word.contains('.')).map(|path| file(path)).collect();
            let outcome = match rest.last() {
                Some(&"failed") => ToolOutcome::Failed,
                Some(&"declined") => ToolOutcome::Interrupted,
                _ => ToolOutcome::Succeeded,
            };
            let (called, finished) = tool(turn, line, files, verb == "reverts", outcome);
            vec![seal(0, sealed(id, &called)), seal(1, sealed(id, &finished))]
        }
        "ends" => {
            let status = match first {
                "completed" => TurnStatus::Completed,
                "cancelled" => TurnStatus::Cancelled,
                "failed" => TurnStatus::Failed,
                "refused" => TurnStatus::Refused,
                other => panic!("no status `{other}`"),
            };
            let event = TurnEnded { turn: id, session, status, llm_calls: 0, tool_calls: 0 };
            vec![seal(0, sealed(id, &event))]
        }
        "rating" => {
            let rating = if first == "up" { Rating::Up } else { Rating::Down };
            vec![seal(0, sealed(id, &FeedbackGiven { turn: id, session, rating }))]
        }
        "overrides" => {
            let event = route_overridden(id, session, model(first), model(second));
            vec![seal(0, sealed(id, &event))]
        }
        "keeps" => {
            let (kept, dismissed) = (model(first), model("other"));
            let event = PatternOverrideDismissed {
                turn: id,
                session,
                model: kept,
                dismissed,
                rule: None,
                confidence: Score::ONE,
            };
            vec![seal(0, sealed(id, &event))]
        }
        other => panic!("no verb `{other}`"),
    }
}

/// Creates the envelope of an event; its id and time are replaced later.
fn sealed<E: event_core::EventType>(turn: TurnId, event: &E) -> NewEvent {
    NewEvent::new(turn.0, at(0), turn.0, event).unwrap()
}

/// Returns the start of a turn. `@opus` is a model override, `+opus` the model selected for the session.
fn started(turn: &str, words: &[&str]) -> TurnStarted {
    let named = |sign: char| words.iter().find_map(|word| word.strip_prefix(sign));
    let message: Vec<_> = words.iter().filter(|word| !word.starts_with(['@', '+'])).copied().collect();
    let message = message.join(" ");
    TurnStarted {
        thread: thread(turn),
        message_bytes: message.len() as u64,
        override_model: named('@').map(|name| Override { alias: name.to_owned(), model: model(name) }),
        sticky: named('+').map(model),
        features: Features { sketch: sketch(&message), ..Features::default() },
        tone: tone(&message),
        ..turn_started(turn_id(turn), session(turn))
    }
}

/// Returns an answered call. `how` is `aside` for an auxiliary call, `refusing`, `too-long`, or empty.
fn completed(turn: &str, name: &str, how: &str) -> LlmCallCompleted {
    LlmCallCompleted {
        thread: if how == "aside" { Thread::Auxiliary(AuxiliaryCall::Title) } else { thread(turn) },
        stop_reason: match how {
            "refusing" => StopReason::Refusal,
            "too-long" => StopReason::MaxTokens,
            _ => StopReason::EndTurn,
        },
        ..call_completed(turn_id(turn), session(turn), model(name))
    }
}

/// Returns the start and the end of a tool call; `files` are hashes of paths.
fn tool(turn: &str, call: &str, files: Vec<u32>, reverts: bool, outcome: ToolOutcome) -> (ToolCalled, ToolFinished) {
    let (id, session, call) = (turn_id(turn), session(turn), call.to_owned());
    let called = ToolCalled { files, reverts, ..tool_called(id, session.clone(), &call) };
    (called, ToolFinished { turn: id, session, call, outcome, output_bytes: 0, extensions: Vec::new() })
}
