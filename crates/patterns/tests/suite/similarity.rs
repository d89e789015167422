//! The structural similarity of two turns.

use contracts::{Features, IntentTag, Score, views::PatternSettings};
use event_core::Timestamp;
use patterns::{Store, similarity};

use crate::fixtures::{full, golden, model, paper, recommend_any, sample, with_intent};

#[test]
fn the_similarity_of_the_golden_pair_is_three_eighths() {
    let [one, other] = golden();
    assert_eq!(similarity(&one, &other), Score(375_000_000));
    assert_eq!(similarity(&other, &one), Score(375_000_000));
}

#[test]
fn equal_turns_have_a_similarity_of_one() {
    assert_eq!(similarity(&full(), &full()), Score::ONE);
    assert_eq!(similarity(&Features::default(), &Features::default()), Score::ONE);
}

#[test]
fn earlier_tool_calls_are_ignored() {
    assert_eq!(similarity(&full(), &Features { tool_history: false, ..full() }), Score::ONE);
}

#[test]
fn each_feature_has_its_weight() {
    let full = full();
    for (changed, weight) in [
        (Features { intents: with_intent(IntentTag::Doc).intents, ..full.clone() }, 30),
        (Features { extensions: vec![".md".to_owned()], ..full.clone() }, 20),
        (Features { tools: Vec::new(), ..full.clone() }, 15),
        (Features { directories: vec!["docs".to_owned()], ..full.clone() }, 10),
        (Features { side_effects: Vec::new(), ..full.clone() }, 10),
        (Features { tokens: contracts::TokenBucket(0), ..full.clone() }, 10),
        (Features { images: true, ..full.clone() }, 5),
    ] {
        assert_eq!(similarity(&full, &changed), Score((100 - weight) * 10_000_000), "{changed:?}");
    }
}

/// A store with one scored turn.
fn store(features: &Features) -> Store {
    let mut store = Store::default();
    let row = store.record(sample(features, &model("a:x"), None));
    store.replace_score(row, None, Some(Score::ONE), Timestamp::default());
    store
}

/// Whether the search for `query` finds a store's only turn.
fn finds(recorded: &Features, query: &Features, min_similarity: Score) -> bool {
    let settings = PatternSettings { min_similarity, ..paper() };
    recommend_any(&store(recorded), query, &settings).is_some()
}

#[test]
fn turns_that_share_only_empty_features_are_no_neighbours() {
    let floor = paper().min_similarity;
    let (debug, doc) = (with_intent(IntentTag::Debug), with_intent(IntentTag::Doc));
    assert_eq!(similarity(&debug, &doc), Score(700_000_000));
    assert!(!finds(&debug, &doc, floor));
    assert!(!finds(&Features::default(), &doc, floor));
    assert!(finds(&doc, &doc, floor));
    assert!(finds(&Features::default(), &Features::default(), floor));
}

#[test]
fn without_a_minimum_similarity_every_row_is_a_candidate() {
    let (debug, doc) = (with_intent(IntentTag::Debug), with_intent(IntentTag::Doc));
    assert!(finds(&debug, &doc, Score::ZERO));
}

#[test]
fn the_minimum_similarity_is_inclusive() {
    let [one, other] = golden();
    assert!(finds(&one, &other, Score(375_000_000)));
    assert!(!finds(&one, &other, Score(375_000_001)));
}

#[test]
fn values_beyond_127_share_a_bit() {
    let with = |number: usize| Features { tools: vec![format!("tool{number:03}")], ..full() };
    let mut store = Store::default();
    for number in 0..200 {
        let row = store.record(sample(&with(number), &model("a:x"), None));
        store.replace_score(row, None, Some(Score::ONE), Timestamp::default());
    }
    let settings = PatternSettings { min_similarity: Score::ONE, neighbours: 200, ..paper() };
    let alike =
        |number| recommend_any(&store, &with(number), &settings).map_or(0, |recommendation| recommendation.samples);
    assert_eq!([alike(0), alike(126), alike(127), alike(199), alike(500)], [1, 1, 73, 73, 73]);
}
