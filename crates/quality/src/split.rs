//! The fixed split into training and test turns, so that nothing can be tuned on the test turns.

use crate::{
    data::{Set, Turn},
    hash::hash,
};

/// The least number of turns of a set that is split into halves; smaller sets are cross-validated.
const MIN_FOR_HALVES: usize = 1_500;

/// The set that is cross-validated at any size.
const CROSS_VALIDATED: &str = "coderouter_id";

/// The number of folds of a cross-validated set.
const FOLDS: u32 = 5;

/// The number of test buckets, of ten.
const TEST_BUCKETS: u32 = 4;

/// Which outcomes of training turns are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The outcomes of all models are known.
    Full,
    /// The outcome of one random model is known for each turn, as in live operation.
    Partial,
}

/// One split into training and test turns, as indices of the set's turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The indices of the training turns.
    pub(crate) train: Vec<usize>,
    /// The indices of the test turns.
    pub(crate) test: Vec<usize>,
}

/// A training turn, and the model whose outcome is known; `None` if those of all models are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// The index in the set.
    pub(crate) turn: usize,
    /// The index in the models of the set.
    pub(crate) model: Option<usize>,
}

impl Lesson {
    /// Whether the outcome of a model is known.
    pub(crate) fn knows(&self, model: usize) -> bool {
        self.model.is_none_or(|known| known == model)
    }
}

/// Splits a set into one part of fixed halves, or into five folds.
pub(crate) fn parts(set: &Set) -> Vec<Part> {
    let part = |is_test: &dyn Fn(u32) -> bool| {
        let (test, train) = (0..set.turns.len()).partition(|place| is_test(set.turns[*place].bucket % 10));
        Part { train, test }
    };
    if set.turns.len() < MIN_FOR_HALVES || set.name == CROSS_VALIDATED {
        (0..FOLDS).map(|fold| part(&|bucket| bucket % FOLDS == fold)).collect()
    } else {
        vec![part(&|bucket| bucket < TEST_BUCKETS)]
    }
}

/// Returns at most `most` training turns of a part, in the order of the draw `draw`.
pub(crate) fn past(set: &Set, part: &Part, mode: Mode, most: usize, draw: u32) -> Vec<Lesson> {
    let order = |turn: &Turn| hash(&format!("order {draw}: "), &turn.id);
    let mut places = part.train.clone();
    places.sort_by_cached_key(|place| (order(&set.turns[*place]), *place));
    places.truncate(most);
    let models = set.models.len() as u64;
    let chosen = |turn: &Turn| usize::try_from(hash("model: ", &turn.id) % models).unwrap_or_default();
    let known = |place: usize| (mode == Mode::Partial).then(|| chosen(&set.turns[place]));
    places.into_iter().map(|turn| Lesson { turn, model: known(turn) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_prefixes_of_sha_256() {
        // First eight hexadecimal digits of the digest.
        let bucket = |id: &str| hash("", id) >> 32;
        assert_eq!(bucket("abc"), 0xba78_16bf);
        assert_eq!(bucket("gsm8k/10"), 0x4024_2b4e);
    }

    #[test]
    fn folds_test_every_turn_once_and_halves_four_of_ten() {
        let turn = |bucket: u32| Turn {
            id: bucket.to_string(),
            prompt: String::new(),
            group: None,
            outcomes: Vec::new(),
            bucket,
        };
        let set = |turns| Set { name: "any".to_owned(), models: Vec::new(), turns: (0..turns).map(turn).collect() };
        let folds = parts(&set(100));
        let mut asked: Vec<_> = folds.iter().flat_map(|part| part.test.clone()).collect();
        asked.sort_unstable();
        assert_eq!((folds.len(), asked), (5, (0..100).collect()));
        let halves = parts(&set(2_000));
        assert_eq!((halves.len(), halves[0].test.len(), halves[0].train.len()), (1, 800, 1_200));
        assert!(halves[0].test.iter().all(|place| place % 10 < 4));
    }
}
