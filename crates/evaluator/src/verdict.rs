//! Computation of verdicts on turns, and selection of the verdicts that are not in the log yet.

use std::sync::Arc;

use contracts::{ModelId, Sealed, TurnId, events::EvalCompleted};
use event_core::{CodecError, EventId, EventType as _, Position, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Evaluator, Rubric, turn::EvaluatedTurn, verdict_history::VerdictDigest, work::EvaluatedWork};

/// A verdict that is not in the log yet.
///
/// Its id depends only on the log: evaluating the same log again results in the same event, and the log stores it once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueVerdict {
    /// The event id, derived from turn, rubric, model, the number of earlier verdicts, score and confidence.
    pub id: EventId,
    /// The time of the event that last changed the signals about the turn.
    pub at: Timestamp,
    /// The id of the event that last changed the signals about the turn.
    pub causation: EventId,
    /// The content of the verdict.
    pub event: EvalCompleted,
}

impl DueVerdict {
    /// Encodes the event for the log, with the turn as its correlation id.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the event exceeds the size limit of payloads, which the limit of 64 signals prevents.
    pub fn seal(self) -> Result<Sealed, CodecError> {
        let turn = self.event.turn.0;
        Ok(Sealed::new(self.id, self.at, turn, Arc::new(self.event))?.caused_by(self.causation))
    }
}

impl Evaluator {
    /// Returns the verdicts to append to the log: those that differ from the last recorded verdict on the work of the
    /// same model. Considers ended turns whose signals changed after the position `after`, in the order of these
    /// changes. Turns without an answered call have no verdict.
    ///
    /// A caller that calls it after every event passes the position of its previous call; [`Position::ORIGIN`] selects
    /// all turns.
    pub fn due_verdicts(&self, rubric: &Rubric, after: Position) -> Vec<DueVerdict> {
        let changed = self.changes.range((after.next(), TurnId::default())..);
        let turns = changed.filter_map(|(_, id)| Some((*id, self.turns.get(id)?)));
        turns.flat_map(|(id, turn)| due_verdicts_of_turn(id, turn, rubric)).collect()
    }

    /// Computes the current verdicts on all ended turns in memory, whether or not the log has them.
    pub fn all_verdicts(&self, rubric: &Rubric) -> impl Iterator<Item = EvalCompleted> {
        self.changes.iter().flat_map(move |(_, id)| self.verdicts(*id, rubric))
    }

    /// Computes the current verdict on each model's work in a turn, whether or not the log has it. Empty if the turn is
    /// not in memory or has not ended.
    pub fn verdicts(&self, turn: TurnId, rubric: &Rubric) -> Vec<EvalCompleted> {
        let Some(turn_state) = self.turns.get(&turn).filter(|turn_state| turn_state.has_ended) else {
            return Vec::new();
        };
        turn_state
            .works_by_model()
            .map(|(model, work)| compute_verdict(turn, turn_state, model, work, rubric))
            .collect()
    }
}

/// Returns the verdicts on one turn that differ from the last recorded ones, at most one for each model.
fn due_verdicts_of_turn<'a>(
    id: TurnId,
    turn: &'a EvaluatedTurn,
    rubric: &'a Rubric,
) -> impl Iterator<Item = DueVerdict> + 'a {
    turn.works_by_model().filter_map(move |(model, work)| {
        let event = compute_verdict(id, turn, model, work, rubric);
        let recorded_verdict = turn.verdicts.recorded_verdicts(model, rubric);
        if recorded_verdict
            .is_some_and(|recorded_verdict| recorded_verdict.last_digest == VerdictDigest::from_event(&event))
        {
            return None;
        }
        let number = recorded_verdict.map_or(0, |recorded_verdict| recorded_verdict.count);
        let id = verdict_id(&event, number);
        Some(DueVerdict { id, at: turn.last_change.at, causation: turn.last_change.event, event })
    })
}

/// Computes the verdict on one model's work in a turn under a rubric.
fn compute_verdict(
    id: TurnId,
    turn: &EvaluatedTurn,
    model: &ModelId,
    work: &EvaluatedWork,
    rubric: &Rubric,
) -> EvalCompleted {
    let (score, confidence) = rubric.evaluate(&work.signals);
    EvalCompleted {
        turn: id,
        session: turn.session.clone(),
        model: Some(model.clone()),
        score,
        confidence,
        rubric: rubric.name().to_owned(),
        rubric_version: rubric.version(),
        signals: work.signals.entries().to_vec(),
        signals_omitted: work.signals.omitted(),
    }
}

/// Derives the id of a verdict's event from its content. `number` is the number of earlier verdicts in the log on the
/// same model's work under the same rubric.
fn verdict_id(event: &EvalCompleted, number: u64) -> EventId {
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
