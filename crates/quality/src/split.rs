//! The fixed split of a prompt set into training and test turns. Because it is fixed, parameters cannot be tuned on the
//! test turns.

use crate::{
    data::{PromptSet, Turn},
    hash::hash,
};

/// The least number of turns of a set that is split once; smaller sets are cross-validated.
const MIN_TURNS_FOR_HALVES: usize = 1_500;

/// The name of a set that is cross-validated at any size.
const CROSS_VALIDATED: &str = "coderouter_id";

/// The number of folds of a cross-validation; each turn is a test turn in one of them.
const FOLDS: u32 = 5;

/// The number of buckets, out of ten, whose turns are test turns in a set that is split once.
const TEST_BUCKETS: u32 = 4;

/// Which outcomes of the training turns are known to the routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownOutcomes {
    /// The outcomes of all models are known.
    Full,
    /// The outcome of one random model is known for each turn, as in live operation.
    Partial,
}

/// A split of a prompt set into training and test turns, as indices of the set's turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnSplit {
    /// The indices of the training turns.
    pub(crate) train: Vec<usize>,
    /// The indices of the test turns.
    pub(crate) test: Vec<usize>,
}

/// A training turn, with the models whose outcomes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrainingTurn {
    /// The index of the turn in the set.
    pub(crate) index: usize,
    /// The index of the model whose outcome is known; `None` if the outcomes of all models are known.
    pub(crate) model: Option<usize>,
}

impl TrainingTurn {
    /// Whether the outcome of `model` on this turn is known; `model` is an index in the set.
    pub(crate) fn has_outcome_of(&self, model: usize) -> bool {
        self.model.is_none_or(|known| known == model)
    }
}

/// Splits a prompt set into training and test turns: once, or in five ways (cross-validation) if it is small.
pub(crate) fn split_set(set: &PromptSet) -> Vec<TurnSplit> {
    let split = |is_test: &dyn Fn(u32) -> bool| {
        let (test, train) = (0..set.turns.len()).partition(|index| is_test(set.turns[*index].bucket % 10));
        TurnSplit { train, test }
    };
    if set.turns.len() < MIN_TURNS_FOR_HALVES || set.name == CROSS_VALIDATED {
        (0..FOLDS).map(|fold| split(&|bucket| bucket % FOLDS == fold)).collect()
    } else {
        vec![split(&|bucket| bucket < TEST_BUCKETS)]
    }
}

/// Returns at most `max_turns` training turns of a split, in a pseudo-random order that depends on the number `draw`.
/// `mode` determines the outcomes that are known.
pub(crate) fn training_turns(
    set: &PromptSet,
    split: &TurnSplit,
    mode: KnownOutcomes,
    max_turns: usize,
    draw: u32,
) -> Vec<TrainingTurn> {
    let order = |turn: &Turn| hash(&format!("order {draw}: "), &turn.id);
    let mut indices = split.train.clone();
    indices.sort_by_cached_key(|index| (order(&set.turns[*index]), *index));
    indices.truncate(max_turns);
    let models = set.models.len() as u64;
    let random_model = |turn: &Turn| usize::try_from(hash("model: ", &turn.id) % models).unwrap_or_default();
    let known_model = |index: usize| (mode == KnownOutcomes::Partial).then(|| random_model(&set.turns[index]));
    indices.into_iter().map(|index| TrainingTurn { index, model: known_model(index) }).collect()
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
        let set =
            |turns| PromptSet { name: "any".to_owned(), models: Vec::new(), turns: (0..turns).map(turn).collect() };
        let folds = split_set(&set(100));
        let mut asked: Vec<_> = folds.iter().flat_map(|split| split.test.clone()).collect();
        asked.sort_unstable();
        assert_eq!((folds.len(), asked), (5, (0..100).collect()));
        let halves = split_set(&set(2_000));
        assert_eq!((halves.len(), halves[0].test.len(), halves[0].train.len()), (1, 800, 1_200));
        assert!(halves[0].test.iter().all(|index| index % 10 < 4));
    }
}
