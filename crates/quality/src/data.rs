//! Sets of prompts with the outcomes of several models, read from gzipped JSON Lines.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use crate::{failure::Failure, hash::hash};

/// Datasets that form their own set, separate from the other lines of their file.
const SEPARATE_DATASETS: [&str; 2] = ["mmlu", "gsm8k"];

/// The outcome of a model on a prompt: the score of its answer, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Outcome {
    /// The score, from 0 to 1.
    pub score: f64,
    /// The cost in dollars.
    #[serde(rename = "cost_usd")]
    pub cost: f64,
}

/// A prompt with the outcome of every model of its set.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The id, unique in the set.
    pub id: String,
    /// The text; empty if it is not public.
    pub prompt: String,
    /// The kind of work; `None` if unknown.
    pub group: Option<String>,
    /// The outcome of each model, in the order of [`PromptSet::models`].
    pub outcomes: Vec<Outcome>,
    /// The first 32 bits of the hash of the id, which assign the turn to training or test.
    pub bucket: u32,
}

/// A set of prompts, each with the outcomes of the same models.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptSet {
    /// The name of the file, or of the dataset if it forms a separate set.
    pub name: String,
    /// The names of the models, sorted.
    pub models: Vec<String>,
    /// The prompts with their outcomes, in the order of the file.
    pub turns: Vec<Turn>,
}

/// A line of a file: one prompt with the outcomes of models.
#[derive(Debug, Deserialize)]
struct PromptLine {
    /// The id of the prompt, unique in the set.
    id: String,
    /// The dataset that the prompt is from.
    dataset: String,
    /// The kind of work, if known.
    #[serde(default)]
    group: Option<String>,
    /// The text; empty if it is not public.
    prompt: String,
    /// The outcome of each model, by name.
    models: BTreeMap<String, Outcome>,
}

impl PromptSet {
    /// Creates a set from the lines of a file. Models that lack an outcome for any prompt are dropped.
    ///
    /// # Errors
    /// [`Failure::TooFewModels`] if fewer than two models remain.
    fn from_lines(name: String, lines: Vec<PromptLine>) -> Result<Self, Failure> {
        let is_complete = |model: &&String| lines.iter().all(|line| line.models.contains_key(*model));
        let model_names: BTreeSet<&String> = lines.iter().flat_map(|line| line.models.keys()).collect();
        let models: Vec<String> = model_names.into_iter().filter(is_complete).cloned().collect();
        if models.len() < 2 {
            return Err(Failure::TooFewModels { set: name });
        }
        let turn = |line: PromptLine| Turn {
            bucket: u32::try_from(hash("", &line.id) >> 32).unwrap_or_default(),
            outcomes: models.iter().filter_map(|model| line.models.get(model).copied()).collect(),
            id: line.id,
            prompt: line.prompt,
            group: line.group,
        };
        let turns = lines.into_iter().map(turn).collect();
        Ok(Self { name, models, turns })
    }

    /// Returns whether most prompts of the set are not public, so that similar turns can only be recognised by the kind
    /// of work.
    pub fn is_grouped(&self) -> bool {
        self.turns.len() < 2 * self.turns.iter().filter(|turn| turn.prompt.is_empty()).count()
    }
}

/// Reads the prompt sets of all `*.jsonl.gz` files directly in a folder, ordered by file name.
///
/// # Errors
/// [`Failure::Read`] or [`Failure::Line`] if a file cannot be read or parsed, [`Failure::TooFewModels`] if a set has
/// fewer than two models, [`Failure::NoSets`] if there is no set.
pub fn read_sets(folder: &Path) -> Result<Vec<PromptSet>, Failure> {
    let fail = |cause| Failure::Read { path: folder.to_path_buf(), cause };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.to_string_lossy().ends_with(".jsonl.gz") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut sets = Vec::new();
    for path in &paths {
        sets.extend(read_file(path)?);
    }
    if sets.is_empty() { Err(Failure::NoSets { folder: folder.to_path_buf() }) } else { Ok(sets) }
}

/// Reads the prompt sets of one file: one named like the file, and one for each of [`SEPARATE_DATASETS`] in it. Blank
/// lines are skipped.
///
/// # Errors
/// As [`read_sets`], except [`Failure::NoSets`].
fn read_file(path: &Path) -> Result<Vec<PromptSet>, Failure> {
    let fail = |cause| Failure::Read { path: path.to_path_buf(), cause };
    let file = File::open(path).map_err(fail)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.trim_end_matches(".jsonl.gz");
    let mut sets: BTreeMap<String, Vec<PromptLine>> = BTreeMap::new();
    for (index, line) in BufReader::new(MultiGzDecoder::new(file)).lines().enumerate() {
        let line = line.map_err(fail)?;
        if line.trim().is_empty() {
            continue;
        }
        let fail = |cause| Failure::Line { path: path.to_path_buf(), line: index + 1, cause };
        let line: PromptLine = serde_json::from_str(&line).map_err(fail)?;
        let is_separate = SEPARATE_DATASETS.contains(&line.dataset.as_str());
        sets.entry(if is_separate { line.dataset.clone() } else { name.to_owned() }).or_default().push(line);
    }
    sets.into_iter().map(|(name, lines)| PromptSet::from_lines(name, lines)).collect()
}
