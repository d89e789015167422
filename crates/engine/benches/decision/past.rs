//! Reproducible logs of turns with random features.

use contracts::{
    Features, IntentTags, ModelId, NanoUsd, Score, SideEffect, TokenBucket, TurnId,
    events::{
        EvalCompleted, LlmCallCompleted, RouteDecided, SessionStarted, ToolCalled, ToolFinished, TurnEnded,
        TurnStarted, TurnTextRecorded,
    },
};
use event_core::{EventId, Position, Projection as _, Recorded, Timestamp};
use patterns::{Patterns, Store};
use test_events::turn_event;

use crate::numbers::Numbers;

/// The path of the workspace of all turns.
pub(crate) const WORKSPACE: &str = "/home/dev/shop";

/// Models of the built-in catalogue.
const MODELS: [&str; 3] = ["anthropic:claude-haiku-5-5", "anthropic:claude-sonnet-5-5", "anthropic:claude-opus-5-5"];

/// Returns random features of a turn.
pub(crate) fn features(numbers: &mut Numbers) -> Features {
    let effects = [SideEffect::Read, SideEffect::Write, SideEffect::Execute, SideEffect::Network];
    Features {
        extensions: numbers.names(".e", 40, 5),
        directories: numbers.names("d", 100, 5),
        tools: numbers.names("tool", 60, 8),
        side_effects: effects.into_iter().filter(|_| numbers.below(2) == 0).collect(),
        images: numbers.below(10) == 0,
        tool_history: numbers.below(2) == 0,
        tokens: TokenBucket(u8::try_from(numbers.below(4)).unwrap()),
        intents: IntentTags(u8::try_from(numbers.below(64)).unwrap()),
        ..Features::default()
    }
}

/// A log under construction: its events, in the order in which they happened.
struct Past {
    /// The generator of features, costs and scores.
    numbers: Numbers,
    /// The number of turns so far.
    turns: u64,
    /// The events so far, at positions from 1.
    events: Vec<Recorded>,
}

impl Past {
    /// Creates a log without events, with a fixed seed.
    const fn new() -> Self {
        Self { numbers: Numbers(42), turns: 0, events: Vec::new() }
    }

    /// Appends an event of a turn, one second after the previous event.
    fn write<F: event_core::EventType>(&mut self, turn: TurnId, body: &F) {
        let position = Position(self.events.len() as u64 + 1);
        let at = Timestamp::from_secs(1_780_000_000 + position.0);
        let event = turn_event(turn, position.0, at, body);
        self.events.push(Recorded::new(position, at, event));
    }

    /// Starts another turn; returns its id and a random model.
    fn begin(&mut self) -> (TurnId, ModelId) {
        self.turns += 1;
        let turn = TurnId(EventId::derive(&[b"turn", &self.turns.to_le_bytes()]));
        let model = MODELS[usize::try_from(self.numbers.below(3)).unwrap()];
        (turn, ModelId::try_from(model).unwrap())
    }

    /// Returns the event of the start of a turn, with random features.
    fn started(&mut self, turn: TurnId) -> TurnStarted {
        let workspace = Some(WORKSPACE.to_owned());
        TurnStarted { turn, workspace, features: features(&mut self.numbers), ..TurnStarted::sample() }
    }

    /// Returns the event of a call of `model` with a random cost below one dollar.
    fn call(&mut self, turn: TurnId, model: &ModelId) -> LlmCallCompleted {
        let cost = Some(NanoUsd(self.numbers.below(1_000_000_000)));
        LlmCallCompleted { turn, model: model.clone(), cost, ..LlmCallCompleted::sample() }
    }

    /// Returns the event of a verdict with a random score.
    fn judged(&mut self, turn: TurnId) -> EvalCompleted {
        EvalCompleted { turn, model: None, score: Score(self.numbers.below(1_000_000_001)), ..EvalCompleted::sample() }
    }

    /// Adds the events of a turn that the pattern store needs: its features, a call, its end and a verdict.
    fn short_turn(&mut self) {
        let (turn, model) = self.begin();
        let (started, call, judged) = (self.started(turn), self.call(turn, &model), self.judged(turn));
        self.write(turn, &started);
        self.write(turn, &call);
        self.write(turn, &TurnEnded { turn, ..TurnEnded::sample() });
        self.write(turn, &judged);
    }

    /// Adds the events of a typical turn: three calls, each with a tool.
    fn whole_turn(&mut self) {
        let (turn, model) = self.begin();
        if self.turns % 20 == 1 {
            self.write(turn, &SessionStarted::sample());
        }
        let started = self.started(turn);
        self.write(turn, &started);
        self.write(turn, &TurnTextRecorded { turn, ..TurnTextRecorded::sample() });
        self.write(turn, &RouteDecided { turn, ..RouteDecided::sample() });
        for _ in 0..3 {
            let call = self.call(turn, &model);
            self.write(turn, &call);
            self.write(turn, &ToolCalled { turn, ..ToolCalled::sample() });
            self.write(turn, &ToolFinished { turn, ..ToolFinished::sample() });
        }
        self.write(turn, &TurnEnded { turn, ..TurnEnded::sample() });
    }
}

/// Returns a pattern store with at least `fingerprints` fingerprints, folded from events of short turns.
pub(crate) fn learned(fingerprints: usize) -> Patterns {
    let mut past = Past::new();
    let mut patterns = Patterns::default();
    while patterns.store(Some(WORKSPACE)).map_or(0, Store::fingerprints) < fingerprints {
        past.short_turn();
        for body in past.events.drain(..) {
            patterns.apply_recorded(&body).unwrap();
        }
    }
    patterns
}

/// Returns a log of exactly `events` events of typical turns.
pub(crate) fn log(events: usize) -> Vec<Recorded> {
    let mut past = Past::new();
    while past.events.len() < events {
        past.whole_turn();
    }
    past.events.truncate(events);
    past.events
}
