//! `patterns evaluate`: every turn of the log judged anew, under the built-in rubric or one of the user's own.

use std::path::PathBuf;

use engine::read_rubric;
use evaluator::Rubric;

use crate::{context::Context, failure::Failure, screen::counted};

pub(crate) fn run(context: &Context, rubric: Option<PathBuf>) -> Result<(), Failure> {
    let rubric = match rubric {
        Some(path) => read_rubric(&path).map_err(|error| Failure::Wrong(error.to_string()))?,
        None => Rubric::built_in(),
    };
    let mut engine = context.engine()?;
    let found = engine.evaluate(&rubric)?;
    engine.close()?;
    context.print(&found, || {
        let (judged, recorded) = (counted(found.judged, "verdict"), found.recorded);
        anstream::println!("{judged} under `{}` version {}, {recorded} of them new.", found.rubric, found.version);
        match found.mean {
            Some(mean) => anstream::println!("{} sure enough to count, mean score {mean}.", found.counted),
            None => anstream::println!("None is sure enough to count."),
        }
    })
}
