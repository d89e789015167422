//! Benchmark of the ranking of skills.
//!
//! A set has skills with descriptions, and requests with the skill that each needs, or none. Rankers are trained on the
//! training requests (or none) and ranked on the test requests. A plain BM25 over the descriptions is ranked
//! for comparison. The labelled cases of skill authors measure which skills decisions load.

mod baseline;
mod cases;
mod data;
mod everyday;
mod figures;
mod floors;
mod format;
mod skill_folder;
mod trial;

use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;

pub use cases::{CaseMethod, CaseReport, CaseTrial};
pub use figures::SkillFigures;
pub use floors::check_floors;
pub use format::{summary_line, tables};
pub use trial::{SkillMethod, SkillSetReport, SkillTrial};

/// The measurements of how well skills are ranked, on public sets and on labelled cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillReport {
    /// The measurements of each set, ordered by file name.
    pub sets: Vec<SkillSetReport>,
    /// The measurements on labelled cases, ordered by folder name.
    pub cases: Vec<CaseReport>,
}

/// Measures all sets of a folder, and the labelled cases of another if it is given. A reduced measurement omits the
/// learning curve and the cross-validation. `progress` is called with a line of text after each trial.
///
/// # Errors
/// [`Failure::Read`], [`Failure::SkillLine`], [`Failure::Cases`] or [`Failure::NoSkillSets`] if the data cannot be used.
pub fn measure(
    folder: &Path,
    cases: Option<&Path>,
    is_reduced: bool,
    progress: &dyn Fn(&str),
) -> Result<SkillReport, Failure> {
    let sets = data::read_sets(folder)?;
    let sets = sets.iter().map(|set| trial::measure_set(set, is_reduced, progress)).collect();
    let mut reports = Vec::new();
    for folder in cases.map_or(Ok(Vec::new()), skill_folder::read_folders)? {
        reports.push(cases::measure_folder(&folder, is_reduced)?);
        progress(&format!("{}: labelled cases", folder.name));
    }
    Ok(SkillReport { sets, cases: reports })
}
