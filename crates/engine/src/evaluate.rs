//! The log judged anew: re-evaluation is a replay.

use std::path::{Path, PathBuf};

use contracts::Score;
use evaluator::{DueVerdict, Evaluator, Rubric};
use event_core::{Position, Projection as _};
use patterns::MIN_EVAL_CONFIDENCE;
use serde::Serialize;

use crate::{engine::Engine, error::EngineError, insight::events};

/// The longest file of a rubric that is read, in bytes.
const LONGEST_FILE: u64 = 64 * 1024;

/// What judging a log anew brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evaluation {
    /// The rubric.
    pub rubric: String,
    /// Its version.
    pub version: u16,
    /// Works judged: turns that are over, once for each model that worked on them.
    pub judged: u64,
    /// Verdicts that the log did not have, or had otherwise; they are recorded now.
    pub recorded: u64,
    /// Works with a verdict sure enough to count.
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

impl Engine {
    /// Judges every turn of the log under a rubric, from its first event on, and records the verdicts that differ from the
    /// last ones under that rubric. What was recorded stays.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be read or written.
    pub fn evaluate(&mut self, rubric: &Rubric) -> Result<Evaluation, EngineError> {
        self.commit()?;
        let mut evaluator = Evaluator::unbounded();
        for event in events(self.log().as_ref(), Position::ORIGIN) {
            evaluator.apply(&event?)?;
        }
        let due = evaluator.due(rubric, Position::ORIGIN);
        let recorded = due.len() as u64;
        self.recorder.record(due.into_iter().map(DueVerdict::seal).collect::<Result<Vec<_>, _>>()?)?;
        self.commit()?;
        let (mut judged, mut counted, mut sum) = (0, 0, 0);
        for verdict in evaluator.all_verdicts(rubric) {
            judged += 1;
            if MIN_EVAL_CONFIDENCE <= verdict.confidence {
                counted += 1;
                sum += u128::from(verdict.score.0);
            }
        }
        let mean = sum.checked_div(u128::from(counted)).and_then(|mean| u64::try_from(mean).ok()).map(Score);
        let (rubric, version) = (rubric.name().to_owned(), rubric.version());
        Ok(Evaluation { rubric, version, judged, recorded, counted, mean })
    }
}
