//! The projection: from events to what is known of each turn.

use std::collections::BTreeSet;

use contracts::{
    SessionId, ThreadId, Tone, TurnId,
    events::{
        EvalCompleted, FeedbackGiven, LlmCallCompleted, LlmCallFailed, PatternOverrideDismissed, Rating,
        RouteOverridden, SignalKind, ToolCalled, ToolFinished, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, Event as _, Position, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::{
    latest::Latest,
    line::{Line, Reaction},
    turn::{Change, JudgedTurn},
};

/// So many turns are remembered, and can still be reacted to.
const TURNS: u64 = 2_000;
/// So many lines of work are followed.
const LINES: u64 = 1_000;

/// What is known of the latest turns, and of how they went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluator {
    pub(crate) turns: Latest<TurnId, Box<JudgedTurn>>,
    /// The remembered turns that are over, by where something was last learned of them.
    pub(crate) changes: BTreeSet<(Position, TurnId)>,
    lines: Latest<(SessionId, Option<ThreadId>), Line>,
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::with_room(TURNS, LINES)
    }
}

impl Evaluator {
    /// One that forgets nothing: for going through a log once, in memory that grows with the turns.
    pub fn unbounded() -> Self {
        Self::with_room(u64::MAX, u64::MAX)
    }

    const fn with_room(turns: u64, lines: u64) -> Self {
        Self { turns: Latest::with_room(turns), changes: BTreeSet::new(), lines: Latest::with_room(lines) }
    }

    /// Whether a turn is remembered, so that what the user says about it still counts at once.
    pub fn remembers(&self, turn: TurnId) -> bool {
        self.turns.get(&turn).is_some()
    }

    /// Changes what is known of a turn.
    fn change<T>(&mut self, id: TurnId, change: Change, what: impl FnOnce(&mut JudgedTurn) -> T) -> Option<T> {
        let turn = self.turns.get_mut(&id)?;
        if turn.ended {
            self.changes.remove(&(turn.changed.position, id));
        }
        let done = what(turn);
        turn.changed = change;
        if turn.ended {
            self.changes.insert((change.position, id));
        }
        Some(done)
    }

    fn started(&mut self, turn: &TurnStarted, change: Change) {
        if self.turns.get(&turn.turn).is_some() {
            return;
        }
        let key = (turn.session.clone(), turn.thread.clone());
        let reaction = if let Some(line) = self.lines.renew(&key) {
            line.started(turn, change.at)
        } else {
            let mut line = Line::default();
            let reaction = line.started(turn, change.at);
            self.lines.insert(key, line);
            reaction
        };
        if let Some(reaction) = reaction {
            self.react(turn, reaction, change);
        }
        let judged = JudgedTurn::new(turn.session.clone(), turn.thread.clone(), change);
        if let Some((id, forgotten)) = self.turns.insert(turn.turn, Box::new(judged))
            && forgotten.ended
        {
            self.changes.remove(&(forgotten.changed.position, id));
        }
    }

    /// What a message shows about the turn before it.
    fn react(&mut self, next: &TurnStarted, reaction: Reaction, change: Change) {
        let Some(before) = self.turns.get(&reaction.to).and_then(|turn| turn.current()) else { return };
        let wants = next.override_model.as_ref().map(|wanted| &wanted.model).or(next.sticky.as_ref());
        let elsewhere = wants.is_some() && before.model().is_some() && wants != before.model();
        let corrects = next.tone == Tone::Correction;
        let refuses = reaction.repeats || corrects;
        // A message that is not known says nothing, and one after an interruption is no consent.
        let is_known = 0 < next.message_bytes || next.message_has_images;
        let consents = is_known && before.signals.has(SignalKind::Completed);
        let approves = next.tone == Tone::Approval;
        let shown = [
            (reaction.repeats, SignalKind::RepeatedRequest),
            (corrects, SignalKind::Corrected),
            (refuses && elsewhere, SignalKind::Reassigned),
            (!refuses && approves, SignalKind::Approved),
            (!refuses && !approves && consents, SignalKind::Continued),
        ];
        for (_, kind) in shown.into_iter().filter(|(is_shown, _)| *is_shown) {
            self.change(reaction.to, change, |turn| turn.notice(kind, change.event));
        }
    }

    /// A tool did its work on files.
    fn tool_finished(&mut self, tool: &ToolFinished, change: Change) {
        let done = self.change(tool.turn, change, |turn| {
            let line = (turn.session.clone(), turn.thread.clone());
            turn.tool_finished(tool, change.event).map(|running| (line, running))
        });
        let Some((key, running)) = done.flatten() else { return };
        let Some(line) = self.lines.get_mut(&key) else { return };
        if !running.reverts {
            line.wrote(tool.turn, &running.files);
            return;
        }
        for turn in line.taken_back(tool.turn, &running.files) {
            self.change(turn, change, |turn| turn.notice(SignalKind::Reverted, running.event));
        }
    }

    fn ended(&mut self, turn: &TurnEnded, change: Change) {
        let key = self.change(turn.turn, change, |judged| {
            judged.over(turn.status, change.event);
            (judged.session.clone(), judged.thread.clone())
        });
        if let Some(line) = key.and_then(|key| self.lines.get_mut(&key)) {
            line.over(turn.turn, change.at);
        }
    }

    /// Folds what the user says about a turn.
    fn told(&mut self, recorded: &Recorded, change: Change) -> Result<(), CodecError> {
        let event = change.event;
        match &*recorded.event.kind {
            RouteOverridden::KIND => {
                if let Some(body) = recorded.view::<RouteOverridden>()? {
                    self.change(body.turn, change, |turn| turn.redirected(body.model.clone(), event));
                }
            }
            PatternOverrideDismissed::KIND => {
                if let Some(body) = recorded.view::<PatternOverrideDismissed>()? {
                    self.change(body.turn, change, |turn| turn.kept(body.model.clone(), event));
                }
            }
            FeedbackGiven::KIND => {
                if let Some(feedback) = recorded.view::<FeedbackGiven>()? {
                    let kind = match feedback.rating {
                        Rating::Up => SignalKind::RatingUp,
                        Rating::Down => SignalKind::RatingDown,
                    };
                    self.change(feedback.turn, change, |turn| turn.notice(kind, event));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The log has a verdict: nothing new about the turn.
    fn judged(&mut self, eval: &EvalCompleted) {
        if let Some(turn) = self.turns.get_mut(&eval.turn) {
            turn.given.note(eval);
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
                    self.started(&turn, change);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(call) = recorded.view::<LlmCallCompleted>()? {
                    self.change(call.turn, change, |turn| turn.called(&call, event));
                }
            }
            LlmCallFailed::KIND => {
                if let Some(call) = recorded.view::<LlmCallFailed>()? {
                    self.change(call.turn, change, |turn| turn.call_failed(call.class, event));
                }
            }
            ToolCalled::KIND => {
                if let Some(tool) = recorded.view::<ToolCalled>()?
                    && let Some(turn) = self.turns.get_mut(&tool.turn)
                {
                    turn.tool_called(&tool, event);
                }
            }
            ToolFinished::KIND => {
                if let Some(tool) = recorded.view::<ToolFinished>()? {
                    self.tool_finished(&tool, change);
                }
            }
            TurnEnded::KIND => {
                if let Some(turn) = recorded.view::<TurnEnded>()? {
                    self.ended(&turn, change);
                }
            }
            EvalCompleted::KIND => {
                if let Some(eval) = recorded.view::<EvalCompleted>()? {
                    self.judged(&eval);
                }
            }
            _ => self.told(recorded, change)?,
        }
        Ok(())
    }
}
