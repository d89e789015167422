//! Loading of skills by a threshold, measured on the labelled cases of skill authors.
//!
//! The cases of a folder are divided by the SHA-256 hash of the prompt into a half for training and one for testing. The
//! threshold is chosen by cross-validation within the training half.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use skills::{ManifestPlace, SkillIndex, SkillRanker, SkillRanking, SkillScope, TrainingRequest, parse_manifest};

use crate::{failure::Failure, hash::hash, numbers::to_f64};

/// The least precision on the training half that the threshold is chosen for (003 Telemetry).
const LEAST_PRECISION: f64 = 0.85;

/// The least share of cases without a skill that are left alone on the training half.
const LEAST_LEFT_ALONE: f64 = 0.90;

/// The number of parts of the cross-validation.
const FOLDS: usize = 10;

/// The measurements on the labelled cases of one folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseReport {
    /// The name of the folder.
    pub folder: String,
    /// The number of skills.
    pub skills: usize,
    /// The number of cases in training.
    pub train: usize,
    /// The number of test cases that need a skill.
    pub needing: usize,
    /// The number of test cases that need none.
    pub needing_none: usize,
    /// The least probability at which the first skill is loaded, in parts per 10,000.
    pub threshold: u16,
    /// The results of descriptions and keywords alone, with the threshold of the training half.
    pub descriptions: LoadFigures,
    /// The results after training on the cases of the training half.
    pub trained: LoadFigures,
}

/// The results of loading the first skill if its probability reaches a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LoadFigures {
    /// The share of loaded skills that are expected or acceptable, from 0 to 1; `None` if none is loaded.
    pub precision: Option<f64>,
    /// The share of cases that need a skill and get no right one, from 0 to 1; `None` if there is none.
    pub missed: Option<f64>,
    /// The share of cases that need no skill and get none, from 0 to 1; `None` if there is none.
    pub left_alone: Option<f64>,
    /// Of the cases that need a skill, the share whose first skill is right, whatever its probability; `None` if there
    /// is none.
    pub hit_1: Option<f64>,
}

/// A case: a prompt with the skills that it needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Case {
    /// The text of the user.
    prompt: String,
    /// The skills that should be loaded.
    expected_skills: Vec<String>,
    /// Other skills that are not wrong.
    #[serde(default)]
    acceptable_skills: Vec<String>,
}

/// Measures every folder in `root` that has a file `cases.jsonl`, in the order of their names.
///
/// # Errors
/// [`Failure::Read`] or [`Failure::SkillLine`] if a file cannot be read or parsed.
pub(super) fn measure_folders(root: &Path) -> Result<Vec<CaseReport>, Failure> {
    let folders = subfolders(root)?;
    let with_cases = folders.iter().filter(|folder| folder.join("cases.jsonl").exists());
    with_cases.map(|folder| measure_folder(folder)).collect()
}

/// Measures the cases of one folder.
fn measure_folder(folder: &Path) -> Result<CaseReport, Failure> {
    let index = read_skills(&folder.join("skills"))?;
    let cases = read_cases(&folder.join("cases.jsonl"))?;
    let (train, test): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(|case| hash("", &case.prompt) >> 63 == 1);
    let trained = SkillRanker::train(&index, &requests(train.iter()));
    let threshold = choose_threshold(&cross_validate(&index, &train));
    let untrained = SkillRanker::train(&index, &[]);
    let untrained_threshold = choose_threshold(&rank_all(&untrained, train.iter()));
    Ok(CaseReport {
        folder: folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned(),
        skills: index.skills().len(),
        train: train.len(),
        needing: test.iter().filter(|case| case.needs_skill()).count(),
        needing_none: test.iter().filter(|case| !case.needs_skill()).count(),
        threshold,
        descriptions: LoadFigures::new(&rank_all(&untrained, test.iter()), untrained_threshold),
        trained: LoadFigures::new(&rank_all(&trained, test.iter()), threshold),
    })
}

impl Case {
    /// Returns whether a skill should be loaded.
    fn needs_skill(&self) -> bool {
        !self.expected_skills.is_empty()
    }

    /// Returns whether a skill, given by its name, is expected or acceptable.
    fn accepts(&self, name: &str) -> bool {
        self.expected_skills.iter().chain(&self.acceptable_skills).any(|skill| skill == name)
    }
}

impl LoadFigures {
    /// Computes the results of a threshold on ranked cases.
    fn new(ranked: &[(&Case, SkillRanking)], threshold: u16) -> Self {
        let mut counts = LoadCounts::default();
        for (case, ranking) in ranked {
            let first = ranking.skills.first();
            let is_right = first.is_some_and(|first| case.accepts(&first.name));
            let is_loaded =
                first.is_some_and(|first| threshold <= first.probability && ranking.no_skill < first.probability);
            counts.loaded += usize::from(is_loaded);
            counts.right += usize::from(is_loaded && is_right);
            if case.needs_skill() {
                counts.needing += 1;
                counts.first_right += usize::from(is_right);
                counts.missed += usize::from(!(is_loaded && is_right));
            } else {
                counts.needing_none += 1;
                counts.left_alone += usize::from(!is_loaded);
            }
        }
        let share = |part: usize, whole: usize| (whole != 0).then(|| to_f64(part) / to_f64(whole));
        Self {
            precision: share(counts.right, counts.loaded),
            missed: share(counts.missed, counts.needing),
            left_alone: share(counts.left_alone, counts.needing_none),
            hit_1: share(counts.first_right, counts.needing),
        }
    }
}

/// Counts of cases.
#[derive(Debug, Default)]
struct LoadCounts {
    /// Cases that need a skill.
    needing: usize,
    /// Cases that need none.
    needing_none: usize,
    /// Cases for which a skill is loaded.
    loaded: usize,
    /// Cases for which the right skill is loaded.
    right: usize,
    /// Cases that need a skill and get no right one.
    missed: usize,
    /// Cases that need a skill and whose first skill is right.
    first_right: usize,
    /// Cases that need none and get none.
    left_alone: usize,
}

/// Returns the lowest threshold, in parts per 10,000, with which ranked cases have at least [`LEAST_PRECISION`] and
/// [`LEAST_LEFT_ALONE`]; the one with the greatest precision if there is none.
fn choose_threshold(ranked: &[(&Case, SkillRanking)]) -> u16 {
    let thresholds: BTreeSet<u16> =
        ranked.iter().filter_map(|(_, ranking)| ranking.skills.first()).map(|first| first.probability).collect();
    let mut best = (f64::NEG_INFINITY, 0);
    for threshold in thresholds {
        let figures = LoadFigures::new(ranked, threshold);
        let precision = figures.precision.unwrap_or_default();
        if LEAST_PRECISION <= precision && figures.left_alone.is_none_or(|share| LEAST_LEFT_ALONE <= share) {
            return threshold;
        }
        if best.0 < precision {
            best = (precision, threshold);
        }
    }
    best.1
}

/// Ranks the skills for each case by a ranker that was not trained on it.
fn cross_validate<'a>(index: &SkillIndex, cases: &'a [Case]) -> Vec<(&'a Case, SkillRanking)> {
    let mut ranked = Vec::new();
    for fold in 0..FOLDS {
        let part =
            |is_part: bool| cases.iter().enumerate().filter(move |(index, _)| (index % FOLDS == fold) == is_part);
        let ranker = SkillRanker::train(index, &requests(part(false).map(|(_, case)| case)));
        ranked.extend(rank_all(&ranker, part(true).map(|(_, case)| case)));
    }
    ranked
}

/// Ranks the skills for each case.
fn rank_all<'a>(ranker: &SkillRanker, cases: impl Iterator<Item = &'a Case>) -> Vec<(&'a Case, SkillRanking)> {
    cases.map(|case| (case, ranker.rank(&case.prompt, 1))).collect()
}

/// Returns the labelled requests of cases: the first expected skill, or none.
fn requests<'a>(cases: impl Iterator<Item = &'a Case>) -> Vec<TrainingRequest<'a>> {
    let request = |case: &'a Case| TrainingRequest {
        text: &case.prompt,
        skill: case.expected_skills.first().map(String::as_str),
    };
    cases.map(request).collect()
}

/// Reads the cases of a file. Names of skills may begin with a slash.
fn read_cases(path: &Path) -> Result<Vec<Case>, Failure> {
    let text = fs::read_to_string(path).map_err(|cause| Failure::Read { path: path.to_path_buf(), cause })?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let parse = |(number, line): (usize, &str)| {
        let mut case: Case = serde_json::from_str(line).map_err(|error| Failure::SkillLine {
            path: path.to_path_buf(),
            line: number,
            cause: error.to_string(),
        })?;
        for name in case.expected_skills.iter_mut().chain(&mut case.acceptable_skills) {
            if let Some(bare) = name.strip_prefix('/') {
                *name = bare.to_owned();
            }
        }
        Ok(case)
    };
    lines.map(parse).collect()
}

/// Reads the skills in the folders of `root`. Files that are not skills are left out.
fn read_skills(root: &Path) -> Result<SkillIndex, Failure> {
    let mut skills = Vec::new();
    for folder in subfolders(root)? {
        let path = folder.join("SKILL.md");
        if !path.exists() {
            continue;
        }
        let bytes = fs::read(&path).map_err(|cause| Failure::Read { path: path.clone(), cause })?;
        let folder = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let place = ManifestPlace { path: &path.to_string_lossy(), folder, scope: SkillScope::Project, plugin: None };
        skills.extend(parse_manifest(&bytes, &place).skill);
    }
    Ok(SkillIndex::new(skills))
}

/// Returns the folders in a folder, sorted.
fn subfolders(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |cause| Failure::Read { path: root.to_path_buf(), cause };
    let mut folders = Vec::new();
    for entry in fs::read_dir(root).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skills::RankedSkill;

    fn case(expected: &[&str]) -> Case {
        let names = expected.iter().map(ToString::to_string).collect();
        Case { prompt: String::new(), expected_skills: names, acceptable_skills: vec!["also".to_owned()] }
    }

    fn ranking(name: &str, probability: u16) -> SkillRanking {
        let skills = vec![RankedSkill { name: name.to_owned(), probability }];
        SkillRanking { skills, no_skill: 100, no_skill_log_odds: 0 }
    }

    /// SC-45, SC-46: precision counts loaded skills, missed counts cases that need one.
    #[test]
    fn loads_are_counted_by_need() {
        let (a, none) = (case(&["a"]), case(&[]));
        let ranked = [
            (&a, ranking("a", 9_000)),
            (&a, ranking("also", 8_000)),
            (&a, ranking("b", 7_000)),
            (&a, ranking("a", 50)),
            (&none, ranking("a", 6_000)),
            (&none, ranking("a", 90)),
        ];
        let figures = LoadFigures::new(&ranked, 1_000);
        assert_eq!((figures.precision, figures.missed), (Some(0.5), Some(0.5)));
        assert_eq!((figures.left_alone, figures.hit_1), (Some(0.5), Some(0.75)));
        assert_eq!(choose_threshold(&ranked), 8_000);
    }
}
