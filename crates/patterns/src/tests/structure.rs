//! How much two turns agree beyond what is to be expected.

use contracts::Features;

use super::given::Numbers;
use crate::{
    levels::levels,
    packed::{Packed, Vocabularies},
    structure::{Expectation, Raw, Structure},
    words::ONE,
};

const SEED: u64 = 5;

/// Turns, and what is usual among them.
struct Population {
    turns: Vec<([u8; crate::levels::LEVELS], Packed)>,
    expectation: Expectation,
}

impl Population {
    fn of(features: &[Features]) -> Self {
        let mut words = Vocabularies::default();
        let turns: Vec<_> = features.iter().map(|features| (levels(features), words.learn(features))).collect();
        let expectation = Expectation::learn(turns.iter().map(|turn| raw(turn, 0)));
        Self { turns, expectation }
    }

    fn structure(&self, place: usize, workload: u8) -> Structure {
        self.expectation.structure(&raw(&self.turns[place], workload))
    }

    fn structures(&self) -> Vec<Structure> {
        (0..self.turns.len()).map(|place| self.structure(place, 0)).collect()
    }
}

fn raw((levels, packed): &([u8; crate::levels::LEVELS], Packed), workload: u8) -> Raw {
    Raw { levels: *levels, sets: packed.masks, workload, turns: 1 }
}

fn many() -> Vec<Features> {
    let mut numbers = Numbers(SEED);
    (0..400).map(|_| numbers.features()).collect()
}

#[test]
fn turns_agree_with_all_turns_by_nothing_on_average_and_with_themselves_by_one() {
    let population = Population::of(&many());
    let all = population.structures();
    let mut sum = 0;
    for one in &all {
        let own: i64 = all.iter().map(|other| population.expectation.agreement(one, other)).sum();
        let mean = own / 400;
        assert!(mean.abs() < ONE / 200, "seed {SEED}: a turn agrees with all by {mean} of {ONE} on average");
        sum += population.expectation.agreement(one, one);
    }
    let own = sum / 400;
    assert!((own - ONE).abs() < ONE / 100, "seed {SEED}: with themselves by {own} of {ONE}");
}

#[test]
fn what_all_turns_have_says_nothing() {
    let with = |mut features: Features| {
        features.images = true;
        features.tools.push("everywhere".to_owned());
        features.sketch.shape.resize(20, 0);
        features.sketch.shape[19] = 9;
        features
    };
    let mut plain = many();
    for features in &mut plain {
        features.sketch.shape[19] = 0;
    }
    let [without, with] = [plain.clone(), plain.into_iter().map(with).collect()].map(|all| Population::of(&all));
    let (one, other) = (without.structures(), with.structures());
    for (place, (one_first, other_first)) in one.iter().zip(&other).enumerate().take(40) {
        for (one_second, other_second) in one.iter().zip(&other) {
            let agreements = (
                without.expectation.agreement(one_first, one_second),
                with.expectation.agreement(other_first, other_second),
            );
            assert_eq!(agreements.0, agreements.1, "seed {SEED}, turn {place}");
        }
    }
}

#[test]
fn where_all_turns_are_the_same_nothing_is_compared() {
    let same = vec![many().swap_remove(0); 5];
    let population = Population::of(&same);
    let all = population.structures();
    assert_eq!(population.expectation.agreement(&all[0], &all[1]), 0);
    assert_eq!(population.expectation, Expectation::default());
}

#[test]
fn a_turn_has_as_much_in_common_with_another_as_its_bits_have() {
    let population = Population::of(&many());
    let expectation = &population.expectation;
    let bits =
        |turn: &Structure| expectation.bits(turn).map(|bit| (bit.index, bit.weight, bit.frequency)).collect::<Vec<_>>();
    let all = population.structures();
    for one in &all[..40] {
        for other in &all[..40] {
            // The sum of weight (b - p)(b' - p) over all bits is that over common ones, less what is expected.
            let own = bits(other);
            let weighed = |(index, weight, frequency): (usize, i64, i64)| {
                let both = own.iter().any(|other| other.0 == index);
                weight * (i64::from(both) * ONE - frequency) / ONE
            };
            let sum: i64 = bits(one).into_iter().map(weighed).sum::<i64>() - expectation.expected(other);
            let agreement = expectation.agreement(one, other);
            assert!((sum - agreement).abs() < ONE / 500, "seed {SEED}: {sum} by bits, {agreement} at once");
        }
    }
}

#[test]
fn the_same_workload_adds_one_to_the_agreement_and_another_nothing() {
    let population = Population::of(&many());
    let agreement =
        |one, other| population.expectation.agreement(&population.structure(3, one), &population.structure(4, other));
    let strangers = agreement(0, 0);
    assert_eq!([agreement(1, 1), agreement(2, 2)], [strangers + ONE; 2]);
    assert_eq!([agreement(1, 2), agreement(1, 0), agreement(0, 1)], [strangers; 3]);
}

#[test]
fn an_expectation_is_kept_by_its_bits_alone() {
    let population = Population::of(&many());
    let kept = Expectation::from_known(population.expectation.known().to_vec());
    assert_eq!(kept, population.expectation);
}

#[test]
fn a_turn_that_came_often_counts_as_often() {
    let population = Population::of(&many()[..30]);
    let times = |place: usize| u32::try_from(place % 4).unwrap();
    let turns = || population.turns.iter().enumerate();
    let counted = Expectation::learn(turns().map(|(place, turn)| Raw { turns: times(place), ..raw(turn, 0) }));
    let repeated = turns().flat_map(|(place, turn)| (0..times(place)).map(move |_| raw(turn, 0)));
    assert_eq!(counted, Expectation::learn(repeated));
}
