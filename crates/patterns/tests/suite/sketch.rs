//! Sketches of messages.

use contracts::Sketch;
use patterns::features::{MAX_HASHES, SHAPE_LEVELS, sketch};
use proptest::prelude::*;

use crate::naive_sketch;

/// Parts of messages: words in any script and case, numbers, list items, code, white space, any text.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => "[0-9]{1,18}",
        2 => "[ \t\n\r.,!?]{1,3}",
        1 => "[A-I0-9]{1,2}[.)]|- |\\* |\n[A-I0-9*-]",
        1 => "[ΑΣΟΔΕΣσς]{1,6}|[äöüßÄİıŉǰ]{1,4}|[日本語漢字١٢٣]{1,3}|\u{301}|\u{a0}|\u{85}",
        1 => "[=+*/^<>(){}$%|&_;:`#\"'\\\\\\[\\]-]{1,3}|```|def |fn |;\n|\\(\\);",
        1 => "[a-zé]{40,60}",
        1 => any::<String>(),
    ]
}

/// Messages of such parts, some of them longer than the window.
fn message() -> impl Strategy<Value = String> {
    let glue = prop_oneof![4 => Just(" "), 1 => Just(""), 1 => Just("\n")];
    let pieces = prop_oneof![6 => 0..60_usize, 1 => 400..1_500_usize];
    pieces.prop_flat_map(move |pieces| {
        let pieces = prop::collection::vec((piece(), glue.clone()), pieces);
        pieces.prop_map(|pieces| pieces.into_iter().flat_map(|(piece, glue)| [piece, glue.to_owned()]).collect())
    })
}

/// A text of `count` different words.
fn words(prefix: &str, count: usize) -> String {
    (0..count).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>().join(" ")
}

/// The number of word hashes in common.
fn common(one: &Sketch, other: &Sketch) -> usize {
    one.words.iter().filter(|word| other.words.contains(word)).count()
}

#[test]
fn an_empty_text_has_no_hashes_and_a_zero_shape() {
    for empty in ["", " ", "\n\t\n"] {
        let Sketch { words, pairs, shape } = sketch(empty);
        assert_eq!((words, pairs), (Vec::new(), Vec::new()), "of {empty:?}");
        assert_eq!(shape.len(), SHAPE_LEVELS);
    }
    assert_eq!(sketch("").shape, [0; SHAPE_LEVELS]);
}

#[test]
fn case_punctuation_and_repetition_are_ignored() {
    let [one, other] = ["Fix the LOGIN, fix it!", "«it» (fix) login... the"].map(|text| sketch(text).words);
    assert_eq!(one, other);
    // Words of at most five letters have no prefix hash.
    assert_eq!(one.len(), 4);
}

#[test]
fn words_with_the_same_prefix_share_a_hash() {
    let [one, other] = ["refactor", "refactoring"].map(sketch);
    assert_eq!((one.words.len(), other.words.len(), common(&one, &other)), (2, 2, 1));
}

#[test]
fn pairs_depend_on_the_order_of_words() {
    let [one, other] = ["dog bites man", "man bites dog"].map(sketch);
    assert_eq!(one.words, other.words);
    assert_ne!(one.pairs, other.pairs);
    assert_eq!(one.pairs.len(), 2);
}

#[test]
fn three_of_four_selected_words_are_from_the_end() {
    let (context, question) = (words("c", 400), words("q", 400));
    let found = sketch(&format!("{context} {question}"));
    assert_eq!((found.words.len(), found.pairs.len()), (MAX_HASHES, 0));
    let only = |text: &str| common(&found, &sketch(text));
    // Hashes in common with a sketch of the last or the first words alone.
    let (end, beginning) = (words("q", 400), words("c", 40));
    let last = end.split(' ').skip(400 - 130).collect::<Vec<_>>().join(" ");
    assert!((120..=130).contains(&only(&last)), "{} of the last 130 words", only(&last));
    assert!((36..=40).contains(&only(&beginning)), "{} of the first 40 words", only(&beginning));
}

#[test]
fn the_middle_of_a_long_text_is_ignored() {
    let (first, last) = (words("a", 100), words("z", 100));
    let text = |middle: &str| sketch(&format!("{first} {middle} {last}"));
    let [one, other] = ["m ", "n "].map(|word| text(&word.repeat(20_000)));
    assert_eq!(common(&one, &sketch(&last)), 100);
    assert_eq!(one.words.len(), other.words.len());
    // The repeated word of the middle is in the window.
    assert!(one.words.len() - common(&one, &other) <= 1);
    let marked = text(&format!("{} unmistakable {}", "m ".repeat(10_000), "m ".repeat(10_000)));
    assert_eq!(marked.words, one.words);
}

#[test]
fn texts_of_many_words_have_the_sketch_of_the_definition() {
    for count in [0, 1, 2, 60, 63, 64, 65, 95, 96, 97, 128, 191, 192, 193, 400, 2_000] {
        for prefix in ["", "w", "prefix"] {
            let text = words(prefix, count);
            assert_eq!(sketch(&text), naive_sketch::sketch(&text), "{count} words with the prefix `{prefix}`");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sketch_is_bounded_and_sorted(text in any::<String>(), times in 1..300_usize) {
        let text = text.repeat(times);
        let found = sketch(&text);
        prop_assert!(found.numbers().count() <= MAX_HASHES);
        prop_assert_eq!(found.shape.len(), SHAPE_LEVELS);
        for numbers in [&found.words, &found.pairs] {
            prop_assert!(numbers.is_sorted_by(|one, other| one < other));
        }
        prop_assert!(found.pairs.iter().all(|pair| !found.words.contains(pair)));
        prop_assert_eq!(&sketch(&text), &found);
    }

    #[test]
    fn any_message_has_the_sketch_of_the_definition(text in message()) {
        prop_assert_eq!(sketch(&text), naive_sketch::sketch(&text));
    }
}
