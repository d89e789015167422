//! The projection [`Evaluator`]: folds events into the signals of recent turns.

use std::collections::BTreeSet;

use contracts::{
    BoundedMap, Event, SessionId, Thread, Tone, TurnId, event_subset,
    events::{EvalCompleted, Rating, SignalKind, ToolFinished, TurnEnded, TurnStarted},
};
use event_core::{Position, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::{
    conversation::{Conversation, Reaction},
    turn::{EvaluatedTurn, SignalChange},
};

/// The greatest number of turns in memory; beyond it the oldest is dropped, and its later signals are ignored.
const MAX_TURNS: usize = 2_000;
/// The greatest number of conversations (threads of sessions) in memory; beyond it the least recently continued is
/// dropped.
const MAX_CONVERSATIONS: usize = 1_000;

/// The projection of the signals about recent turns, from which verdicts on these turns are computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluator {
    /// The greatest number of turns in memory.
    max_turns: usize,
    /// The recent turns with their signals, by id.
    pub(crate) turns: BoundedMap<TurnId, Box<EvaluatedTurn>>,
    /// The ended turns, ordered by the position of the event that last changed their signals. Finds the turns that
    /// changed since a position without a scan.
    pub(crate) changes: BTreeSet<(Position, TurnId)>,
    /// The greatest number of conversations in memory.
    max_conversations: usize,
    /// The recent turns of each thread of a session.
    conversations: BoundedMap<(SessionId, Thread), Conversation>,
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::with_capacity(MAX_TURNS, MAX_CONVERSATIONS)
    }
}

impl Evaluator {
    /// Creates an evaluator that drops no turn, for a replay of the complete log; memory grows with the number of
    /// turns.
    pub fn unbounded() -> Self {
        Self::with_capacity(usize::MAX, usize::MAX)
    }

    /// Creates an evaluator without turns, with limits for the numbers of turns and conversations in memory.
    fn with_capacity(max_turns: usize, max_conversations: usize) -> Self {
        Self {
            max_turns,
            turns: BoundedMap::default(),
            changes: BTreeSet::new(),
            max_conversations,
            conversations: BoundedMap::default(),
        }
    }

    /// Returns whether a turn is in memory, so that feedback on it can change its verdicts.
    pub fn contains(&self, turn: TurnId) -> bool {
        self.turns.get(&turn).is_some()
    }

    /// Applies `update` to a turn, and records `change` as the last change of its signals. Returns the result of
    /// `update`; `None` if the turn is not in memory.
    fn update_turn<T>(
        &mut self,
        id: TurnId,
        change: SignalChange,
        update: impl FnOnce(&mut EvaluatedTurn) -> T,
    ) -> Option<T> {
        let turn = self.turns.get_mut(&id)?;
        if turn.has_ended {
            self.changes.remove(&(turn.last_change.position, id));
        }
        let result = update(turn);
        turn.last_change = change;
        if turn.has_ended {
            self.changes.insert((change.position, id));
        }
        Some(result)
    }

    /// Folds `turn.started`: adds the turn to its conversation, and the signals of its message to the previous turn.
    /// Ignores a turn that is already known.
    fn apply_started(&mut self, turn: &TurnStarted, change: SignalChange) {
        if self.turns.get(&turn.turn).is_some() {
            return;
        }
        let key = (turn.session.clone(), turn.thread.clone());
        let reaction = if let Some(conversation) = self.conversations.renew(&key) {
            conversation.add_turn(turn, change.at)
        } else {
            let mut conversation = Conversation::default();
            let reaction = conversation.add_turn(turn, change.at);
            self.conversations.insert(key, conversation, self.max_conversations);
            reaction
        };
        if let Some(reaction) = reaction {
            self.apply_reaction(turn, reaction, change);
        }
        let new_turn = EvaluatedTurn::new(turn.session.clone(), turn.thread.clone(), change);
        if let Some((id, evicted)) = self.turns.insert(turn.turn, Box::new(new_turn), self.max_turns)
            && evicted.has_ended
        {
            self.changes.remove(&(evicted.last_change.position, id));
        }
    }

    /// Adds the signals of a new message to the previous turn: repeated request, correction, reassignment to another
    /// model, approval or continuation. `next` is the turn of the message.
    fn apply_reaction(&mut self, next: &TurnStarted, reaction: Reaction, change: SignalChange) {
        let Some(previous) = self.turns.get(&reaction.previous_turn).and_then(|turn| turn.current_work()) else {
            return;
        };
        let requested_model =
            next.override_model.as_ref().map(|requested_model| &requested_model.model).or(next.sticky.as_ref());
        let changes_model =
            requested_model.is_some() && previous.model().is_some() && requested_model != previous.model();
        let is_correction = next.tone == Tone::Correction;
        let is_rejection = reaction.is_repeated_request || is_correction;
        // A message of unknown content, or after an interruption, does not imply consent.
        let is_known = 0 < next.message_bytes || next.message_has_images;
        let implies_consent = is_known && previous.signals.contains(SignalKind::Completed);
        let is_approval = next.tone == Tone::Approval;
        let signals = [
            (reaction.is_repeated_request, SignalKind::RepeatedRequest),
            (is_correction, SignalKind::Corrected),
            (is_rejection && changes_model, SignalKind::Reassigned),
            (!is_rejection && is_approval, SignalKind::Approved),
            (!is_rejection && !is_approval && implies_consent, SignalKind::Continued),
        ];
        for (_, kind) in signals.into_iter().filter(|(is_present, _)| *is_present) {
            self.update_turn(reaction.previous_turn, change, |turn| turn.add_signal(kind, change.event));
        }
    }

    /// Folds `tool.finished`: adds the signal of the tool's outcome. If the tool succeeded, also records the files that
    /// it wrote, or adds the signal of a revert to the turns whose files it reverted.
    fn apply_tool_finished(&mut self, tool: &ToolFinished, change: SignalChange) {
        let finished_tool = self.update_turn(tool.turn, change, |turn| {
            let conversation = (turn.session.clone(), turn.thread.clone());
            turn.finish_tool(tool, change.event).map(|finished_tool| (conversation, finished_tool))
        });
        let Some((key, finished_tool)) = finished_tool.flatten() else { return };
        let Some(conversation) = self.conversations.get_mut(&key) else { return };
        if !finished_tool.is_revert {
            conversation.add_files(tool.turn, &finished_tool.files);
            return;
        }
        for turn in conversation.reverted_turns(tool.turn, &finished_tool.files) {
            self.update_turn(turn, change, |turn| turn.add_signal(SignalKind::Reverted, finished_tool.event));
        }
    }

    /// Folds `turn.has_ended`: marks the turn as ended, adds the signal of its status, and records the time in its
    /// conversation.
    fn apply_ended(&mut self, turn: &TurnEnded, change: SignalChange) {
        let key = self.update_turn(turn.turn, change, |turn_state| {
            turn_state.end(turn.status, change.event);
            (turn_state.session.clone(), turn_state.thread.clone())
        });
        if let Some(conversation) = key.and_then(|key| self.conversations.get_mut(&key)) {
            conversation.end_turn(turn.turn, change.at);
        }
    }

    /// Folds `eval.completed`: adds the verdict to the history of its turn. It does not count as a change of the
    /// signals.
    fn apply_verdict(&mut self, eval: &EvalCompleted) {
        if let Some(turn) = self.turns.get_mut(&eval.turn) {
            turn.verdicts.record(eval);
        }
    }
}

event_subset! {
    /// The events from which the evaluator derives signals about the quality of turns.
    pub enum EvidenceEvent {
        EvalCompleted,
        FeedbackGiven,
        LlmCallCompleted,
        LlmCallFailed,
        PatternOverrideDismissed,
        RouteOverridden,
        ToolCalled,
        ToolFinished,
        TurnEnded,
        TurnStarted,
    }
}

impl Projection for Evaluator {
    const NAME: &'static str = "evaluator";
    const VERSION: u32 = 2;
    type Events = Event;
    type Folded<'a> = EvidenceEvent<'a>;

    fn apply(&mut self, event: EvidenceEvent<'_>, recorded: &Recorded) {
        let id = recorded.event.id;
        let change = SignalChange { position: recorded.position, at: recorded.event.at, event: id };
        match event {
            EvidenceEvent::TurnStarted(turn) => self.apply_started(turn, change),
            EvidenceEvent::LlmCallCompleted(call) => {
                self.update_turn(call.turn, change, |turn| turn.add_call(call, id));
            }
            EvidenceEvent::LlmCallFailed(call) => {
                self.update_turn(call.turn, change, |turn| turn.add_failed_call(call.class, id));
            }
            EvidenceEvent::ToolCalled(tool) => {
                if let Some(turn) = self.turns.get_mut(&tool.turn) {
                    turn.start_tool(tool, id);
                }
            }
            EvidenceEvent::ToolFinished(tool) => self.apply_tool_finished(tool, change),
            EvidenceEvent::TurnEnded(turn) => self.apply_ended(turn, change),
            EvidenceEvent::EvalCompleted(eval) => self.apply_verdict(eval),
            EvidenceEvent::RouteOverridden(body) => {
                self.update_turn(body.turn, change, |turn| turn.reassign(body.model.clone(), id));
            }
            EvidenceEvent::PatternOverrideDismissed(body) => {
                self.update_turn(body.turn, change, |turn| turn.dismiss_recommendation(body.model.clone(), id));
            }
            EvidenceEvent::FeedbackGiven(feedback) => {
                let kind = match feedback.rating {
                    Rating::Up => SignalKind::RatingUp,
                    Rating::Down => SignalKind::RatingDown,
                };
                self.update_turn(feedback.turn, change, |turn| turn.add_signal(kind, id));
            }
        }
    }
}
