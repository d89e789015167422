//! Re-evaluation: every turn of the log judged under a rubric, from the first event.

use std::path::{Path, PathBuf};

use contracts::Score;
use evaluator::{DueVerdict, Evaluator, Rubric};
use event_bus::EventLog;
use event_core::{Position, Projection as _};
use patterns::MIN_EVAL_CONFIDENCE;
use serde::Serialize;

use crate::{engine::Engine, error::EngineError, insight::events};

/// The longest file of a rubric that is read, in bytes.
const LONGEST_FILE: u64 = 64 * 1024;

/// The result of a re-evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evaluation {
    /// The rubric.
    pub rubric: String,
    /// Its version.
    pub version: u16,
    /// Verdicts: one for each turn that is over and each model that answered in it.
    pub judged: u64,
    /// Verdicts that were new, or differed from the log's; they are recorded.
    pub recorded: u64,
    /// Verdicts with enough confidence to count.
    pub counted: u64,
    /// The mean score of those; `None` when there are none.
    pub mean: Option<Score>,
}

/// Why the file of a rubric cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RubricFileError {
    /// It cannot be read, or is longer than 64 KiB.
    #[error("cannot read `{path}`")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no rubric.
    #[error("`{path}` is not a rubric: {problem}")]
    Rubric {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// A rubric from a YAML file.
///
/// # Errors
/// [`RubricFileError`] when it cannot be read or used.
pub fn read_rubric(path: &Path) -> Result<Rubric, RubricFileError> {
    let file = |source| RubricFileError::File { path: path.to_owned(), source };
    let bytes = std::fs::metadata(path).map_err(file)?.len();
    if LONGEST_FILE < bytes {
        let problem = format!("it has {bytes} bytes, the most is {LONGEST_FILE}");
        return Err(RubricFileError::Rubric { path: path.to_owned(), problem });
    }
    let text = std::fs::read_to_string(path).map_err(file)?;
    let read = serde_saphyr::from_str(&text);
    read.map_err(|error| RubricFileError::Rubric { path: path.to_owned(), problem: error.to_string() })
}

/// Evaluates every turn of a log under one rubric, from its first event.
#[derive(Debug)]
pub struct Reevaluation {
    rubric: Rubric,
    evaluator: Evaluator,
    /// The last event that was folded.
    position: Position,
    /// Verdicts that the log did not have.
    recorded: u64,
}

impl Reevaluation {
    /// Starts before the first event.
    pub fn new(rubric: Rubric) -> Self {
        Self { rubric, evaluator: Evaluator::unbounded(), position: Position::ORIGIN, recorded: 0 }
    }

    /// Folds the events that the log has gained since the last call, and returns the verdicts that differ from the log's
    /// last ones under the rubric. They have to be recorded before the next call, which then returns those that events of
    /// another process have changed meanwhile, or none.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be read.
    pub fn advance(&mut self, log: &dyn EventLog) -> Result<Vec<DueVerdict>, EngineError> {
        for event in events(log, self.position) {
            let event = event?;
            self.evaluator.apply(&event)?;
            self.position = event.position;
        }
        let due = self.evaluator.due_verdicts(&self.rubric, Position::ORIGIN);
        self.recorded += due.len() as u64;
        Ok(due)
    }

    /// The counts over all turns.
    pub fn summary(&self) -> Evaluation {
        let (mut judged, mut counted, mut sum) = (0, 0, 0);
        for verdict in self.evaluator.all_verdicts(&self.rubric) {
            judged += 1;
            if MIN_EVAL_CONFIDENCE <= verdict.confidence {
                counted += 1;
                sum += u128::from(verdict.score.0);
            }
        }
        let mean = sum.checked_div(u128::from(counted)).and_then(|mean| u64::try_from(mean).ok()).map(Score);
        let (rubric, version) = (self.rubric.name().to_owned(), self.rubric.version());
        Evaluation { rubric, version, judged, recorded: self.recorded, counted, mean }
    }
}

impl Engine {
    /// Records verdicts on turns; earlier ones stay in the log. They are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn record_verdicts(&mut self, verdicts: Vec<DueVerdict>) -> Result<(), EngineError> {
        self.recorder.record(verdicts.into_iter().map(DueVerdict::seal).collect::<Result<Vec<_>, _>>()?)
    }
}
