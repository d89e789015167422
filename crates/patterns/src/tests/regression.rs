//! Tests of the regression against ridge regression in floating point.

use std::collections::BTreeMap;

use contracts::{Features, Score};
use fastrand::Rng;

use super::fixtures::{Turn, model, random_features, store};
use crate::{
    Store,
    fixed::{Fixed, Q15, Q20},
    regression::{Regression, RegressionInput, RowTarget},
    structure::{Structure, StructureInput},
};

/// The seed of all random turns.
const SEED: u64 = 3;

/// The number 1 as a [`Q20`].
const ONE: i64 = Q20::ONE.0;

/// A store of turns with words and structure; every third has a workload.
fn random_store(turns: usize) -> Store {
    let mut rng = Rng::with_seed(SEED);
    let mut turn = |number: usize| -> Turn {
        let workload = number.is_multiple_of(3).then(|| format!("work{}", rng.u8(..3)));
        let features = Features { workload, ..random_features(&mut rng) };
        (features, number, None, Some(Score(rng.u64(..=1_000_000_000))))
    };
    store(&(0..turns).map(&mut turn).collect::<Vec<_>>())
}

/// Returns the feature vector of the fingerprint at `index`.
fn input(store: &Store, index: usize) -> RegressionInput {
    let fingerprint = &store.fingerprints[index];
    RegressionInput::new(&store.space, &fingerprint.sketch, &store.space.structure(fingerprint))
}

/// A store, and a random coefficient for each fingerprint.
fn random_coefficients(turns: usize) -> (Store, Vec<Q20>) {
    let mut rng = Rng::with_seed(SEED);
    let store = random_store(turns);
    let coefficients = store.fingerprints.iter().map(|_| Fixed(rng.i64(-ONE / 2..ONE / 2))).collect();
    (store, coefficients)
}

/// Builds a regression from a coefficient for each fingerprint, added in this `order`.
fn regression(store: &Store, coefficients: &[Q20], order: impl Iterator<Item = usize>) -> Regression {
    let mut regression = Regression::default();
    for index in order {
        regression.update(&input(store, index), Q20::ZERO, coefficients[index]);
    }
    regression
}

/// The product of the feature vectors of two turns: 9/10 words, 1/10 structure.
#[expect(clippy::cast_precision_loss, reason = "weights are small")]
fn product(store: &Store, left: usize, right: usize) -> f64 {
    let to_float = |number: Q15| number.0 as f64 / Q15::ONE.0 as f64;
    let weights = |index: usize| {
        let mut weights = Vec::new();
        store.space.idf.tf_idf_vector(&store.fingerprints[index].sketch, &mut weights);
        weights.into_iter().collect::<BTreeMap<_, _>>()
    };
    let (left_weights, right_weights) = (weights(left), weights(right));
    let words: f64 = left_weights
        .iter()
        .filter_map(|(column, weight)| Some(to_float(*weight) * to_float(*right_weights.get(column)?)))
        .sum();
    let kernel = &store.space.kernel;
    let structures: [Structure; 2] = [left, right].map(|index| store.space.structure(&store.fingerprints[index]));
    let without_workload = [left, right].map(|index| {
        let input = store.fingerprints[index].structure_input();
        kernel.encode(&StructureInput { workload: 0, ..input })
    });
    let features = kernel.similarity(&without_workload[0], &without_workload[1]);
    // The regression weighs the workload by 3.
    let workload = kernel.similarity(&structures[0], &structures[1]) - features;
    0.9 * words + 0.1 * to_float(features + workload * 3)
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "coefficients are small")]
fn the_prediction_is_the_kernel_sum_over_rows() {
    let (store, coefficients) = random_coefficients(60);
    let regression = regression(&store, &coefficients, 0..60);
    let length = |index| product(&store, index, index).sqrt();
    for index in 0..60 {
        let kernel = |other: usize| product(&store, index, other) / length(index) / length(other);
        let expected: f64 = (0..60).map(|other| coefficients[other].0 as f64 * kernel(other)).sum();
        let error = regression.predict(&input(&store, index)).0 as f64 - expected;
        assert!(error.abs() < ONE as f64 / 500.0, "seed {SEED}, turn {index}: differs by {error} from {expected}");
    }
}

#[test]
fn one_outcome_moves_the_prediction_by_an_eleventh_of_the_residual_and_ten_by_half() {
    let store = random_store(60);
    for (outcomes, divisor) in [(1, 11), (10, 2)] {
        let mut regression = Regression::default();
        let target = RowTarget { residual: Q20::ONE, outcomes, coefficient: Q20::ZERO };
        let coefficient = regression.fit_row(&input(&store, 7), target);
        regression.update(&input(&store, 7), Q20::ZERO, coefficient);
        let prediction = regression.predict(&input(&store, 7)).0;
        assert!((prediction - ONE / divisor).abs() < ONE / 500, "seed {SEED}, {outcomes} outcomes: {prediction}");
    }
}

/// After many passes, another pass changes no coefficient by more than two units of the last place.
#[test]
fn the_fit_converges() {
    let mut store = random_store(200);
    for _ in 0..60 {
        store.index.fit(&store.space, &mut store.fingerprints);
    }
    let common_mean = store.index.common_mean();
    let mut rows = 0;
    for (index, fingerprint) in store.fingerprints.iter().enumerate() {
        for row in &fingerprint.rows {
            let model = &store.index.models[row.model as usize];
            let residual = row.sums.mean_outcome().unwrap() - model.posterior_mean(common_mean);
            let target = RowTarget { residual, outcomes: row.sums.scored, coefficient: row.coefficient };
            let change = model.regression.fit_row(&input(&store, index), target) - row.coefficient;
            assert!(change.0.abs() <= 2, "seed {SEED}, turn {index}: {change:?}");
            rows += 1;
        }
    }
    assert!(0 < rows);
}

#[test]
fn the_state_does_not_depend_on_the_order_of_updates() {
    let (store, coefficients) = random_coefficients(60);
    let expected = regression(&store, &coefficients, 0..60);
    assert_eq!(expected, regression(&store, &coefficients, (0..60).rev()));
    let detour = |coefficient: Q20| coefficient / 3 - Fixed(17);
    let detours: Vec<_> = coefficients.iter().map(|coefficient| detour(*coefficient)).collect();
    let mut updated = regression(&store, &detours, 0..60);
    for index in (0..60).map(|step| step * 7 % 60) {
        updated.update(&input(&store, index), detours[index], coefficients[index]);
    }
    assert_eq!(expected, updated);
}

#[test]
fn the_state_without_rows_equals_the_initial_one() {
    let (store, coefficients) = random_coefficients(60);
    let mut regression = regression(&store, &coefficients, 0..60);
    assert_ne!(regression, Regression::default());
    for index in (0..60).rev() {
        regression.update(&input(&store, index), coefficients[index], Q20::ZERO);
    }
    assert_eq!(regression, Regression::default());
    assert_eq!(regression.predict(&input(&store, 0)), Q20::ZERO);
}

#[test]
fn the_prediction_for_a_turn_without_features_is_zero() {
    // With one turn no feature varies, and there are no words.
    let store = store(&[(Features::default(), 0, None, Some(Score::ONE))]);
    let regression = &store.index.models[0].regression;
    let input = input(&store, 0);
    let target = RowTarget { residual: Q20::ONE, outcomes: 1, coefficient: Q20::ZERO };
    assert_eq!((regression.predict(&input), regression.fit_row(&input, target)), (Q20::ZERO, Q20::ZERO));
    assert_eq!(store.models, [model(0)]);
}
