//! The regression of words and structure, beside ridge regression as it is written in books.

use contracts::Features;

use super::given::{Numbers, Turn, model, store};
use crate::{
    Store,
    linear::{Linear, Outcome, PLACES, Seen},
    structure::Structure,
    words::ONE,
};

const SEED: u64 = 3;

/// One, as outcomes are counted.
const WHOLE: i64 = 1 << PLACES;

/// A store of turns that all have words and structure, and every third a workload.
fn learned(turns: usize) -> Store {
    let mut numbers = Numbers(SEED);
    let mut turn = |place: usize| -> Turn {
        let workload = place.is_multiple_of(3).then(|| format!("work{}", numbers.below(3)));
        let features = Features { workload, ..numbers.features() };
        (features, place, None, Some(contracts::Score(numbers.below(1_000_000_001))))
    };
    store(&(0..turns).map(&mut turn).collect::<Vec<_>>())
}

fn seen(store: &Store, place: usize) -> Seen {
    let fingerprint = &store.fingerprints[place];
    Seen::new(&store.space, &fingerprint.sketch, &store.space.structure(fingerprint))
}

/// A store of so many turns, and a coefficient for each.
fn weighed(turns: usize) -> (Store, Vec<i64>) {
    let mut numbers = Numbers(SEED);
    let store = learned(turns);
    let coefficients =
        (0..store.fingerprints.len()).map(|_| i64::try_from(numbers.below(1 << PLACES)).unwrap() - WHOLE / 2).collect();
    (store, coefficients)
}

fn sum(store: &Store, coefficients: &[i64], order: impl Iterator<Item = usize>) -> Linear {
    let mut linear = Linear::default();
    for place in order {
        linear.change(&seen(store, place), 0, coefficients[place]);
    }
    linear
}

/// What two turns have in common, as the regression counts it: nine tenths words, the rest structure.
#[expect(clippy::cast_precision_loss, reason = "shares are small")]
fn common(store: &Store, one: usize, other: usize) -> f64 {
    let one_whole = ONE as f64;
    let shares = |place: usize| {
        let words = &store.fingerprints[place].sketch;
        let mut shares = Vec::new();
        store.space.words.shares(words, &mut shares);
        shares.into_iter().collect::<std::collections::BTreeMap<_, _>>()
    };
    let (mine, yours) = (shares(one), shares(other));
    let words: f64 = mine
        .iter()
        .filter_map(|(number, share)| Some(*share as f64 / one_whole * *yours.get(number)? as f64 / one_whole))
        .sum();
    let structures: [Structure; 2] = [one, other].map(|place| store.space.structure(&store.fingerprints[place]));
    let plain = |place: usize| {
        let raw = store.fingerprints[place].raw();
        store.space.expectation.structure(&crate::structure::Raw { workload: 0, ..raw })
    };
    let likeness = store.space.expectation.agreement(&plain(one), &plain(other));
    // The same workload weighs three here.
    let same_work = store.space.expectation.agreement(&structures[0], &structures[1]) - likeness;
    0.9 * words + 0.1 * (likeness + 3 * same_work) as f64 / one_whole
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "shares are small")]
fn it_says_the_sum_of_what_a_turn_has_in_common_with_others_times_their_coefficients() {
    let (store, coefficients) = weighed(60);
    let linear = sum(&store, &coefficients, 0..60);
    let length = |place| common(&store, place, place).sqrt();
    for place in 0..60 {
        let kernel = |other: usize| common(&store, place, other) / length(place) / length(other);
        let expected: f64 = (0..60).map(|other| coefficients[other] as f64 * kernel(other)).sum();
        let off = linear.at(&seen(&store, place)) as f64 - expected;
        assert!(off.abs() < WHOLE as f64 / 500.0, "seed {SEED}, turn {place}: {off} off {expected}");
    }
}

#[test]
fn one_outcome_moves_its_own_turn_by_an_eleventh_of_what_was_missing_and_ten_by_half() {
    let store = learned(60);
    for (weight, part) in [(1, 11), (10, 2)] {
        let mut linear = Linear::default();
        let outcome = Outcome { residual: WHOLE, weight, coefficient: 0 };
        let coefficient = linear.fitted(&seen(&store, 7), outcome);
        linear.change(&seen(&store, 7), 0, coefficient);
        let said = linear.at(&seen(&store, 7));
        assert!((said - WHOLE / part).abs() < WHOLE / 500, "seed {SEED}: {said} of {WHOLE} by {weight}");
    }
}

#[test]
fn after_many_passes_no_coefficient_changes_any_more() {
    let mut store = learned(200);
    for _ in 0..60 {
        store.knowledge.fit(&store.space, &mut store.fingerprints);
    }
    let common = store.knowledge.common_mean();
    let mut rows = 0;
    for (place, fingerprint) in store.fingerprints.iter().enumerate() {
        for row in &fingerprint.rows {
            let known = &store.knowledge.models[row.model as usize];
            let residual = row.sums.mean().unwrap() - known.mean(common);
            let outcome = Outcome { residual, weight: row.sums.scored, coefficient: row.coefficient };
            let change = known.linear.fitted(&seen(&store, place), outcome) - row.coefficient;
            assert!(change.abs() <= 2, "seed {SEED}, turn {place}: {change} of {WHOLE}");
            rows += 1;
        }
    }
    assert!(0 < rows);
}

#[test]
fn it_is_the_same_in_whatever_order_rows_came_and_by_whatever_way_they_changed() {
    let (store, coefficients) = weighed(60);
    let straight = sum(&store, &coefficients, 0..60);
    assert_eq!(straight, sum(&store, &coefficients, (0..60).rev()));
    let mut wandering = sum(&store, &coefficients.iter().map(|one| one / 3 - 17).collect::<Vec<_>>(), 0..60);
    for place in (0..60).map(|step| step * 7 % 60) {
        wandering.change(&seen(&store, place), coefficients[place] / 3 - 17, coefficients[place]);
    }
    assert_eq!(straight, wandering);
}

#[test]
fn when_all_rows_are_taken_out_it_is_as_it_was_before_the_first() {
    let (store, coefficients) = weighed(60);
    let mut linear = sum(&store, &coefficients, 0..60);
    assert_ne!(linear, Linear::default());
    for place in (0..60).rev() {
        linear.change(&seen(&store, place), coefficients[place], 0);
    }
    assert_eq!(linear, Linear::default());
    assert_eq!(linear.at(&seen(&store, 0)), 0);
}

#[test]
fn of_a_turn_without_any_features_it_says_nothing() {
    // Nothing is usual yet, so that structure says nothing, and there are no words.
    let store = store(&[(Features::default(), 0, None, Some(contracts::Score::ONE))]);
    let linear = &store.knowledge.models[0].linear;
    let outcome = Outcome { residual: WHOLE, weight: 1, coefficient: 0 };
    assert_eq!((linear.at(&seen(&store, 0)), linear.fitted(&seen(&store, 0), outcome)), (0, 0));
    assert_eq!(store.models, [model(0)]);
}
