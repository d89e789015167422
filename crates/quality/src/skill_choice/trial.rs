//! Trains and tests methods on a set of skills.

use std::{collections::BTreeMap, time::Instant};

use serde::Serialize;
use skills::{SkillRanker, TrainingRequest};

use super::{
    baseline::Bm25,
    data::{SkillRequest, SkillSet},
    figures::{SkillAnswer, SkillFigures},
};
use crate::numbers::to_f64;

/// The numbers of requests per skill of the learning curve.
const LEARNING_CURVE: [usize; 3] = [5, 20, 50];

/// A method of ranking skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillMethod {
    /// BM25 over names and descriptions.
    Bm25,
    /// [`SkillRanker`].
    Ranker,
}

/// The measurements of one method with some training requests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SkillTrial {
    /// The method.
    pub method: SkillMethod,
    /// The number of training requests; 0 if the method knows descriptions only.
    pub requests: usize,
    /// The most training requests of one skill; `None` without a limit.
    pub per_skill: Option<usize>,
    /// The figures on the test requests.
    pub figures: SkillFigures,
    /// The duration of training in seconds.
    pub training_seconds: f64,
    /// The mean duration of a ranking in microseconds.
    pub ranking_micros: f64,
    /// The memory of the ranker in bytes; `None` for a baseline.
    pub memory_bytes: Option<usize>,
}

/// The measurements of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillSetReport {
    /// The name of the set.
    pub set: String,
    /// The number of skills.
    pub skills: usize,
    /// The number of training requests.
    pub train: usize,
    /// The number of test requests.
    pub test: usize,
    /// The number of test requests that need no skill.
    pub test_without_skill: usize,
    /// The trials: the baseline, then the ranker with an increasing number of training requests.
    pub trials: Vec<SkillTrial>,
}

/// Measures all methods on a set. `progress` is called after each trial.
pub(super) fn measure_set(set: &SkillSet, is_reduced: bool, progress: &dyn Fn(&str)) -> SkillSetReport {
    let mut trials = vec![bm25_trial(set)];
    let curve = if is_reduced { &[] } else { LEARNING_CURVE.as_slice() };
    let limits = std::iter::once(Some(0)).chain(curve.iter().copied().map(Some)).chain([None]);
    for limit in limits {
        trials.push(ranker_trial(set, limit));
        let requests = trials.last().map_or(0, |trial| trial.requests);
        progress(&format!("{}: ranker with {requests} requests", set.name));
    }
    SkillSetReport {
        set: set.name.clone(),
        skills: set.index.skills().len(),
        train: set.train.len(),
        test: set.test.len(),
        test_without_skill: set.test.iter().filter(|request| request.skill.is_none()).count(),
        trials,
    }
}

/// Measures BM25 over the descriptions.
fn bm25_trial(set: &SkillSet) -> SkillTrial {
    let start = Instant::now();
    let baseline = Bm25::index(&set.index);
    let training_seconds = start.elapsed().as_secs_f64();
    let skills = set.index.skills();
    let start = Instant::now();
    let answer = |request: &SkillRequest| {
        let scores = baseline.scores(&request.text);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        SkillAnswer {
            position: order.iter().take(3).position(|skill| Some(&skills[*skill].name) == request.skill.as_ref()),
            needs_skill: request.skill.is_some(),
            confidence: order.first().map_or(0.0, |first| scores[*first]),
            probability: None,
        }
    };
    let answers: Vec<SkillAnswer> = set.test.iter().map(answer).collect();
    SkillTrial {
        method: SkillMethod::Bm25,
        requests: 0,
        per_skill: Some(0),
        figures: SkillFigures::new(&answers),
        training_seconds,
        ranking_micros: micros_since(start, set.test.len()),
        memory_bytes: None,
    }
}

/// Trains a ranker on at most `limit` training requests of each skill, and of no skill, and measures it.
fn ranker_trial(set: &SkillSet, limit: Option<usize>) -> SkillTrial {
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut requests = Vec::with_capacity(set.train.len());
    for request in &set.train {
        let count = counts.entry(request.skill.as_deref()).or_default();
        if limit.is_none_or(|limit| *count < limit) {
            *count += 1;
            requests.push(TrainingRequest { text: &request.text, skill: request.skill.as_deref() });
        }
    }
    let start = Instant::now();
    let ranker = SkillRanker::train(&set.index, &requests);
    let training_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let rankings: Vec<_> = set.test.iter().map(|request| ranker.rank(&request.text, 3)).collect();
    let ranking_micros = micros_since(start, set.test.len());
    let answers: Vec<SkillAnswer> =
        set.test.iter().zip(&rankings).map(|(request, ranking)| answer_of(request, ranking)).collect();
    SkillTrial {
        method: SkillMethod::Ranker,
        requests: requests.len(),
        per_skill: limit,
        figures: SkillFigures::new(&answers),
        training_seconds,
        ranking_micros,
        memory_bytes: Some(ranker.memory_bytes()),
    }
}

/// Compares a ranking with the right skill of a request.
fn answer_of(request: &SkillRequest, ranking: &skills::SkillRanking) -> SkillAnswer {
    let position = ranking.skills.iter().position(|skill| Some(&skill.name) == request.skill.as_ref());
    let first = ranking.skills.first().map_or(0, |skill| skill.probability);
    let is_none = first < ranking.no_skill;
    let is_right = if is_none { request.skill.is_none() } else { position == Some(0) };
    SkillAnswer {
        position,
        needs_skill: request.skill.is_some(),
        confidence: -f64::from(ranking.no_skill_log_odds),
        probability: Some((f64::from(first.max(ranking.no_skill)) / 10_000.0, is_right)),
    }
}

/// Returns the time since `start` divided by `count`, in microseconds.
fn micros_since(start: Instant, count: usize) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / to_f64(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skills::{Skill, SkillIndex};

    #[test]
    fn the_ranker_learns_what_descriptions_do_not_contain() {
        let skill = |name: &str| Skill { name: name.to_owned(), ..Skill::default() };
        let request =
            |text: &str, skill: Option<&str>| SkillRequest { text: text.to_owned(), skill: skill.map(str::to_owned) };
        let requests =
            [request("apples and pears", Some("x")), request("nuts and bolts", Some("y")), request("none", None)];
        let set = SkillSet {
            name: "fruit".to_owned(),
            index: SkillIndex::new(vec![skill("x"), skill("y")]),
            train: std::iter::repeat_n(requests.clone(), 6).flatten().collect(),
            test: requests.to_vec(),
        };
        let report = measure_set(&set, false, &|_| {});
        assert_eq!((report.skills, report.train, report.test, report.test_without_skill), (2, 18, 3, 1));
        let last = report.trials.last().unwrap();
        assert_eq!((last.requests, last.figures.hit_1, last.figures.auroc), (18, 1.0, Some(1.0)));
        assert_eq!(report.trials.iter().map(|trial| trial.requests).collect::<Vec<_>>(), [0, 0, 15, 18, 18, 18]);
    }
}
