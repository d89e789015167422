//! Re-evaluation: computes the verdicts on all turns of the log again under a rubric (the weights of the evidence),
//! which may come from the user's file.

use std::path::{Path, PathBuf};

use adapters::read_own_file;
use contracts::Score;
use evaluator::{DueVerdict, Evaluator, Rubric};
use event_bus::EventLog;
use event_core::{Position, Projection as _};
use patterns::MIN_EVAL_CONFIDENCE;
use serde::Serialize;

use crate::{engine::Engine, error::EngineError, insight::events};

/// The largest accepted rubric file, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The result of evaluating all turns of the log again under one rubric: counts of the verdicts and their mean score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evaluation {
    /// The name of the rubric.
    pub rubric: String,
    /// The version of the rubric.
    pub version: u16,
    /// The number of verdicts: one for each ended turn and each model that responded in it.
    pub judged: u64,
    /// The number of these verdicts that were recorded, because they were new or differed from the log's.
    pub recorded: u64,
    /// The number of verdicts with at least [`MIN_EVAL_CONFIDENCE`], which recommendations take into account.
    pub counted: u64,
    /// The mean score of the verdicts in `counted`; `None` if there are none.
    pub mean: Option<Score>,
}

/// The error of reading a rubric (the weights of the evidence about turns) from a file.
#[derive(Debug, thiserror::Error)]
pub enum RubricFileError {
    /// The file cannot be read.
    #[error("cannot read `{path}`")]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is longer than 64 KiB or is not a valid rubric.
    #[error("`{path}` is not a rubric: {problem}")]
    Rubric {
        /// The path of the file.
        path: PathBuf,
        /// The problem, for the user.
        problem: String,
    },
}

/// Reads a rubric, the weights of the evidence about turns, from a YAML file.
///
/// # Errors
/// [`RubricFileError::File`] if the file cannot be read, [`RubricFileError::Rubric`] if it is longer than 64 KiB or is
/// not a valid rubric.
pub fn read_rubric(path: &Path) -> Result<Rubric, RubricFileError> {
    let file_error = |source| RubricFileError::File { path: path.to_owned(), source };
    let bytes = std::fs::metadata(path).map_err(file_error)?.len();
    if MAX_FILE_BYTES < bytes {
        let problem = format!("it has {bytes} bytes, the most is {MAX_FILE_BYTES}");
        return Err(RubricFileError::Rubric { path: path.to_owned(), problem });
    }
    let text = read_own_file(path).map_err(file_error)?;
    let parsed = serde_saphyr::from_str(&text);
    parsed.map_err(|error| RubricFileError::Rubric { path: path.to_owned(), problem: error.to_string() })
}

/// A re-evaluation in progress: reads the log from its first event and computes the verdicts on its turns under one
/// rubric.
#[derive(Debug)]
pub struct Reevaluation {
    /// The rubric of the new verdicts.
    rubric: Rubric,
    /// The evidence about all turns of the folded events, without a limit on their number.
    evaluator: Evaluator,
    /// The position of the last folded event.
    position: Position,
    /// The number of verdicts returned so far that the log did not have.
    recorded: u64,
}

impl Reevaluation {
    /// Creates a re-evaluation that has not read any event yet.
    pub fn new(rubric: Rubric) -> Self {
        Self { rubric, evaluator: Evaluator::unbounded(), position: Position::ORIGIN, recorded: 0 }
    }

    /// Reads the events since the last call, and returns the verdicts under the rubric that differ from the last ones
    /// in the log.
    ///
    /// The caller records them and calls again, since another process may have appended events in between. The
    /// re-evaluation is complete when no verdicts are returned.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub fn advance(&mut self, log: &dyn EventLog) -> Result<Vec<DueVerdict>, EngineError> {
        for event in events(log, self.position) {
            let event = event?;
            self.evaluator.apply_recorded(&event)?;
            self.position = event.position;
        }
        let due = self.evaluator.due_verdicts(&self.rubric, Position::ORIGIN);
        self.recorded += due.len() as u64;
        Ok(due)
    }

    /// Returns the counts of all verdicts, and their mean score.
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
    /// Records verdicts on turns, in addition to earlier ones in the log. Durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_verdicts(&mut self, verdicts: Vec<DueVerdict>) -> Result<(), EngineError> {
        self.recorder.record(verdicts.into_iter().map(DueVerdict::seal).collect::<Result<Vec<_>, _>>()?)
    }
}
