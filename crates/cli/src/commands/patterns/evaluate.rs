//! `patterns evaluate`: evaluates every turn of the log again, under the built-in rubric or one from a file.

use std::path::PathBuf;

use control::RecordVerdicts;
use engine::{Evaluation, Reevaluation, read_rubric};
use evaluator::Rubric;

use crate::{context::Context, failure::Failure, screen::counted};

/// Evaluates every turn under a rubric and records the verdicts that differ from those in the log. Repeats until none
/// differs, because a running gateway may add events in between.
fn reevaluate(context: &Context, rubric: Rubric) -> Result<Evaluation, Failure> {
    let mut writer = context.writer()?;
    let log = context.read_only()?;
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

pub(crate) fn run(context: &Context, rubric: Option<PathBuf>) -> Result<(), Failure> {
    let rubric = match rubric {
        Some(path) => read_rubric(&path).map_err(|error| Failure::Invalid(error.to_string()))?,
        None => Rubric::built_in(),
    };
    let found = reevaluate(context, rubric)?;
    context.print(&found, || {
        let (judged, recorded) = (counted(found.judged, "verdict"), found.recorded);
        anstream::println!("{judged} under `{}` version {}, {recorded} of them new.", found.rubric, found.version);
        match found.mean {
            Some(mean) => anstream::println!("{} sure enough to count, mean score {mean}.", found.counted),
            None => anstream::println!("None is sure enough to count."),
        }
    })
}
