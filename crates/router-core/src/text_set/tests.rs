//! One pass over a message finds what every predicate finds alone, and no accepted pattern costs too much.

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{RngSeed, TestCaseResult},
};
use regex::Regex;

use super::{MAX_SEARCHED_BYTES, Matches, Pattern, PatternError, TextSet, cost::Cost, pattern::MAX_COMPILED_BYTES};

/// The same cases every time; `PROPTEST_CASES` (256 when unset) has more of them, `PROPTEST_RNG_SEED` others.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = if default.rng_seed == RngSeed::Random { RngSeed::Fixed(9) } else { default.rng_seed };
    ProptestConfig { cases: cases * default.cases / 256, failure_persistence: None, rng_seed, ..default }
}

/// What a policy may ask of a message.
#[derive(Debug, Clone)]
enum Asked {
    Pattern(String),
    Needles(Vec<String>),
}

/// Pieces of messages, and of what is looked for in them: so that much is found, and much nearly.
const PIECES: [&str; 16] =
    ["a", "b", "ab", "AB", "abc", "ba", "é", "É", "ß", "ΣΑΣ", "σας", "日本", " ", "\n", "1", "/ab"];

fn message() -> impl Strategy<Value = String> {
    vec(select(&PIECES[..]), 0..12).prop_map(|pieces| pieces.concat())
}

fn pattern() -> impl Strategy<Value = String> {
    let literal = select(&PIECES[..]).prop_map(regex::escape);
    let class = select(&["[ab]", "[AB]", "[^a]", r"\w", r"\d", r"\s", ".", r"\p{Greek}", "[a-zé]", "(?s:.)"][..]);
    let anchor = select(&["^", "$", r"\b", r"\B", "(?m:^)", "(?m:$)", r"\A", r"\z", ""][..]);
    let leaf = prop_oneof![6 => literal, 2 => class.prop_map(str::to_owned), 1 => anchor.prop_map(str::to_owned)];
    leaf.prop_recursive(4, 12, 3, |inner| {
        let repeated = select(&["*", "+", "?", "{2}", "{0,2}", "*?", "{2,}"][..]);
        prop_oneof![
            4 => vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => inner.clone().prop_map(|part| format!("({part})")),
            1 => inner.clone().prop_map(|part| format!("(?i:{part})")),
            1 => inner.clone().prop_map(|part| format!("(?-u:{part})")),
            2 => (inner, repeated).prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

fn asked() -> impl Strategy<Value = Asked> {
    let needles = vec(vec(select(&PIECES[..]), 1..3).prop_map(|pieces| pieces.concat()), 1..4);
    prop_oneof![3 => pattern().prop_map(Asked::Pattern), 1 => needles.prop_map(Asked::Needles)]
}

/// Evaluates a single predicate naively.
fn holds(asked: &Asked, message: &str) -> bool {
    match asked {
        Asked::Pattern(pattern) => Regex::new(pattern).unwrap().is_match(message),
        Asked::Needles(needles) => needles.iter().any(|needle| message.to_lowercase().contains(&needle.to_lowercase())),
    }
}

/// Adds all predicates to a set. Returns the set and the accepted predicates with their indices.
fn set_of(all: Vec<Asked>) -> (TextSet, Vec<(u16, Asked)>) {
    let mut set = TextSet::default();
    let add = |asked: Asked| {
        let number = match &asked {
            Asked::Pattern(pattern) => set.add_pattern(pattern),
            Asked::Needles(needles) => set.add_needles(&needles.iter().map(String::as_str).collect::<Vec<_>>()),
        };
        number.ok().map(|number| (number, asked))
    };
    let numbered = all.into_iter().filter_map(add).collect();
    (set, numbered)
}

fn agrees(set: &TextSet, numbered: &[(u16, Asked)], message: &str) -> TestCaseResult {
    let matches = set.matches(message);
    for (number, asked) in numbered {
        prop_assert_eq!(matches.contains(*number), holds(asked, message), "{:?} in {:?}", asked, message);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn the_set_matches_exactly_the_predicates_that_match_alone(
        all in vec(asked(), 1..8),
        messages in vec(message(), 1..6),
    ) {
        let (set, numbered) = set_of(all);
        for message in messages {
            agrees(&set, &numbered, &message)?;
        }
    }

    #[test]
    fn arbitrary_text_is_a_pattern_that_compiles_or_is_refused(text in "\\PC{0,40}") {
        if let Ok(pattern) = checked(&text) {
            prop_assert!(compiles(&pattern), "{:?}", text);
        }
    }
}

proptest! {
    #![proptest_config(config(20))]

    /// More than 64 predicates: more than one word of bits.
    #[test]
    fn each_of_a_hundred_predicates_matches_its_own_text(
        needles in vec(vec(select(&PIECES[..]), 2..5).prop_map(|pieces| pieces.concat()), 100),
        message in message(),
    ) {
        let all = needles.into_iter().enumerate().map(|(index, text)| match index % 2 {
            0 => Asked::Pattern(regex::escape(&text)),
            _ => Asked::Needles(vec![text]),
        });
        let (set, numbered) = set_of(all.collect());
        agrees(&set, &numbered, &message)?;
        let matches = set.matches(&message);
        prop_assert_eq!(Matches::from_numbers(&matches.numbers()).numbers(), matches.numbers());
    }
}

/// A pattern, alone in its policy.
fn checked(text: &str) -> Result<Pattern, PatternError> {
    Pattern::new(text, &mut Cost::default())
}

fn compiles(pattern: &Pattern) -> bool {
    regex::RegexBuilder::new(pattern.text()).size_limit(MAX_COMPILED_BYTES).build().is_ok()
}

/// The most repetitions of `part` that are accepted.
fn most_repeated(part: &str) -> Pattern {
    let accepted = |times: u32| checked(&format!("(?:{part}){{{times}}}")).ok();
    let (mut yes, mut no) = (0, 2_001);
    while 1 < no - yes {
        let middle = u32::midpoint(yes, no);
        if accepted(middle).is_some() { yes = middle } else { no = middle }
    }
    accepted(yes).unwrap()
}

/// The bound counts without compiling; what it lets through must compile, or a rule would silently never match.
#[test]
fn every_pattern_within_the_limits_compiles() {
    let parts = [
        "a",
        "ab",
        "[ab]",
        "(?i)k",
        "(?i)straße",
        ".",
        "(?s).",
        r"\w",
        r"\W",
        r"\d",
        r"\s",
        r"\pL",
        r"\PL",
        r"[^\w\s]",
        "[^a]",
        "日",
        r"\b",
        "^",
        "a?",
        "a*",
        "a|b",
        "(a|b|)",
        r"(?:\w|\d|x)",
        r"[\p{Greek}\p{Cyrillic}]",
        "",
        r"(?i:[a-z])",
        r"\b\w+\b",
        "(?:a{3}|b{4}){5}",
        r"(?-u:\w)",
    ];
    for part in parts {
        let pattern = most_repeated(part);
        assert!(compiles(&pattern), "{}", pattern.text());
    }
}

#[test]
fn repetitions_within_repetitions_are_multiplied() {
    for text in
        ["a{1000}{100}", "(a{50}){50}", "((a{2}){50}){50}", r"\w{26}", "(?:a|b|c){700}", "a{0,3000}", "a{3000,}"]
    {
        let error = checked(text).unwrap_err().to_string();
        assert!(error.contains("too large"), "{error}");
    }
}

#[test]
fn the_total_cost_of_all_patterns_is_limited() {
    let mut set = TextSet::default();
    let accepted = (0..4_000).take_while(|index| set.add_pattern(&format!(r"\w{{20}}{index}")).is_ok()).count();
    assert_eq!(accepted, 125, "each has 20 times 796 ranges");
    let error = set.pattern(r"\w{20}").unwrap_err().to_string();
    assert!(error.contains("with those before it, is 2005920, the most is 2000000"), "{error}");
    assert!(set.add_pattern("still").is_ok(), "what was refused costs nothing");
}

#[test]
fn d38_the_first_256_kib_are_searched_and_cut_at_a_character() {
    assert_eq!(MAX_SEARCHED_BYTES, 256 * 1024);
    let mut set = TextSet::default();
    let end = set.add_pattern("end").unwrap();
    let last = set.add_pattern("é").unwrap();
    let needle = set.add_needles(&["END"]).unwrap();
    let found = |message: &str| set.matches(message).numbers();

    let fits = format!("{}end", "x".repeat(MAX_SEARCHED_BYTES - 3));
    assert_eq!(found(&fits), [end, needle]);
    assert_eq!(found(&format!("{fits} and so on")), [end, needle]);
    assert_eq!(found(&format!("x{fits}")), [0_u16; 0]);

    // A character of two bytes that ends at the cut is seen, one that straddles it is not.
    assert_eq!(found(&format!("{}éend", "x".repeat(MAX_SEARCHED_BYTES - 2))), [last]);
    assert_eq!(found(&format!("{}éend", "x".repeat(MAX_SEARCHED_BYTES - 1))), [0_u16; 0]);
}

/// The message continues after the cut, so neither the end of the text nor the end of a word is at the cut.
#[test]
fn d38_an_end_anchor_does_not_match_at_the_cut() {
    let mut set = TextSet::default();
    let patterns = ["end$", r"end\z", r"end\b", "(?m)end$", r"end\B"].map(|text| set.add_pattern(text).unwrap());
    let [end_of_text, absolute_end, word_end, line_end, inside_word] = patterns;
    let found = |message: &str| set.matches(message).numbers();

    let fits = format!("{}end", "x".repeat(MAX_SEARCHED_BYTES - 3));
    assert_eq!(found(&fits), [end_of_text, absolute_end, word_end, line_end]);
    assert_eq!(found(&format!("{fits}less")), [inside_word]);
    assert_eq!(found(&format!("{fits} and so on")), [word_end]);
    assert_eq!(found(&format!("{fits}\nnext line")), [word_end, line_end]);
    // A match may not use text after the cut.
    assert_eq!(found(&format!("xx{fits}")), [0_u16; 0]);
}

/// What is looked for first has small letters only; what matches may have any.
#[test]
fn capital_letters_are_found_for_every_notation_of_a_pattern() {
    let patterns =
        ["[AB]ab|zz", "(?:[A-C]x|yy)z", "(?i)ab|[Q]uit", r"\x41b|zz", "[^a-z]b|zz", r"\p{Lu}b|zz", "É[AB]|zz"];
    let messages = ["Aab", "aab", "Bxz", "AB", "Quit", "quit", "Ab", "ab", "ÉA", "éa", "zz", "ZZ", ""];
    let (set, numbered) = set_of(patterns.map(|pattern| Asked::Pattern(pattern.to_owned())).to_vec());
    assert_eq!(numbered.len(), patterns.len());
    for message in messages {
        agrees(&set, &numbered, message).unwrap();
    }
}

#[test]
fn equal_predicates_have_one_number() {
    let mut set = TextSet::default();
    assert_eq!(set.add_pattern("ab"), Ok(0));
    assert_eq!(set.add_needles(&["ab"]), Ok(1));
    assert_eq!(set.add_pattern("(?i)ab"), Ok(2));
    assert_eq!(set.add_needles(&["AB"]), Ok(1), "needles are compared without case");
    assert_eq!(set.add_pattern("ab"), Ok(0));
    assert_eq!(set.matches("xABx").numbers(), [1, 2]);
}
