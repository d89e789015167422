//! [`SkillRanker`], a classifier of texts by skill.

use super::{
    calibration::{Calibration, HeldOutText},
    elementary::{log_odds_in_thousandths, parts_per_10_000, to_f32, to_f64},
    features::{Feature, features},
    margin_training::{LinearClassifiers, TrainingText},
    ranking::{RankedSkill, SkillRanking},
    vocabulary::Vocabulary,
    weights::Weights,
};
use crate::{index::SkillIndex, skill::Skill};

/// A request of the past whose skill is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrainingRequest<'a> {
    /// The text of the request.
    pub text: &'a str,
    /// The name of the skill that the request needs; `None` if it needs none.
    pub skill: Option<&'a str>,
}

/// Ranks the skills of an index for a text. Trained on the descriptions and keywords of the skills, and on requests of
/// the past.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillRanker {
    /// The names of the skills, sorted.
    names: Vec<String>,
    /// The features of the training texts.
    vocabulary: Vocabulary,
    /// The classifier of each skill, and of "no skill" as the last.
    weights: Weights,
    /// The conversion of sums to probabilities.
    calibration: Calibration,
    /// The number of requests in training.
    requests: usize,
}

/// A training text before the vocabulary is known.
struct LabelledText {
    /// The sorted features.
    features: Vec<Feature>,
    /// The index of the skill, or the number of skills for "no skill".
    class: usize,
    /// The position in the list of training requests, from which the text may be held out; `None` for a description or a
    /// keyword.
    request: Option<usize>,
}

/// The first skill for a request of the training, by a ranker that was not trained on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeldOutRanking {
    /// The position of the request in the list of training requests.
    pub(super) request: usize,
    /// The ranking, of the first skill only.
    pub(super) ranking: SkillRanking,
}

/// The cost of violating the margin in training on descriptions alone.
const DESCRIPTION_COST: f32 = 0.1;

/// The cost of violating the margin in training on descriptions and requests.
const REQUEST_COST: f32 = 1.0;

/// The factor of the similarity to a description or a keyword in the sum of its skill, beside what the classifiers make of
/// it. It counts where the requests for training say nothing.
const DESCRIPTION_PULL: f32 = 0.2;

/// The number of requests per skill whose classifiers have as much weight as those of descriptions alone.
const PRIOR_REQUESTS: usize = 1;

/// The number of parts into which requests are divided for calibration.
const FOLDS: usize = 5;

/// The number of requests from which one fold suffices for calibration.
const REQUESTS_FOR_ONE_FOLD: usize = 2_000;

impl SkillRanker {
    /// Trains on the skills of an index and on labelled requests; requests for skills that are not in the index, and
    /// skills that only the user loads, are ignored. The same skills and requests in the same order give the same
    /// ranker on every machine.
    ///
    /// Training takes time in proportion to requests × skills: about a second for 15,000 requests and 150 skills.
    pub fn train(index: &SkillIndex, requests: &[TrainingRequest<'_>]) -> Self {
        Self::train_held_out(index, requests).0
    }

    /// Does the same as [`SkillRanker::train`], and returns how the requests are ranked that were held out of training for
    /// the calibration: all from five requests on, a fifth of them from 2,000 on.
    pub(super) fn train_held_out(index: &SkillIndex, requests: &[TrainingRequest<'_>]) -> (Self, Vec<HeldOutRanking>) {
        let skills: Vec<&Skill> = index.skills().iter().filter(|skill| !skill.explicit_only).collect();
        let names: Vec<String> = skills.iter().map(|skill| skill.name.clone()).collect();
        let mut texts = Vec::with_capacity(requests.len() + skills.len());
        for (position, request) in requests.iter().enumerate() {
            let class = request
                .skill
                .map_or(Some(names.len()), |name| names.binary_search_by(|other| other.as_str().cmp(name)).ok());
            if let Some(class) = class {
                texts.push(LabelledText { features: features(request.text), class, request: Some(position) });
            }
        }
        let requests = texts.len();
        for (class, skill) in skills.iter().enumerate() {
            let own_texts = std::iter::once(description(skill)).chain(skill.keywords.iter().cloned());
            texts.extend(own_texts.map(|text| LabelledText { features: features(&text), class, request: None }));
        }
        let classes = names.len() + 1;
        let held_out = held_out_texts(&texts, requests, classes);
        let calibration = Calibration::fit(&held_out);
        let (vocabulary, weights) = train_classifiers(&texts, classes, |_, _| true);
        let ranker = Self { names, vocabulary, weights, calibration, requests };
        let ranking =
            |text: &HeldOutText| HeldOutRanking { request: text.request, ranking: ranker.ranking_of(&text.sums, 1) };
        let rankings = held_out.iter().filter(|text| !text.is_removed).map(ranking).collect();
        (ranker, rankings)
    }

    /// Ranks the skills for a text and returns the `most` most probable ones.
    pub fn rank(&self, text: &str, most: usize) -> SkillRanking {
        self.ranking_of(&self.weights.sums(&self.vocabulary.vector(text)), most)
    }

    /// Returns the `most` most probable skills for the sums of all classifiers.
    fn ranking_of(&self, sums: &[i32], most: usize) -> SkillRanking {
        let probabilities = self.calibration.probabilities(sums);
        let (no_skill, skills) = probabilities.split_last().map_or((1.0, [].as_slice()), |(last, all)| (*last, all));
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|a, b| sums[*b].cmp(&sums[*a]).then(a.cmp(b)));
        let ranked = |class: usize| RankedSkill {
            name: self.names[class].clone(),
            probability: parts_per_10_000(skills[class]),
        };
        SkillRanking {
            skills: order.into_iter().take(most).map(ranked).collect(),
            no_skill: parts_per_10_000(no_skill),
            no_skill_log_odds: log_odds_in_thousandths(no_skill, skills.iter().sum()),
        }
    }

    /// Returns the number of labelled requests that the ranker was trained on; 0 if it knows descriptions only.
    pub const fn requests(&self) -> usize {
        self.requests
    }

    /// Returns the memory of the ranker in bytes, without the names of the skills.
    pub fn memory_bytes(&self) -> usize {
        self.vocabulary.memory_bytes() + self.weights.memory_bytes()
    }
}

/// Returns the text that describes a skill: name, description, when to use it, and tags.
fn description(skill: &Skill) -> String {
    let mut text = format!("{} {} {}", skill.name, skill.description, skill.when_to_use);
    for tag in &skill.tags {
        text.push(' ');
        text.push_str(tag);
    }
    text
}

/// Learns the vocabulary and trains the classifiers on the texts for which `is_used`, called with a text and its index,
/// is true. Classifiers of descriptions alone are blended with those of all texts: with few requests the skills that have
/// some would otherwise lose to, or gain on, those that have none.
fn train_classifiers(
    texts: &[LabelledText],
    classes: usize,
    is_used: impl Fn(usize, &LabelledText) -> bool,
) -> (Vocabulary, Weights) {
    let used: Vec<&LabelledText> =
        texts.iter().enumerate().filter(|(index, text)| is_used(*index, text)).map(|(_, text)| text).collect();
    let vocabulary = Vocabulary::learn(used.iter().map(|text| text.features.as_slice()));
    let vectors = |is_used: &dyn Fn(&LabelledText) -> bool| -> Vec<TrainingText> {
        let used = used.iter().filter(|text| is_used(text));
        used.map(|text| TrainingText { vector: vocabulary.vector_of(&text.features), class: text.class }).collect()
    };
    let descriptions = vectors(&|text| text.request.is_none());
    let requests = used.len() - descriptions.len();
    let train = |texts: &[TrainingText], cost| LinearClassifiers::train(texts, vocabulary.columns(), classes, cost);
    let mut classifiers = train(&descriptions, DESCRIPTION_COST);
    if 0 < requests {
        let prior = to_f64(PRIOR_REQUESTS * (classes - 1));
        let share = to_f64(requests) / (to_f64(requests) + prior);
        classifiers.blend(&train(&vectors(&|_| true), REQUEST_COST), to_f32(share));
        for text in &descriptions {
            classifiers.add_vector(text, DESCRIPTION_PULL);
        }
    }
    let weights = Weights::round(&classifiers);
    (vocabulary, weights)
}

/// Classifies requests by classifiers that were not trained on them. If no request needs "no skill", some skills are
/// removed with all their texts for each part, and their requests count as such.
fn held_out_texts(texts: &[LabelledText], requests: usize, classes: usize) -> Vec<HeldOutText> {
    let no_skill = classes - 1;
    let folds = match requests {
        0..FOLDS => 0,
        FOLDS..REQUESTS_FOR_ONE_FOLD => FOLDS,
        _ => 1,
    };
    let has_no_skill = texts.iter().any(|text| text.class == no_skill);
    let mut held_out = Vec::new();
    for fold in 0..folds {
        let is_removed = |class: usize| !has_no_skill && no_skill >= FOLDS && class % FOLDS == fold;
        let is_held_out = |index: usize, text: &LabelledText| text.request.is_some() && index % FOLDS == fold;
        let (vocabulary, weights) =
            train_classifiers(texts, classes, |index, text| !is_removed(text.class) && !is_held_out(index, text));
        for (_, text) in texts.iter().enumerate().filter(|(index, text)| is_held_out(*index, text)) {
            let is_removed = is_removed(text.class);
            let class = if is_removed { no_skill } else { text.class };
            let sums = weights.sums(&vocabulary.vector_of(&text.features));
            held_out.push(HeldOutText { sums, class, request: text.request.unwrap_or_default(), is_removed });
        }
    }
    held_out
}

#[cfg(test)]
mod tests;
