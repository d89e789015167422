//! Tests of inverse document frequencies, sparse vectors and projections.

use contracts::Sketch;
use fastrand::Rng;
use proptest::prelude::*;

use super::fixtures::{config, random_sketch, sketch};
use crate::{
    fixed::{Log2, Q15},
    idf::Idf,
    unit_vector::{DIMENSIONS, NORM, UnitVector, cosine, scale_to_unit},
};

/// The seed of all random texts.
const SEED: u64 = 7;

/// The number 1 as a [`Q15`].
const ONE: i64 = Q15::ONE.0;

/// Returns the sketch of a text with these word hashes and without pairs.
fn text(words: &[u16]) -> Sketch {
    sketch(words.to_vec(), Vec::new(), Vec::new())
}

/// A text of random words.
fn random_text(rng: &mut Rng, words: usize) -> Sketch {
    random_sketch(rng, words, u16::MAX)
}

/// Column and weight of every token of a text.
fn tf_idf_vector(idf: &Idf, text: &Sketch) -> Vec<(u16, Q15)> {
    let mut weights = vec![(0, Q15::ZERO)];
    idf.tf_idf_vector(text, &mut weights);
    weights
}

/// Returns the cosine between the projections of two texts, with 15 fractional bits.
fn cosine_of(idf: &Idf, left: &Sketch, right: &Sketch) -> i64 {
    cosine(&idf.project_words(left), &idf.project_words(right)).to_q15().0
}

#[test]
fn the_weight_of_a_token_is_its_inverse_document_frequency() {
    // 1 is in all of seven texts, 2 in three of them, 3 in two, 4 in one.
    let texts = [&[1, 2, 3, 4][..], &[1, 2, 3], &[1, 2], &[1], &[1], &[1], &[1]].map(text);
    let idf = Idf::estimate(texts.iter().map(|text| (text, 1)));
    // log2(8/8) is 0, log2(8/4) is 1, and a token of one text has no weight.
    let third = Log2::from_integer(8).saturating_sub(Log2::from_integer(3));
    assert_eq!(idf.entries(), [(2, Log2(1 << 8)), (3, third)]);
    assert!((f64::from(third.0) / 256.0 - (8.0_f64 / 3.0).log2()).abs() < 0.01);
}

#[test]
fn occurrences_of_a_text_count() {
    let (often, once, never) = (text(&[1, 2]), text(&[1, 3]), text(&[4]));
    let counted = Idf::estimate([(&often, 3), (&once, 1), (&never, 4)].into_iter());
    let repeated = [&often, &once, &often, &often, &never, &never, &never, &never];
    assert_eq!(counted, Idf::estimate(repeated.into_iter().map(|text| (text, 1))));
    // Eight texts: two tokens are in four of them, one is in three.
    let weight = |texts_with: u64| Log2::from_integer(9).saturating_sub(Log2::from_integer(texts_with + 1));
    assert_eq!(counted.entries(), [(1, weight(4)), (2, weight(3)), (4, weight(4))]);
}

#[test]
fn the_logarithm_has_8_fractional_bits() {
    for number in (1..2_000).chain([1 << 20, u64::from(u32::MAX), u64::MAX]) {
        #[expect(clippy::cast_precision_loss, reason = "the test compares eight bits")]
        let error = (number as f64).log2() - f64::from(Log2::from_integer(number).0) / 256.0;
        assert!((-0.001..0.0045).contains(&error), "log2({number}) differs by {error}");
    }
    assert_eq!(Log2::from_integer(0), Log2(0));
}

#[test]
fn the_cosine_of_a_text_with_itself_is_about_one() {
    let mut rng = Rng::with_seed(SEED);
    let idf = Idf::default();
    for length in [1, 2, 5, 20, 100, 190] {
        let text = random_text(&mut rng, length);
        let own = cosine_of(&idf, &text, &text);
        assert!((ONE * 95 / 100..ONE).contains(&own), "seed {SEED}, {length} words: {own} of {ONE}");
    }
}

#[test]
fn the_projection_ignores_pairs_and_shape() {
    let idf = Idf::default();
    let other = sketch(vec![3, 2, 1, 1], vec![77, 78], vec![9, 9]);
    assert_eq!(idf.project_words(&text(&[1, 2, 3])), idf.project_words(&other));
}

#[test]
fn the_cosine_of_disjoint_texts_is_zero_on_average() {
    let mut rng = Rng::with_seed(SEED);
    let idf = Idf::default();
    let mut random_cosine = || {
        let words = random_text(&mut rng, 30).words;
        let (even, odd): (Vec<u16>, Vec<u16>) = words.into_iter().partition(|word| word % 2 == 0);
        cosine_of(&idf, &text(&even), &text(&odd))
    };
    let cosines: Vec<i64> = (0..2_000).map(|_| random_cosine()).collect();
    let mean = cosines.iter().sum::<i64>() / 2_000;
    let deviation = (cosines.iter().map(|one| one * one).sum::<i64>() / 2_000).isqrt();
    assert!(mean.abs() < ONE / 100, "seed {SEED}: {mean} of {ONE} on average");
    // 1 / sqrt(64 dimensions).
    assert!((ONE / 12..ONE / 6).contains(&deviation), "seed {SEED}: a standard deviation of {deviation} of {ONE}");
}

#[test]
fn the_cosine_of_texts_that_share_half_of_their_words_is_one_half() {
    let mut rng = Rng::with_seed(SEED);
    let idf = Idf::default();
    let mut random_cosine = || {
        let [common, left, right] = [(); 3].map(|()| random_text(&mut rng, 15).words);
        let with_common = |own: Vec<u16>| text(&[common.clone(), own].concat());
        cosine_of(&idf, &with_common(left), &with_common(right))
    };
    let mean = (0..500).map(|_| random_cosine()).sum::<i64>() / 500;
    assert!((ONE * 47 / 100..ONE * 53 / 100).contains(&mean), "seed {SEED}: {mean} of {ONE}");
}

#[test]
fn weights_are_equal_before_an_estimate_and_greater_for_rare_tokens_after_it() {
    let weights =
        |idf: &Idf| tf_idf_vector(idf, &text(&[1, 2])).into_iter().map(|(_, weight)| weight).collect::<Vec<_>>();
    let before = weights(&Idf::default());
    assert_eq!(before[0], before[1]);
    let texts = [&[1, 2][..], &[1, 2], &[1], &[1], &[5, 6], &[5, 6], &[7], &[8]].map(text);
    let after = weights(&Idf::estimate(texts.iter().map(|text| (text, 1))));
    assert!(after[0] < after[1], "{after:?}");
    let square_sum: Q15 = after.iter().map(|weight| weight.times(*weight)).sum();
    assert!((square_sum - Q15::ONE).0.abs() < ONE / 200, "{square_sum:?}");
}

#[test]
fn a_text_of_tokens_without_weight_has_a_zero_vector() {
    let texts = [&[1, 2][..], &[1, 2], &[1], &[1]].map(text);
    let idf = Idf::estimate(texts.iter().map(|text| (text, 1)));
    // 1 is in all texts, 9 in none.
    for text in [&[][..], &[1], &[9], &[1, 9]].map(text) {
        assert_eq!(idf.project_words(&text), [0; DIMENSIONS], "{text:?}");
        assert_eq!(tf_idf_vector(&idf, &text), []);
    }
}

#[test]
fn an_estimate_without_any_weight_equals_no_estimate() {
    let texts = [&[1][..], &[1], &[2]].map(text);
    assert_eq!(Idf::estimate(texts[..2].iter().map(|text| (text, 1))), Idf::default());
    assert_eq!(Idf::estimate(texts[2..].iter().map(|text| (text, 1))), Idf::default());
}

/// [`scale_to_unit`] with integer division.
fn normalize_in_integers(vector: &[i64; DIMENSIONS]) -> UnitVector {
    let largest = vector.iter().map(|component| component.unsigned_abs()).max().unwrap();
    let shift = (64 - largest.leading_zeros()).saturating_sub(28);
    let square_sum: u64 = vector.iter().map(|component| (component.unsigned_abs() >> shift).pow(2)).sum();
    let length = i64::try_from(square_sum.isqrt().max(1)).unwrap();
    vector.map(|component| i16::try_from(((component >> shift) * NORM / length).clamp(-127, 127)).unwrap())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_vector_is_normalised_as_with_integer_division(
        vector in prop::array::uniform::<_, DIMENSIONS>((any::<i64>(), 0_u32..64).prop_map(|(sum, bits)| sum >> bits))
    ) {
        prop_assert_eq!(scale_to_unit(&vector), normalize_in_integers(&vector));
    }

    #[test]
    fn a_sparse_vector_is_normalised_as_with_integer_division(
        vector in prop::array::uniform::<_, DIMENSIONS>(-40_000_i64..40_000), dimensions in 0_usize..=DIMENSIONS
    ) {
        let mut vector = vector;
        vector[dimensions..].fill(0);
        prop_assert_eq!(scale_to_unit(&vector), normalize_in_integers(&vector));
    }
}
