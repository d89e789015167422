//! `patterns evaluate`: evaluates every turn of the log again, under the built-in rubric or one from a file.

use std::path::PathBuf;

use control::RecordVerdicts;
use engine::{Evaluation, Reevaluation, read_rubric};
use evaluator::Rubric;

use crate::{
    context::Context,
    failure::Failure,
    screen::{count_noun, outln},
};

/// Evaluates every turn of the log under a rubric (the weights of the signals), and records the verdicts that differ
/// from those in the log. Repeats this until none differs, because a running gateway may add events in between. Returns
/// the counts of all verdicts.
fn reevaluate(context: &Context, rubric: Rubric) -> Result<Evaluation, Failure> {
    let mut writer = context.writer()?;
    let log = context.log_reader()?;
    let mut reevaluation = Reevaluation::new(rubric);
    loop {
        let verdicts = reevaluation.advance(log.as_ref())?;
        if verdicts.is_empty() {
            break;
        }
        for part in verdicts.chunks(RecordVerdicts::MAX) {
            writer.execute(RecordVerdicts { verdicts: part.to_vec() })?;
        }
    }
    writer.close()?;
    Ok(reevaluation.summary())
}

/// Evaluates every turn of the log under the rubric in a file, or the built-in one. Records the verdicts that differ
/// from those in the log, and prints the number of verdicts and the mean score.
///
/// # Errors
/// [`Failure::Invalid`] for an invalid rubric.
pub(crate) fn run(context: &Context, rubric: Option<PathBuf>) -> Result<(), Failure> {
    let rubric = match rubric {
        Some(path) => read_rubric(&path).map_err(|error| Failure::Invalid(error.to_string()))?,
        None => Rubric::built_in(),
    };
    let evaluation = reevaluate(context, rubric)?;
    context.print(&evaluation, || {
        let (verdicts, recorded) = (count_noun(evaluation.judged, "verdict"), evaluation.recorded);
        outln!("{verdicts} under `{}` version {}, {recorded} of them new.", evaluation.rubric, evaluation.version);
        match evaluation.mean {
            Some(mean) => outln!("{} sure enough to count, mean score {mean}.", evaluation.counted),
            None => outln!("None is sure enough to count."),
        }
    })
}
