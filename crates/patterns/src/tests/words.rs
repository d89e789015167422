//! Rarity of words, and texts as directions.

use contracts::Sketch;
use proptest::prelude::*;

use super::given::{Numbers, config, sketch};
use crate::words::{DIMENSIONS, Direction, LENGTH, ONE, Words, cosine, direction, logarithm};

const SEED: u64 = 7;

fn text(words: &[u16]) -> Sketch {
    sketch(words.to_vec(), Vec::new(), Vec::new())
}

/// A text of so many words that have any of 65,536 numbers.
fn any_text(numbers: &mut Numbers, words: usize) -> Sketch {
    numbers.sketch(words, 1 << 16)
}

/// Every word of a text by its place, with its share.
fn shares(words: &Words, text: &Sketch) -> Vec<(u16, i64)> {
    let mut shares = vec![(0, 0)];
    words.shares(text, &mut shares);
    shares
}

fn between(words: &Words, one: &Sketch, other: &Sketch) -> i64 {
    i64::from(cosine(&words.direction(one), &words.direction(other).map(i16::from)))
}

#[test]
fn the_rarity_of_a_word_is_the_logarithm_of_texts_by_texts_with_it() {
    // 1 is in all of seven texts, 2 in three of them, 3 in two, 4 in one.
    let texts = [&[1, 2, 3, 4][..], &[1, 2, 3], &[1, 2], &[1], &[1], &[1], &[1]].map(text);
    let words = Words::learn(texts.iter().map(|text| (text, 1)));
    // log2(8/8) is nothing, log2(8/4) one; a word of one text says nothing yet.
    let third = logarithm(8) - logarithm(3);
    assert_eq!(words.known(), [(2, 1 << 8), (3, third)]);
    assert!((f64::from(third) / 256.0 - (8.0_f64 / 3.0).log2()).abs() < 0.01);
}

#[test]
fn a_text_that_came_often_counts_as_often() {
    let (often, once, never) = (text(&[1, 2]), text(&[1, 3]), text(&[4]));
    let counted = Words::learn([(&often, 3), (&once, 1), (&never, 4)].into_iter());
    let repeated =
        Words::learn([&often, &once, &often, &often, &never, &never, &never, &never].into_iter().map(|text| (text, 1)));
    assert_eq!(counted, repeated);
    // Eight texts: the word of four of them, and that of three.
    assert_eq!(
        counted.known(),
        [(1, logarithm(9) - logarithm(5)), (2, logarithm(9) - logarithm(4)), (4, logarithm(9) - logarithm(5))]
    );
}

#[test]
fn the_logarithm_has_eight_binary_places() {
    for number in (1..2_000).chain([1 << 20, u64::from(u32::MAX), u64::MAX]) {
        #[expect(clippy::cast_precision_loss, reason = "the test is about eight places")]
        let off = (number as f64).log2() - f64::from(logarithm(number)) / 256.0;
        assert!((-0.001..0.0045).contains(&off), "log2({number}) is off by {off}");
    }
    assert_eq!(logarithm(0), 0);
}

#[test]
fn a_direction_goes_along_with_itself_by_about_one() {
    let mut numbers = Numbers(SEED);
    let words = Words::default();
    for length in [1, 2, 5, 20, 100, 190] {
        let text = any_text(&mut numbers, length);
        let own = between(&words, &text, &text);
        assert!((ONE * 95 / 100..ONE).contains(&own), "seed {SEED}, {length} words: {own} of {ONE}");
    }
}

#[test]
fn texts_of_the_same_words_have_the_same_direction_whatever_their_pairs_and_shape() {
    let words = Words::default();
    let other = sketch(vec![3, 2, 1, 1], vec![77, 78], vec![9, 9]);
    assert_eq!(words.direction(&text(&[1, 2, 3])), words.direction(&other));
}

#[test]
fn texts_without_a_word_in_common_have_nothing_in_common_on_average() {
    let mut numbers = Numbers(SEED);
    let words = Words::default();
    let mut halves = || {
        let text = any_text(&mut numbers, 30).words;
        let (even, odd): (Vec<u16>, Vec<u16>) = text.into_iter().partition(|word| word % 2 == 0);
        between(&words, &self::text(&even), &self::text(&odd))
    };
    let all: Vec<i64> = (0..2_000).map(|_| halves()).collect();
    let mean = all.iter().sum::<i64>() / 2_000;
    let spread = (all.iter().map(|one| one * one).sum::<i64>() / 2_000).isqrt();
    assert!(mean.abs() < ONE / 100, "seed {SEED}: {mean} of {ONE} on average");
    // By chance as far apart as sixty-four dimensions let them be: one in eight.
    assert!((ONE / 12..ONE / 6).contains(&spread), "seed {SEED}: {spread} of {ONE} apart");
}

#[test]
fn half_of_the_words_in_common_is_half_of_the_way() {
    let mut numbers = Numbers(SEED);
    let words = Words::default();
    let mut half = || {
        let [common, one, other] = [(); 3].map(|()| any_text(&mut numbers, 15).words);
        let with = |own: Vec<u16>| text(&[common.clone(), own].concat());
        between(&words, &with(one), &with(other))
    };
    let mean = (0..500).map(|_| half()).sum::<i64>() / 500;
    assert!((ONE * 47 / 100..ONE * 53 / 100).contains(&mean), "seed {SEED}: {mean} of {ONE}");
}

#[test]
fn before_anything_was_learned_all_words_count_alike_and_afterwards_rare_ones_count_more() {
    let share = |words: &Words| shares(words, &text(&[1, 2])).into_iter().map(|(_, share)| share).collect::<Vec<_>>();
    let before = share(&Words::default());
    assert_eq!(before[0], before[1]);
    let texts = [&[1, 2][..], &[1, 2], &[1], &[1], &[5, 6], &[5, 6], &[7], &[8]].map(text);
    let after = share(&Words::learn(texts.iter().map(|text| (text, 1))));
    assert!(after[0] < after[1], "{after:?}");
    let squares: i64 = after.iter().map(|share| share * share / ONE).sum();
    assert!((squares - ONE).abs() < ONE / 200, "{squares} of {ONE}");
}

#[test]
fn a_text_that_says_nothing_has_no_direction() {
    let texts = [&[1, 2][..], &[1, 2], &[1], &[1]].map(text);
    let words = Words::learn(texts.iter().map(|text| (text, 1)));
    // 1 is in all texts, 9 in none.
    for nothing in [&[][..], &[1], &[9], &[1, 9]].map(text) {
        assert_eq!(words.direction(&nothing), [0; DIMENSIONS], "{nothing:?}");
        assert_eq!(shares(&words, &nothing), []);
    }
}

#[test]
fn where_no_word_is_known_to_be_rare_it_is_the_same_as_before_the_first_text() {
    let texts = [&[1][..], &[1], &[2]].map(text);
    assert_eq!(Words::learn(texts[..2].iter().map(|text| (text, 1))), Words::default());
    assert_eq!(Words::learn(texts[2..].iter().map(|text| (text, 1))), Words::default());
}

/// A direction by whole numbers alone.
fn divided(sums: &[i64; DIMENSIONS]) -> Direction {
    let largest = sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap();
    let shift = (64 - largest.leading_zeros()).saturating_sub(28);
    let squares: u64 = sums.iter().map(|sum| (sum.unsigned_abs() >> shift).pow(2)).sum();
    let length = i64::try_from(squares.isqrt().max(1)).unwrap();
    sums.map(|sum| i16::try_from(((sum >> shift) * LENGTH / length).clamp(-127, 127)).unwrap())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn parts_of_a_direction_are_those_of_whole_numbers(
        sums in prop::array::uniform::<_, DIMENSIONS>((any::<i64>(), 0_u32..64).prop_map(|(sum, bits)| sum >> bits))
    ) {
        prop_assert_eq!(direction(&sums), divided(&sums));
    }

    #[test]
    fn parts_of_the_direction_of_a_text_are_those_of_whole_numbers(
        sums in prop::array::uniform::<_, DIMENSIONS>(-40_000_i64..40_000), with in 0_usize..=DIMENSIONS
    ) {
        // Most texts say something of few dimensions, and the parts of those are large.
        let mut sums = sums;
        sums[with..].fill(0);
        prop_assert_eq!(direction(&sums), divided(&sums));
    }
}
