//! Walk and replay of a second decision kind, which only this test has.

use contracts::{
    ChainEntry, ChainSlot, ContentHash, Decision, DecisionKind, SessionId, TurnId,
    events::{TurnStarted, TurnTextRecorded},
};
use event_bus::{MemoryLog, MemoryTexts};
use event_core::{EventType, Timestamp};
use router_core::Explain;
use serde::{Deserialize, Serialize};
use test_events::new_event;

use super::*;
use crate::replay::{ReplayReport, ReplayVisitor};

/// The decision which skill is loaded for a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SkillChoice {}

/// The one slot of the decision: the skill whose name the message contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum SkillSlot {
    Mentioned,
}

/// The reason for the verdict of the slot: whether the message names a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum SkillReason {
    Mentioned,
    NotMentioned,
}

impl ChainSlot for SkillSlot {
    const CHAIN: &'static [Self] = &[Self::Mentioned];

    fn name(self) -> &'static str {
        "MENTIONED"
    }
}

impl DecisionKind for SkillChoice {
    type Slot = SkillSlot;
    type Candidate = String;
    type Reason = SkillReason;
    type Failure = SkillReason;
}

impl Explain for SkillChoice {
    const NOUN: &'static str = "skill";

    fn summary(_: &ChainEntry<Self>) -> String {
        "mentioned".to_owned()
    }

    fn reason(entry: &ChainEntry<Self>) -> String {
        format!("{:?}", entry.reason)
    }

    fn failure_name(_: &SkillReason) -> &'static str {
        "rejected"
    }

    fn attempt_noun(_: SkillSlot) -> &'static str {
        "skill"
    }
}

/// The event that records the decision.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SkillRouted {
    turn: TurnId,
    session: SessionId,
    decider: u16,
    based_on: Position,
    decision: Decision<SkillChoice>,
}

impl EventType for SkillRouted {
    const KIND: &'static str = "test.skill_decided";
    const VERSION: u16 = 1;
}

/// Decides which skill a message loads.
fn decide(message: Option<&str>) -> Decision<SkillChoice> {
    let is_mentioned = message.is_some_and(|message| message.contains("deploy"));
    let entry = if is_mentioned {
        ChainEntry::proposed(SkillSlot::Mentioned, "deploy".to_owned(), SkillReason::Mentioned, None)
    } else {
        ChainEntry::not_applicable(SkillSlot::Mentioned, SkillReason::NotMentioned)
    };
    Decision::from_chain(vec![entry])
}

impl RecordedDecision for SkillRouted {
    type Kind = SkillChoice;

    const DECIDER: u16 = 3;

    fn turn(&self) -> TurnId {
        self.turn
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn decider(&self) -> u16 {
        self.decider
    }

    fn based_on(&self) -> Position {
        self.based_on
    }

    fn matched(&self) -> &[u16] {
        &[]
    }

    fn texts(&self) -> (ContentHash, ContentHash) {
        (ContentHash([0; 32]), ContentHash([0; 32]))
    }

    fn decision(&self) -> &Decision<SkillChoice> {
        &self.decision
    }

    fn repeat(point: &DecisionPoint<'_, Self>, _: &mut PolicyCache<'_>) -> Result<Self, WhatIfError> {
        Ok(Self { decision: decide(point.message), ..point.decided.clone() })
    }
}

/// Repeats the decisions of a log in which the turn with the message `deploy it` was decided as for `message`, by the
/// version `decider` of the code. Without `starts` the log lacks the start of the turn.
fn replayed(message: &str, decider: u16, starts: bool) -> ReplayReport {
    let (log, texts, range) = (MemoryLog::new(), MemoryTexts::new(), Range::default());
    let started = TurnStarted::sample();
    let (turn, session) = (started.turn, started.session.clone());
    let text = TurnTextRecorded { text: TextBody::Inline("deploy it".to_owned()), turn };
    let routed = SkillRouted { turn, session, decider, based_on: Position::ORIGIN, decision: decide(Some(message)) };
    let at = Timestamp::from_secs(1);
    let mut events = vec![new_event(0, at, &routed)];
    if starts {
        events.splice(..0, [new_event(0, at, &started), new_event(0, at, &text)]);
    }
    let recorded = events.into_iter().zip(1..).map(|(event, position)| Recorded::new(Position(position), at, event));
    let mut ignore = |_| {};
    let mut visitor = ReplayVisitor::new(&mut ignore);
    let mut policies = PolicyCache::new(&texts);
    let start = WalkStart::Origin;
    let removed_until = Position::ORIGIN;
    let mut state = WalkState {
        log: &log,
        texts: &texts,
        range: &range,
        start,
        removed_until,
        calls_removed: false,
        state: start.state(),
        open: BTreeMap::new(),
    };
    for event in recorded {
        // The state is that of the start: no event of this log is folded into it before the decision.
        state.visit::<SkillRouted>(&event, &mut visitor, &mut policies).unwrap();
        state.track_turn(&event).unwrap();
    }
    visitor.into_report()
}

#[test]
fn decisions_of_another_kind_are_repeated_from_their_turn_and_its_message() {
    let same = replayed("deploy it", 3, true);
    assert_eq!((same.decisions, same.without_text, &same.divergence), (1, 0, &None));
    let different = replayed("hello", 3, true).divergence.unwrap();
    assert_eq!((different.kind, different.position), (SkillRouted::KIND, Position(3)));
    assert_eq!((different.recorded.chosen, different.again.chosen.as_deref()), (None, Some("deploy")));
    assert!(different.again.why.contains("MENTIONED"), "{}", different.again.why);
}

#[test]
fn decisions_of_another_kind_are_skipped_without_their_turn_and_of_other_versions() {
    let other = replayed("hello", 2, true);
    assert_eq!((other.decisions, other.other_deciders.get(&2), &other.divergence), (0, Some(&1), &None));
    let lost = replayed("hello", 3, false);
    assert_eq!((lost.decisions, lost.without_start, &lost.divergence), (0, 1, &None));
}
