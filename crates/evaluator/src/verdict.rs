//! The verdicts that the log does not tell yet.

use std::sync::Arc;

use contracts::{ModelId, TurnId, events::EvalCompleted};
use event_core::{CodecError, Event as _, EventId, Position, Sealed, Timestamp};

use crate::{Evaluator, Rubric, given::Content, turn::JudgedTurn, work::Work};

/// An event to append, complete but for its encoding.
///
/// Everything in it follows from events of the log: whoever asks, and however often, it is the same event with the same id,
/// and the log keeps it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Derived from the turn, the rubric, the number of the verdict and what it says.
    pub id: EventId,
    /// When the last thing behind it happened.
    pub at: Timestamp,
    /// The event that changed the verdict.
    pub causation: EventId,
    /// What it tells.
    pub event: EvalCompleted,
}

impl Verdict {
    /// The event, sealed for the log.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when it is larger than a payload may be, which 64 signals never are.
    pub fn seal(self) -> Result<Sealed, CodecError> {
        let turn = self.event.turn.0;
        Ok(Sealed::new(self.id, self.at, turn, Arc::new(self.event))?.caused_by(self.causation))
    }
}

impl Evaluator {
    /// The verdicts under a rubric that differ from the last ones of the log, on turns that are over and of which
    /// something was learned after a position; in the order of the log. Turns that nobody answered have none.
    ///
    /// Whoever asks after every event gives the position of the asking before; [`Position::ORIGIN`] asks about all.
    /// Asking changes nothing.
    pub fn due(&self, rubric: &Rubric, after: Position) -> Vec<Verdict> {
        let changed = self.changes.range((after.next(), TurnId::default())..);
        let turns = changed.filter_map(|(_, id)| Some((*id, self.turns.get(id)?)));
        turns.flat_map(|(id, turn)| verdicts(id, turn, rubric)).collect()
    }

    /// The verdicts under a rubric on all turns that are over, whether the log has them or not.
    pub fn all(&self, rubric: &Rubric) -> impl Iterator<Item = EvalCompleted> {
        self.changes.iter().flat_map(move |(_, id)| self.verdicts(*id, rubric))
    }

    /// The verdicts on a turn under a rubric as of now, whether the log has them or not.
    pub fn verdicts(&self, turn: TurnId, rubric: &Rubric) -> Vec<EvalCompleted> {
        let Some(judged) = self.turns.get(&turn).filter(|judged| judged.ended) else { return Vec::new() };
        judged.judgeable().map(|(model, work)| judge(turn, judged, model, work, rubric)).collect()
    }
}

fn verdicts<'a>(id: TurnId, turn: &'a JudgedTurn, rubric: &'a Rubric) -> impl Iterator<Item = Verdict> + 'a {
    turn.judgeable().filter_map(move |(model, work)| {
        let event = judge(id, turn, model, work, rubric);
        let given = turn.given.get(model, rubric);
        if given.is_some_and(|given| given.last == Content::of(&event)) {
            return None;
        }
        let number = given.map_or(0, |given| given.count);
        Some(Verdict { id: identity(&event, number), at: turn.changed.at, causation: turn.changed.event, event })
    })
}

fn judge(id: TurnId, turn: &JudgedTurn, model: &ModelId, work: &Work, rubric: &Rubric) -> EvalCompleted {
    let (score, confidence) = rubric.weigh(&work.signals);
    EvalCompleted {
        turn: id,
        session: turn.session.clone(),
        model: Some(model.clone()),
        score,
        confidence,
        rubric: rubric.name().to_owned(),
        rubric_version: rubric.version(),
        signals: work.signals.listed().to_vec(),
        signals_omitted: work.signals.omitted(),
    }
}

fn identity(event: &EvalCompleted, number: u64) -> EventId {
    let model = event.model.as_ref().map_or("", contracts::ModelId::as_str);
    EventId::derive(&[
        &event.turn.0.0,
        EvalCompleted::KIND.as_bytes(),
        event.rubric.as_bytes(),
        &event.rubric_version.to_le_bytes(),
        model.as_bytes(),
        &number.to_le_bytes(),
        &event.score.0.to_le_bytes(),
        &event.confidence.0.to_le_bytes(),
    ])
}
