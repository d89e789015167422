//! The projection [`Evaluator`]: folds events into the signals of recent turns.

use std::collections::BTreeSet;

use contracts::{
    BoundedMap, SessionId, Thread, Tone, TurnId,
    events::{
        EvalCompleted, FeedbackGiven, LlmCallCompleted, LlmCallFailed, PatternOverrideDismissed, Rating,
        RouteOverridden, SignalKind, ToolCalled, ToolFinished, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, EventType as _, Position, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::{
    conversation::{Conversation, Reaction},
    turn::{Change, JudgedTurn},
};

/// The greatest number of turns in memory; beyond it the oldest is dropped, and its later signals are ignored.
const MAX_TURNS: usize = 2_000;
/// The greatest number of conversations (threads of sessions) in memory; beyond it the least recently continued is
/// dropped.
const MAX_CONVERSATIONS: usize = 1_000;

/// The projection that folds events into the signals of recent turns, from which verdicts are computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluator {
    /// The greatest number of turns in memory.
    max_turns: usize,
    /// The recent turns with their signals, by id.
    pub(crate) turns: BoundedMap<TurnId, Box<JudgedTurn>>,
    /// The ended turns by the position of their last change, so that those changed since a position are found without a
    /// scan.
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

    /// Returns whether a turn is in memory, so that feedback on it changes its verdicts.
    pub fn contains(&self, turn: TurnId) -> bool {
        self.turns.get(&turn).is_some()
    }

    /// Applies an update to a turn and records the change. Returns the result of the update; `None` if the turn is not
    /// in memory.
    fn update_turn<T>(&mut self, id: TurnId, change: Change, update: impl FnOnce(&mut JudgedTurn) -> T) -> Option<T> {
        let turn = self.turns.get_mut(&id)?;
        if turn.ended {
            self.changes.remove(&(turn.last_change.position, id));
        }
        let result = update(turn);
        turn.last_change = change;
        if turn.ended {
            self.changes.insert((change.position, id));
        }
        Some(result)
    }

    /// Adds a new turn to its conversation, and its reaction as signals to the previous turn. Ignores a turn that is
    /// already known.
    fn apply_started(&mut self, turn: &TurnStarted, change: Change) {
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
        let judged = JudgedTurn::new(turn.session.clone(), turn.thread.clone(), change);
        if let Some((id, evicted)) = self.turns.insert(turn.turn, Box::new(judged), self.max_turns)
            && evicted.ended
        {
            self.changes.remove(&(evicted.last_change.position, id));
        }
    }

    /// Adds the signals of a new message to the previous turn: repeated request, correction, change of model, approval
    /// or continuation.
    fn apply_reaction(&mut self, next: &TurnStarted, reaction: Reaction, change: Change) {
        let Some(previous) = self.turns.get(&reaction.to).and_then(|turn| turn.current_work()) else { return };
        let requested = next.override_model.as_ref().map(|requested| &requested.model).or(next.sticky.as_ref());
        let changes_model = requested.is_some() && previous.model().is_some() && requested != previous.model();
        let corrects = next.tone == Tone::Correction;
        let rejects = reaction.repeats || corrects;
        // A message of unknown content, or after an interruption, does not imply consent.
        let is_known = 0 < next.message_bytes || next.message_has_images;
        let consents = is_known && previous.signals.contains(SignalKind::Completed);
        let approves = next.tone == Tone::Approval;
        let signals = [
            (reaction.repeats, SignalKind::RepeatedRequest),
            (corrects, SignalKind::Corrected),
            (rejects && changes_model, SignalKind::Reassigned),
            (!rejects && approves, SignalKind::Approved),
            (!rejects && !approves && consents, SignalKind::Continued),
        ];
        for (_, kind) in signals.into_iter().filter(|(is_present, _)| *is_present) {
            self.update_turn(reaction.to, change, |turn| turn.add_signal(kind, change.event));
        }
    }

    /// Adds the signal of a finished tool, and records the files it wrote or the turns it reverted.
    fn apply_tool_finished(&mut self, tool: &ToolFinished, change: Change) {
        let finished = self.update_turn(tool.turn, change, |turn| {
            let conversation = (turn.session.clone(), turn.thread.clone());
            turn.finish_tool(tool, change.event).map(|finished| (conversation, finished))
        });
        let Some((key, finished)) = finished.flatten() else { return };
        let Some(conversation) = self.conversations.get_mut(&key) else { return };
        if !finished.reverts {
            conversation.add_files(tool.turn, &finished.files);
            return;
        }
        for turn in conversation.reverted_turns(tool.turn, &finished.files) {
            self.update_turn(turn, change, |turn| turn.add_signal(SignalKind::Reverted, finished.event));
        }
    }

    /// Marks a turn as ended and records the time in its conversation.
    fn apply_ended(&mut self, turn: &TurnEnded, change: Change) {
        let key = self.update_turn(turn.turn, change, |judged| {
            judged.end(turn.status, change.event);
            (judged.session.clone(), judged.thread.clone())
        });
        if let Some(conversation) = key.and_then(|key| self.conversations.get_mut(&key)) {
            conversation.end_turn(turn.turn, change.at);
        }
    }

    /// Applies the events of user feedback: reassignments, dismissed suggestions and ratings; ignores all others. Fails
    /// if the event cannot be decoded.
    fn apply_feedback(&mut self, recorded: &Recorded, change: Change) -> Result<(), CodecError> {
        let event = change.event;
        match &*recorded.event.kind {
            RouteOverridden::KIND => {
                if let Some(body) = recorded.view::<RouteOverridden>()? {
                    self.update_turn(body.turn, change, |turn| turn.reassign(body.model.clone(), event));
                }
            }
            PatternOverrideDismissed::KIND => {
                if let Some(body) = recorded.view::<PatternOverrideDismissed>()? {
                    self.update_turn(body.turn, change, |turn| turn.keep_model(body.model.clone(), event));
                }
            }
            FeedbackGiven::KIND => {
                if let Some(feedback) = recorded.view::<FeedbackGiven>()? {
                    let kind = match feedback.rating {
                        Rating::Up => SignalKind::RatingUp,
                        Rating::Down => SignalKind::RatingDown,
                    };
                    self.update_turn(feedback.turn, change, |turn| turn.add_signal(kind, event));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a recorded verdict to its turn; this does not count as a change of the signals.
    fn apply_verdict(&mut self, eval: &EvalCompleted) {
        if let Some(turn) = self.turns.get_mut(&eval.turn) {
            turn.verdicts.add(eval);
        }
    }
}

impl Projection for Evaluator {
    const NAME: &'static str = "evaluator";
    const VERSION: u32 = 2;

    fn apply(&mut self, recorded: &Recorded) -> Result<(), CodecError> {
        let event = recorded.event.id;
        let change = Change { position: recorded.position, at: recorded.event.at, event };
        match &*recorded.event.kind {
            TurnStarted::KIND => {
                if let Some(turn) = recorded.view::<TurnStarted>()? {
                    self.apply_started(&turn, change);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(call) = recorded.view::<LlmCallCompleted>()? {
                    self.update_turn(call.turn, change, |turn| turn.add_call(&call, event));
                }
            }
            LlmCallFailed::KIND => {
                if let Some(call) = recorded.view::<LlmCallFailed>()? {
                    self.update_turn(call.turn, change, |turn| turn.add_failed_call(call.class, event));
                }
            }
            ToolCalled::KIND => {
                if let Some(tool) = recorded.view::<ToolCalled>()?
                    && let Some(turn) = self.turns.get_mut(&tool.turn)
                {
                    turn.start_tool(&tool, event);
                }
            }
            ToolFinished::KIND => {
                if let Some(tool) = recorded.view::<ToolFinished>()? {
                    self.apply_tool_finished(&tool, change);
                }
            }
            TurnEnded::KIND => {
                if let Some(turn) = recorded.view::<TurnEnded>()? {
                    self.apply_ended(&turn, change);
                }
            }
            EvalCompleted::KIND => {
                if let Some(eval) = recorded.view::<EvalCompleted>()? {
                    self.apply_verdict(&eval);
                }
            }
            _ => self.apply_feedback(recorded, change)?,
        }
        Ok(())
    }
}
