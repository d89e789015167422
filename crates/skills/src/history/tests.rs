//! Tests of the history on events that are built by hand.

use std::convert::Infallible;

use contracts::{
    ChainEntry, ContentHash, Decision, ModelId, Score, SessionId, SkillOutcome, SkillReason, SkillSlot, Thread, TurnId,
    Usage,
    events::{
        SkillActivated, SkillCorrected, SkillInputs, SkillLoaded, SkillModelAsked, SkillModelReply,
        SkillPromptRecorded, SkillReused, SkillRouted, SkillRoutingMode, TextBody, TurnEnded, TurnStatus,
        TurnTextRecorded,
    },
};
use event_core::{EventId, EventType, NewEvent, Position, Projection as _, Recorded, Timestamp};
use serde::Serialize;

use super::*;
use crate::telemetry::{TaskLabel, TruthSource};

/// A history with the number of events that were applied.
#[derive(Default)]
struct Log {
    /// The history.
    history: SkillHistory,
    /// The number of events.
    events: u64,
}

impl Log {
    /// Applies an event with an id of its own, which is returned.
    fn add<E: EventType + Serialize>(&mut self, body: &E) -> EventId {
        self.events += 1;
        let id = EventId::derive(&[&self.events.to_le_bytes()]);
        let at = Timestamp::from_secs(self.events);
        let event = NewEvent::new(id, at, EventId::default(), body).unwrap();
        self.history.apply_recorded(&Recorded::new(Position(self.events), at, event)).unwrap();
        id
    }

    /// Applies a decision that loads a skill named by a slash command.
    fn route(&mut self, turn: Option<TurnId>, outcome: SkillOutcome) -> EventId {
        self.add(&routed(turn, outcome))
    }

    /// Applies the end of a turn.
    fn end(&mut self, turn: TurnId, status: TurnStatus) {
        self.add(&TurnEnded { turn, session: session(), status, llm_calls: 1, tool_calls: 0 });
    }

    /// Returns the records with every long message replaced by `text`.
    fn records(&self, text: &str) -> Vec<crate::routing_log::RoutingRecord> {
        let read = |_| Ok::<_, Infallible>(Some(text.to_owned()));
        self.history.records(&ConfidenceSettings::default(), |_| true, read).unwrap()
    }

    /// Returns the label of the latest task.
    fn label(&self) -> Option<TaskLabel> {
        self.history.tasks(|_| true).pop().unwrap().label
    }
}

fn session() -> SessionId {
    SessionId::try_from("s").unwrap()
}

fn turn(number: u8) -> TurnId {
    TurnId(EventId([number; 16]))
}

/// Creates a decision about a message with the hash `[5; 32]`.
fn routed(turn: Option<TurnId>, outcome: SkillOutcome) -> SkillRouted {
    let reason = SkillReason::SlashCommand { overflow: Vec::new() };
    SkillRouted {
        session: session(),
        thread: Thread::Main,
        turn,
        workspace: Some("/shop".to_owned()),
        text: ContentHash([5; 32]),
        text_bytes: 9,
        mode: if turn.is_some() { SkillRoutingMode::Observed } else { SkillRoutingMode::Hook },
        inputs: SkillInputs { files: vec!["a.rs".to_owned(), "b.rs".to_owned()], ..SkillInputs::default() },
        policy: ContentHash([2; 32]),
        sources: Some(ContentHash([4; 32])),
        decider: 1,
        elapsed_micros: 10,
        omitted: 0,
        decision: Decision::from_chain(vec![ChainEntry::proposed(SkillSlot::Explicit, outcome, reason, None)]),
    }
}

/// Creates the event of a loaded skill.
fn loaded(turn: TurnId, skill: &str) -> SkillLoaded {
    SkillLoaded { turn, session: session(), thread: Thread::Main, skill: skill.to_owned(), call: None }
}

/// SK-86: a record has the message of its turn, whether that was recorded before or after the decision.
#[test]
fn a_record_has_the_message_of_its_turn() {
    let mut log = Log::default();
    log.add(&TurnTextRecorded { turn: turn(1), text: TextBody::Inline("/commit now".to_owned()) });
    log.route(Some(turn(1)), SkillOutcome::load("commit"));
    log.route(Some(turn(2)), SkillOutcome::load("commit"));
    let stored = TextBody::Stored { hash: ContentHash([9; 32]), bytes: 4_000 };
    log.add(&TurnTextRecorded { turn: turn(2), text: stored });
    log.route(Some(turn(3)), SkillOutcome::None);
    let records = log.records("a long message");
    let summaries: Vec<_> = records.iter().map(|record| record.summary.as_str()).collect();
    assert_eq!(summaries, ["/commit now", "a long message", ""]);
    assert_eq!((records[0].files, records[0].turn, records[0].confidence), (2, Some(turn(1)), Some(Score::ONE)));
    assert!(records[0].context.is_some() && records[0].context == records[1].context);
}

/// A decision of a hook gets its message and, once the turn has started, the turn with what happens in it.
#[test]
fn the_decision_of_a_hook_gets_its_turn() {
    let mut log = Log::default();
    let decision = log.route(None, SkillOutcome::load("commit"));
    let text = TextBody::Inline("commit this".to_owned());
    log.add(&SkillPromptRecorded { decision, session: session(), text });
    assert_eq!((log.records("")[0].summary.as_str(), log.records("")[0].turn), ("commit this", None));
    log.add(&SkillReused { turn: turn(1), session: session(), decision });
    log.add(&loaded(turn(1), "commit"));
    log.end(turn(1), TurnStatus::Completed);
    assert_eq!((log.history.total(), log.records("")[0].turn), (1, Some(turn(1))));
    assert_eq!(log.label().unwrap().needed, ["commit"]);
}

/// SC-45, SC-46: the skills that an agent loaded are the label of a completed turn, and none if it loaded none. A turn that
/// is not completed has no label.
#[test]
fn loaded_skills_are_the_label_of_a_completed_turn() {
    let mut log = Log::default();
    log.route(Some(turn(1)), SkillOutcome::load("commit"));
    for skill in ["review", "review"] {
        log.add(&loaded(turn(1), skill));
    }
    assert_eq!(log.label(), None);
    log.end(turn(1), TurnStatus::Completed);
    let label = log.label().unwrap();
    assert_eq!((label.needed, label.source), (vec!["review".to_owned()], TruthSource::Loaded));
    log.route(Some(turn(2)), SkillOutcome::load("commit"));
    log.end(turn(2), TurnStatus::Completed);
    assert_eq!(log.label().unwrap().needed, Vec::<String>::new());
    log.route(Some(turn(3)), SkillOutcome::load("commit"));
    log.end(turn(3), TurnStatus::Cancelled);
    assert_eq!(log.label(), None);
}

/// SK-81: a correction is the label whatever the agent loaded, and the last one counts.
#[test]
fn the_last_correction_is_the_label() {
    let mut log = Log::default();
    let decision = log.route(Some(turn(1)), SkillOutcome::load("commit"));
    log.add(&loaded(turn(1), "commit"));
    log.end(turn(1), TurnStatus::Completed);
    let corrected = |skill: Option<&str>| SkillCorrected {
        decision,
        session: session(),
        turn: Some(turn(1)),
        skill: skill.map(str::to_owned),
    };
    log.add(&corrected(Some("review")));
    let event = log.add(&corrected(None));
    let label = log.label().unwrap();
    assert_eq!((label.needed, label.source), (Vec::new(), TruthSource::Corrected));
    assert_eq!(log.records("")[0].correction, Some(Correction { event, target: None }));
}

/// A deferred skill that became due is the label once the turn is completed.
#[test]
fn a_deferred_skill_that_became_due_is_the_label() {
    let mut log = Log::default();
    let decision = log.route(Some(turn(1)), SkillOutcome::Defer { skill: "database".to_owned() });
    let skill = "database".to_owned();
    let activated = SkillActivated { decision, turn: turn(1), session: session(), skill, call: "c".to_owned() };
    log.add(&activated);
    assert_eq!(log.label(), None);
    log.end(turn(1), TurnStatus::Completed);
    let label = log.label().unwrap();
    assert_eq!((label.needed, label.source), (vec!["database".to_owned()], TruthSource::DeferredActivation));
}

/// The tokens of a model that was asked belong to the next decision about the message.
#[test]
fn the_tokens_of_a_question_belong_to_the_next_decision() {
    let mut log = Log::default();
    log.add(&SkillModelAsked {
        session: session(),
        text: ContentHash([5; 32]),
        question: ContentHash([7; 32]),
        model: ModelId::try_from("anthropic:claude-haiku-4-5").unwrap(),
        reply: SkillModelReply::Unavailable { cause: "timeout".to_owned() },
        cached: false,
        usage: Some(Usage { input: 300, output: 20, ..Usage::default() }),
        cost: None,
        latency_ms: 1,
    });
    log.route(Some(turn(1)), SkillOutcome::None);
    log.route(Some(turn(2)), SkillOutcome::None);
    let tokens: Vec<_> = log.records("").iter().map(|record| record.routing_tokens).collect();
    assert_eq!(tokens, [320, 0]);
}

/// SC-45: a skill that the agent loads with the name of its plugin is the skill that the decision names without it.
#[test]
fn a_skill_with_the_name_of_its_plugin_is_the_same() {
    let mut log = Log::default();
    log.route(Some(turn(1)), SkillOutcome::load("commit"));
    log.add(&loaded(turn(1), "git:commit"));
    log.add(&loaded(turn(1), "git:push"));
    log.end(turn(1), TurnStatus::Completed);
    assert_eq!(log.label().unwrap().needed, ["commit", "git:push"]);
    assert_eq!(log.records("")[0].needed, Some(vec!["commit".to_owned(), "git:push".to_owned()]));
}

/// Only events that add or change a decision of the history count as changes.
#[test]
fn changes_count_the_events_of_known_decisions() {
    let mut log = Log::default();
    log.end(turn(9), TurnStatus::Completed);
    log.add(&loaded(turn(9), "commit"));
    assert_eq!(log.history.changes(), 0);
    let decision = log.route(Some(turn(1)), SkillOutcome::load("commit"));
    log.end(turn(1), TurnStatus::Completed);
    log.add(&SkillCorrected { decision, session: session(), turn: Some(turn(1)), skill: None });
    assert_eq!(log.history.changes(), 3);
    assert!(log.history.request(decision).is_some_and(|request| request.record().correction.is_some()));
}

/// The oldest decisions are removed, and events about them are ignored.
#[test]
fn the_oldest_decisions_are_removed() {
    let mut log = Log::default();
    let body = routed(None, SkillOutcome::load("commit"));
    let first = log.add(&body);
    for _ in 0..MAX_DECISIONS {
        log.add(&body);
    }
    log.add(&SkillCorrected { decision: first, session: session(), turn: None, skill: None });
    assert_eq!((log.history.requests().count(), log.history.total()), (MAX_DECISIONS, MAX_DECISIONS as u64 + 1));
    assert!(log.history.requests().all(|request| request.record().correction.is_none()));
}
