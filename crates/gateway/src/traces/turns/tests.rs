//! The spans of complete turns.

use contracts::{
    ChainEntry, Decision, FailedCandidate, ModelId, NanoUsd, Reason, Slot, ThreadId, TurnId, Usage, Verdict,
    events::{
        ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, RouteFallback, StopReason, TextBody,
        ToolCalled, ToolFinished, ToolOutcome, TurnEnded, TurnStarted, TurnStatus, TurnTextRecorded,
    },
};
use event_core::{EventId, Position, Recorded, Timestamp};
use test_events::turn_event;

use super::Turns;
use crate::traces::otlp::{Span, encode_request};

const OPUS: &str = "anthropic:claude-opus-5-5";
const GEMINI: &str = "google:gemini-3-pro";
/// A text that must not appear in a span.
const USER_TEXT: &str = "the user's own words";

/// The events of one turn, half a second apart. Fields that a test does not set have their sample value.
#[derive(Default)]
struct Story {
    turns: Turns,
    events: Vec<Recorded>,
    spans: Vec<Vec<Span>>,
}

fn turn() -> TurnId {
    TurnStarted::sample().turn
}

/// Parses a model id.
fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Creates a decision in which one slot chose a model.
fn decision(slot: Slot, reason: Reason, name: &str) -> Decision {
    let candidate = Some(model(name));
    let entry = ChainEntry { slot, verdict: Verdict::Chose, candidate, reason, failure: None, attempts: Vec::new() };
    Decision { chosen: Some(model(name)), chain: vec![entry] }
}

impl Story {
    /// Appends an event with its number among those of its kind and its cause.
    fn append<E: event_core::EventType>(&mut self, number: u64, cause: Option<EventId>, event: &E) -> EventId {
        let position = Position(self.events.len() as u64 + 1);
        let at = Timestamp(1_800_000_000_000_000 + 500_000 * position.0);
        let mut sealed = turn_event(turn(), number, at, event);
        let id = sealed.id;
        sealed.causation = cause;
        let recorded = Recorded::new(position, at, sealed);
        self.spans.extend(self.turns.apply(&recorded).unwrap());
        self.events.push(recorded);
        id
    }

    /// Starts the turn of a sub-agent, decided by a rule.
    fn begin(&mut self) {
        let mut started = TurnStarted { thread: ThreadId::try_from("agent-7").ok().into(), ..TurnStarted::sample() };
        started.request.as_mut().unwrap().subagent = true;
        self.append(0, None, &started);
        self.append(0, None, &TurnTextRecorded { turn: turn(), text: TextBody::Inline(USER_TEXT.to_owned()) });
        self.decided();
    }

    /// Appends the decision of a rule for Opus.
    fn decided(&mut self) {
        let reason = Reason::Rule { name: "helpers".to_owned(), budget: None, cut: false };
        let decision = decision(Slot::ConfiguredRules, reason, OPUS);
        self.append(0, None, &RouteDecided { decision, ..RouteDecided::sample() });
    }

    /// Appends a fallback from the overloaded Opus to Gemini.
    fn fallback(&mut self) {
        let failed = vec![FailedCandidate { model: model(OPUS), class: ErrorClass::Overloaded }];
        let decision = decision(Slot::GlobalDefault, Reason::GlobalDefault, GEMINI);
        self.append(0, None, &RouteFallback { failed, decision, ..RouteFallback::sample() });
    }

    /// Appends the start of model call `number`. Returns the id of its event.
    fn sent(&mut self, number: u64, name: &str) -> EventId {
        self.append(number, None, &LlmCallStarted { model: model(name), ..LlmCallStarted::sample() })
    }

    /// Appends the failure of the Opus call whose start has the id `call`.
    fn failed(&mut self, number: u64, call: EventId, class: ErrorClass) {
        let event = LlmCallFailed { model: model(OPUS), class, usage: None, cost: None, ..LlmCallFailed::sample() };
        self.append(number, Some(call), &event);
    }

    /// Appends the completion of the Gemini call whose start has the id `call`. Usage of all zeros has no cost.
    fn answered(&mut self, number: u64, call: EventId, stop_reason: StopReason, usage: Usage) {
        let cost = (usage != Usage::default()).then_some(NanoUsd(56_051_400));
        let event = LlmCallCompleted { model: model(GEMINI), stop_reason, usage, cost, ..LlmCallCompleted::sample() };
        self.append(number, Some(call), &event);
    }

    /// Appends the call of a tool; `call` is the provider's id of it.
    fn tool(&mut self, number: u64, call: &str) {
        let event = ToolCalled { call: call.to_owned(), name: "Bash".to_owned(), ..ToolCalled::sample() };
        self.append(number, None, &event);
    }

    /// Appends the result of the tool call `call`.
    fn brought(&mut self, number: u64, call: &str, outcome: ToolOutcome) {
        self.append(number, None, &ToolFinished { call: call.to_owned(), outcome, ..ToolFinished::sample() });
    }

    /// Appends the end of the turn.
    fn ended(&mut self, status: TurnStatus) {
        self.append(0, None, &TurnEnded { status, ..TurnEnded::sample() });
    }

    /// Returns the spans of the only turn that ended.
    fn into_spans(mut self) -> Vec<Span> {
        assert_eq!(self.spans.len(), 1);
        self.spans.pop().unwrap()
    }
}

/// Returns a turn of a sub-agent: the model of the rule fails, another one calls two tools, one of which fails, and
/// responds.
fn worked() -> Story {
    let mut story = Story::default();
    story.begin();
    let first = story.sent(0, OPUS);
    story.failed(0, first, ErrorClass::Overloaded);
    story.fallback();
    let second = story.sent(1, GEMINI);
    let cached = Usage { input: 3, cache_read: 18_338, cache_write_5m: 71, cache_write_1h: 7_700, output: 261 };
    story.answered(1, second, StopReason::ToolUse, cached);
    story.tool(0, "toolu_01");
    story.tool(1, "toolu_02");
    story.brought(0, "toolu_02", ToolOutcome::Failed);
    story.brought(1, "toolu_01", ToolOutcome::Succeeded);
    let third = story.sent(2, GEMINI);
    story.answered(2, third, StopReason::EndTurn, Usage::default());
    story.ended(TurnStatus::Completed);
    story
}

/// Encodes spans as the JSON of an OTLP export request.
fn text(spans: &[Span]) -> String {
    String::from_utf8(encode_request(spans).unwrap()).unwrap()
}

#[test]
fn a_turn_becomes_its_spans_in_the_words_of_the_conventions() {
    // The version changes with every release.
    let text = text(&worked().into_spans()).replace(concat!('"', env!("CARGO_PKG_VERSION"), '"'), "\"[version]\"");
    insta::assert_json_snapshot!(serde_json::from_str::<serde_json::Value>(&text).unwrap());
}

#[test]
fn the_same_events_give_the_same_spans() {
    let (once, again) = (worked(), worked());
    assert_eq!(once.events, again.events);
    assert_eq!(text(&once.into_spans()), text(&again.into_spans()));
}

#[test]
fn nothing_that_was_said_or_touched_is_in_a_span() {
    let story = worked();
    let text = text(&story.into_spans());
    for secret in [USER_TEXT, "/home/dev", ".rs", "nightly", "raw_usage"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[test]
fn what_still_ran_when_the_turn_was_cancelled_ends_with_it_and_is_nobodys_failure() {
    let mut story = Story::default();
    story.begin();
    let call = story.sent(0, OPUS);
    story.tool(0, "toolu_01");
    story.failed(0, call, ErrorClass::Cancelled);
    story.sent(1, OPUS);
    story.ended(TurnStatus::Cancelled);
    let spans = story.into_spans();
    assert_eq!(spans.len(), 4);
    assert!(spans.iter().all(|span| span.status.is_none()), "{spans:?}");
    assert_eq!(text(&spans).matches("turnwise.unfinished").count(), 2);
}

#[test]
fn a_turn_that_failed_names_what_its_last_call_failed_of() {
    let mut story = Story::default();
    story.begin();
    let call = story.sent(0, OPUS);
    story.failed(0, call, ErrorClass::Auth);
    story.ended(TurnStatus::Failed);
    let spans = story.into_spans();
    assert!(spans.iter().all(|span| span.status.is_some()), "{spans:?}");
    assert_eq!(text(&spans).matches(r#"{"key":"error.type","value":{"stringValue":"auth"}}"#).count(), 2);
}

#[test]
fn a_turn_whose_start_was_not_seen_gives_nothing_and_is_not_kept() {
    let mut story = Story::default();
    story.decided();
    let call = story.sent(0, OPUS);
    story.failed(0, call, ErrorClass::Auth);
    story.ended(TurnStatus::Failed);
    assert!(story.spans.is_empty() && story.turns.open.is_empty());
    let worked = worked();
    assert!(worked.turns.open.is_empty() && worked.turns.by_start.is_empty());
}

#[test]
fn a_turn_without_end_keeps_no_more_than_so_many_spans_and_counts_the_rest() {
    let mut story = Story::default();
    story.begin();
    for number in 0..1_200 {
        story.tool(number, &format!("toolu_{number}"));
        story.brought(number, &format!("toolu_{number}"), ToolOutcome::Succeeded);
    }
    story.ended(TurnStatus::Completed);
    let spans = story.into_spans();
    assert_eq!(spans.len(), 1_001);
    assert!(text(&spans).contains(r#"{"key":"turnwise.spans_dropped","value":{"intValue":"200"}}"#));
}
