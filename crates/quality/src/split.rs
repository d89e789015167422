//! Which turns are the past and which are asked about; fixed, so that nothing can be tuned on the second.

use crate::{
    data::{Set, Turn},
    hash::hash,
};

/// Sets of fewer turns than this are tested on all of their turns, a fold at a time.
const FEWEST_FOR_HALVES: usize = 1_500;

/// A set of this name goes by folds, however large it is.
const BY_FOLDS: &str = "coderouter_id";

/// How many folds there are.
const FOLDS: u32 = 5;

/// Of ten buckets so many are asked about.
const TEST_BUCKETS: u32 = 4;

/// How outcomes of the past are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every model's outcome of every past turn.
    Full,
    /// Only one model's, any with the same probability: how a live store learns.
    Partial,
}

/// The turns of the past and those that are asked about, as places in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The past.
    pub(crate) train: Vec<usize>,
    /// Asked about.
    pub(crate) test: Vec<usize>,
}

/// A past turn and the model whose outcome is known; every model's when `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// A place in the set.
    pub(crate) turn: usize,
    /// A place in the models of the set.
    pub(crate) model: Option<usize>,
}

impl Lesson {
    /// Whether the outcome of a model is known.
    pub(crate) fn knows(&self, model: usize) -> bool {
        self.model.is_none_or(|known| known == model)
    }
}

/// The parts of a set: the fixed halves, or five folds.
pub(crate) fn parts(set: &Set) -> Vec<Part> {
    let part = |is_test: &dyn Fn(u32) -> bool| {
        let (test, train) = (0..set.turns.len()).partition(|place| is_test(set.turns[*place].bucket % 10));
        Part { train, test }
    };
    if set.turns.len() < FEWEST_FOR_HALVES || set.name == BY_FOLDS {
        (0..FOLDS).map(|fold| part(&|bucket| bucket % FOLDS == fold)).collect()
    } else {
        vec![part(&|bucket| bucket < TEST_BUCKETS)]
    }
}

/// What a store has seen of the past when it has seen `most` turns of it. Each draw has its own order.
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
    fn buckets_of_known_ids_are_those_of_sha_256() {
        // First eight hexadecimal digits of the digest.
        let bucket = |id: &str| hash("", id) >> 32;
        assert_eq!(bucket("abc"), 0xba78_16bf);
        assert_eq!(bucket("gsm8k/10"), 0x4024_2b4e);
    }

    #[test]
    fn folds_ask_about_every_turn_once_and_halves_about_four_of_ten() {
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
