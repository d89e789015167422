//! The verdicts that the log has on a turn.

use contracts::{ModelId, Score, events::EvalCompleted};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::Rubric;

/// So many verdicts of a turn are remembered, one for each model and rubric. One that was forgotten is given again, with
/// the same id.
const MOST_VERDICTS: usize = 32;

/// The last verdict by each model and rubric, the one given first in front.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Given {
    verdicts: Vec<GivenVerdict>,
}

/// The verdicts on one model's work under one rubric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenVerdict {
    model: ModelId,
    rubric: String,
    version: u16,
    /// How many there were.
    pub(crate) count: u64,
    /// What the last one says.
    pub(crate) last: Content,
}

/// What two verdicts on the same work can differ in. Signals are only ever added, or a rating replaced, so the last one
/// and their number tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    score: Score,
    confidence: Score,
    signals: u64,
    last: Option<EventId>,
}

impl Content {
    pub(crate) fn of(eval: &EvalCompleted) -> Self {
        Self {
            score: eval.score,
            confidence: eval.confidence,
            signals: eval.signals.len() as u64 + u64::from(eval.signals_omitted),
            last: eval.signals.last().map(|signal| signal.event),
        }
    }
}

impl Given {
    /// What was given on a model's work under a rubric.
    pub(crate) fn get(&self, model: &ModelId, rubric: &Rubric) -> Option<&GivenVerdict> {
        self.verdicts.iter().find(|given| given.is(model, rubric.name(), rubric.version()))
    }

    /// Notes a verdict of the log. One that names no model is somebody else's.
    pub(crate) fn note(&mut self, eval: &EvalCompleted) {
        let last = Content::of(eval);
        let Some(model) = &eval.model else { return };
        let known = self.verdicts.iter_mut().find(|given| given.is(model, &eval.rubric, eval.rubric_version));
        if let Some(given) = known {
            (given.count, given.last) = (given.count.saturating_add(1), last);
            return;
        }
        if MOST_VERDICTS <= self.verdicts.len() {
            self.verdicts.remove(0);
        }
        let (model, rubric, version) = (model.clone(), eval.rubric.clone(), eval.rubric_version);
        self.verdicts.push(GivenVerdict { model, rubric, version, count: 1, last });
    }
}

impl GivenVerdict {
    fn is(&self, model: &ModelId, rubric: &str, version: u16) -> bool {
        self.model == *model && self.rubric == rubric && self.version == version
    }
}
