//! Tests of the structure kernel.

use contracts::Features;
use fastrand::Rng;

use super::fixtures::random_features;
use crate::{
    fixed::Q15,
    levels::{LEVELS, feature_levels},
    packed::{PackedFeatures, Vocabularies},
    structure::{Structure, StructureInput, StructureKernel},
};

/// The seed of all random turns.
const SEED: u64 = 5;

/// The number 1 as a [`Q15`].
const ONE: i64 = Q15::ONE.0;

/// Turns, and the kernel estimated from them.
struct Population {
    /// The levels and the packed features of each turn.
    turns: Vec<([u8; LEVELS], PackedFeatures)>,
    /// The kernel estimated from these turns.
    kernel: StructureKernel,
}

impl Population {
    /// Encodes turns without workloads, and estimates the kernel from them.
    fn of(features: &[Features]) -> Self {
        let mut vocabularies = Vocabularies::default();
        let turns: Vec<_> =
            features.iter().map(|features| (feature_levels(features), vocabularies.intern(features))).collect();
        let kernel = StructureKernel::estimate(turns.iter().map(|turn| input(turn, 0)));
        Self { turns, kernel }
    }

    /// Encodes the turn at `index` with the number of a workload; 0 for none.
    fn structure(&self, index: usize, workload: u8) -> Structure {
        self.kernel.encode(&input(&self.turns[index], workload))
    }

    /// Encodes all turns, without workloads.
    fn structures(&self) -> Vec<Structure> {
        (0..self.turns.len()).map(|index| self.structure(index, 0)).collect()
    }

    /// Returns the similarity of two turns with 15 fractional bits.
    fn similarity(&self, left: &Structure, right: &Structure) -> i64 {
        self.kernel.similarity(left, right).0
    }
}

/// Returns the input of the kernel for one turn.
fn input((levels, packed): &([u8; LEVELS], PackedFeatures), workload: u8) -> StructureInput {
    StructureInput { levels: *levels, sets: packed.masks, workload, turns: 1 }
}

/// Returns the features of 400 random turns.
fn random_turns() -> Vec<Features> {
    let mut rng = Rng::with_seed(SEED);
    (0..400).map(|_| random_features(&mut rng)).collect()
}

#[test]
fn the_average_similarity_is_zero_to_all_turns_and_one_to_the_same_turn() {
    let population = Population::of(&random_turns());
    let structures = population.structures();
    let mut own_sum = 0;
    for structure in &structures {
        let sum: i64 = structures.iter().map(|other| population.similarity(structure, other)).sum();
        let mean = sum / 400;
        assert!(mean.abs() < ONE / 200, "seed {SEED}: {mean} of {ONE} to all turns");
        own_sum += population.similarity(structure, structure);
    }
    let own_mean = own_sum / 400;
    assert!((own_mean - ONE).abs() < ONE / 100, "seed {SEED}: {own_mean} of {ONE} to the same turn");
}

#[test]
fn a_feature_of_all_turns_adds_nothing() {
    let add_features = |mut features: Features| {
        features.images = true;
        features.tools.push("everywhere".to_owned());
        features.sketch.shape.resize(20, 0);
        features.sketch.shape[19] = 9;
        features
    };
    let mut turns = random_turns();
    for features in &mut turns {
        features.sketch.shape[19] = 0;
    }
    let [without, with] =
        [turns.clone(), turns.into_iter().map(add_features).collect()].map(|turns| Population::of(&turns));
    let pairs: Vec<_> = without.structures().into_iter().zip(with.structures()).collect();
    for (index, (left_without, left_with)) in pairs.iter().enumerate().take(40) {
        for (right_without, right_with) in &pairs {
            let similarity = without.similarity(left_without, right_without);
            assert_eq!(similarity, with.similarity(left_with, right_with), "seed {SEED}, turn {index}");
        }
    }
}

#[test]
fn the_kernel_of_equal_turns_is_empty() {
    let population = Population::of(&vec![random_turns().swap_remove(0); 5]);
    let structures = population.structures();
    assert_eq!(population.similarity(&structures[0], &structures[1]), 0);
    assert_eq!(population.kernel, StructureKernel::default());
}

#[test]
fn the_similarity_is_the_sum_over_single_features() {
    let population = Population::of(&random_turns());
    let kernel = &population.kernel;
    let features = |turn: &Structure| {
        let features = kernel.features(turn).map(|feature| (feature.index, feature.weight.0, feature.frequency.0));
        features.collect::<Vec<_>>()
    };
    let structures = population.structures();
    for left in &structures[..40] {
        for right in &structures[..40] {
            // Σ weight (b - p)(b' - p) over all features is the sum over the features of one turn, less its centring.
            let other_features = features(right);
            let term = |(index, weight, frequency): (usize, i64, i64)| {
                let in_both = other_features.iter().any(|other| other.0 == index);
                weight * (i64::from(in_both) * ONE - frequency) / ONE
            };
            let sum: i64 = features(left).into_iter().map(term).sum::<i64>() - kernel.centring(right).0;
            let similarity = population.similarity(left, right);
            assert!((sum - similarity).abs() < ONE / 500, "seed {SEED}: the sum is {sum}, the similarity {similarity}");
        }
    }
}

#[test]
fn an_equal_workload_adds_one_and_a_different_one_nothing() {
    let population = Population::of(&random_turns());
    let similarity =
        |left, right| population.similarity(&population.structure(3, left), &population.structure(4, right));
    let without = similarity(0, 0);
    assert_eq!([similarity(1, 1), similarity(2, 2)], [without + ONE; 2]);
    assert_eq!([similarity(1, 2), similarity(1, 0), similarity(0, 1)], [without; 3]);
}

#[test]
fn a_kernel_is_restored_from_its_frequencies() {
    let population = Population::of(&random_turns());
    let restored = StructureKernel::from_frequencies(population.kernel.frequencies().to_vec());
    assert_eq!(restored, population.kernel);
}

#[test]
fn occurrences_of_a_turn_count() {
    let population = Population::of(&random_turns()[..30]);
    let occurrences = |index: usize| u32::try_from(index % 4).unwrap();
    let turns = || population.turns.iter().enumerate();
    let counted = turns().map(|(index, turn)| StructureInput { turns: occurrences(index), ..input(turn, 0) });
    let repeated = turns().flat_map(|(index, turn)| (0..occurrences(index)).map(move |_| input(turn, 0)));
    assert_eq!(StructureKernel::estimate(counted), StructureKernel::estimate(repeated));
}
