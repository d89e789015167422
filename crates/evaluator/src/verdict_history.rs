//! The history of verdicts on a turn that the log already has.

use contracts::{ModelId, Score, events::EvalCompleted};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::Rubric;

/// The greatest number of pairs of model and rubric in a history. If an older verdict was dropped, it is created again
/// with the same id, which the log ignores.
const MAX_VERDICTS: usize = 32;

/// The last recorded verdict of a turn for each model and rubric, oldest pair first. A new verdict is recorded only if
/// it differs from that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct VerdictHistory {
    /// One entry for each pair of model and rubric, at most [`MAX_VERDICTS`].
    verdicts: Vec<RecordedVerdict>,
}

/// The recorded verdicts on one model's work under one version of a rubric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedVerdict {
    /// The model that did the work.
    model: ModelId,
    /// The name of the rubric.
    rubric: String,
    /// The version of the rubric.
    version: u16,
    /// The number of verdicts that the log has.
    pub(crate) count: u64,
    /// The digest of the last recorded verdict.
    pub(crate) last_digest: VerdictDigest,
}

/// The parts of a verdict that can change, for comparison with a later verdict. Signals are only added, or a rating is
/// replaced, so their number and the last one identify the list of signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerdictDigest {
    /// The score of the verdict.
    score: Score,
    /// The confidence of the verdict.
    confidence: Score,
    /// The number of signals, including those omitted from the event.
    signals: u64,
    /// The event of the last listed signal; `None` without a signal.
    last_signal: Option<EventId>,
}

impl VerdictDigest {
    /// Returns the digest of a recorded verdict, with which later verdicts on the same turn are compared.
    pub(crate) fn from_event(eval: &EvalCompleted) -> Self {
        Self {
            score: eval.score,
            confidence: eval.confidence,
            signals: eval.signals.len() as u64 + u64::from(eval.signals_omitted),
            last_signal: eval.signals.last().map(|signal| signal.event),
        }
    }
}

impl VerdictHistory {
    /// Returns the recorded verdicts on a model's work under a rubric; `None` if there are none.
    pub(crate) fn recorded_verdicts(&self, model: &ModelId, rubric: &Rubric) -> Option<&RecordedVerdict> {
        self.verdicts.iter().find(|recorded| recorded.matches(model, rubric.name(), rubric.version()))
    }

    /// Adds a verdict that the log records. Ignores a verdict without a model, which was not created by this evaluator.
    pub(crate) fn record(&mut self, eval: &EvalCompleted) {
        let last_digest = VerdictDigest::from_event(eval);
        let Some(model) = &eval.model else { return };
        let mut verdicts = self.verdicts.iter_mut();
        if let Some(verdict) = verdicts.find(|verdict| verdict.matches(model, &eval.rubric, eval.rubric_version)) {
            (verdict.count, verdict.last_digest) = (verdict.count.saturating_add(1), last_digest);
            return;
        }
        if MAX_VERDICTS <= self.verdicts.len() {
            self.verdicts.remove(0);
        }
        let (model, rubric, version) = (model.clone(), eval.rubric.clone(), eval.rubric_version);
        self.verdicts.push(RecordedVerdict { model, rubric, version, count: 1, last_digest });
    }
}

impl RecordedVerdict {
    /// Whether these are the verdicts on the work of `model` under this version of a rubric.
    fn matches(&self, model: &ModelId, rubric: &str, version: u16) -> bool {
        self.model == *model && self.rubric == rubric && self.version == version
    }
}
