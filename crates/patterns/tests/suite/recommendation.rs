//! The estimator `Paper` (004 §5.5) with the numbers of its specification.

use contracts::{
    Recommendation, Score,
    views::{CostScale, PatternSettings},
};
use event_core::Timestamp;
use patterns::Store;

use crate::fixtures::{full, model, paper, recommend_any, recommend_known, sample};

/// The name of a model, and score and cost of each of its turns; `None` where unknown.
struct Turns<'a>(&'a str, &'a [(Option<u64>, Option<u64>)]);

/// One cent in nano-dollars.
const CENT: u64 = 10_000_000;

/// Returns the recommendation for a turn of the same features as all turns of `models`; scores are in thousandths,
/// costs in nano-dollars.
fn recommend(models: &[Turns<'_>], settings: PatternSettings) -> Option<Recommendation> {
    let mut store = Store::default();
    for Turns(name, turns) in models {
        for (score, cost) in *turns {
            let row = store.record(sample(&full(), &model(name), *cost));
            store.replace_score(row, None, score.map(|score| Score(score * 1_000_000)), Timestamp::default());
        }
    }
    recommend_any(&store, &full(), &settings)
}

/// Returns settings of the estimator `Paper` with a cost weight in hundredths.
fn weighing(cost_weight: u64) -> PatternSettings {
    PatternSettings { cost_weight: Score(cost_weight * 10_000_000), ..paper() }
}

/// Formats every model with its score and its number of scored samples, then the choice with its confidence:
/// `a:haiku 0.79 of 1, a:sonnet 0.63 of 1: a:haiku by 0.202531645`.
fn show(recommendation: Option<Recommendation>) -> String {
    let Some(found) = recommendation else { return "nothing".to_owned() };
    let alternatives = found.alternatives.iter().map(|alternative| match alternative.score {
        Some(score) => format!("{} {} of {}", alternative.model, decimal(score), alternative.samples),
        None => format!("{} unknown", alternative.model),
    });
    let alternatives = alternatives.collect::<Vec<_>>().join(", ");
    format!("{alternatives}: {} by {}", found.model, decimal(found.confidence))
}

/// Formats a score with all nine decimals, without the zeros at the end.
fn decimal(score: Score) -> String {
    let text = format!("{}.{:09}", score.0 / 1_000_000_000, score.0 % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Shows the recommendation for a cheap model and one of ten times its cost, with scores in thousandths and the cost
/// weight in hundredths.
fn two(haiku: u64, sonnet: u64, cost_weight: u64) -> String {
    let cheap = [(Some(haiku), Some(CENT))];
    let dear = [(Some(sonnet), Some(10 * CENT))];
    show(recommend(&[Turns("a:sonnet", &dear), Turns("a:haiku", &cheap)], weighing(cost_weight)))
}

#[test]
fn a_lower_cost_weight_selects_the_model_of_higher_quality() {
    insta::assert_snapshot!(two(700, 900, 30), @"a:haiku 0.79 of 1, a:sonnet 0.63 of 1: a:haiku by 0.202531645");
    insta::assert_snapshot!(two(700, 900, 10), @"a:sonnet 0.81 of 1, a:haiku 0.73 of 1: a:sonnet by 0.098765432");
    insta::assert_snapshot!(two(780, 850, 10), @"a:haiku 0.802 of 1, a:sonnet 0.765 of 1: a:haiku by 0.046134663");
    insta::assert_snapshot!(two(780, 850, 5), @"a:sonnet 0.8075 of 1, a:haiku 0.791 of 1: a:sonnet by 0.020433436");
    insta::assert_snapshot!(two(910, 1000, 10), @"a:haiku 0.919 of 1, a:sonnet 0.9 of 1: a:haiku by 0.020674646");
    insta::assert_snapshot!(two(910, 1000, 5), @"a:sonnet 0.95 of 1, a:haiku 0.9145 of 1: a:sonnet by 0.037368421");
}

/// At equal success the confidence equals the cost weight, which is the default threshold.
#[test]
fn at_equal_success_the_confidence_equals_the_cost_weight() {
    insta::assert_snapshot!(two(1000, 1000, 5), @"a:haiku 1 of 1, a:sonnet 0.95 of 1: a:haiku by 0.05");
    let found = recommend(
        &[Turns("a:haiku", &[(Some(1000), Some(CENT))]), Turns("a:sonnet", &[(Some(1000), Some(10 * CENT))])],
        paper(),
    );
    assert_eq!(found.unwrap().confidence, paper().min_confidence);
}

/// 004 §10.1 test 11.
#[test]
fn cost_weights_of_zero_and_one_select_different_models() {
    insta::assert_snapshot!(two(700, 900, 0), @"a:sonnet 0.9 of 1, a:haiku 0.7 of 1: a:sonnet by 0.222222222");
    insta::assert_snapshot!(two(700, 900, 100), @"a:haiku 1 of 1, a:sonnet 0 of 1: a:haiku by 1");
}

/// 004 §10.1 test 25.
#[test]
fn at_equal_costs_quality_decides() {
    let turns = |score| [(Some(score), Some(CENT))];
    let found = recommend(&[Turns("a:haiku", &turns(700)), Turns("a:sonnet", &turns(900))], weighing(30));
    insta::assert_snapshot!(show(found), @"a:sonnet 0.63 of 1, a:haiku 0.49 of 1: a:sonnet by 0.222222222");
}

#[test]
fn equal_models_tie_and_the_first_by_id_is_taken_without_confidence() {
    // 1/3 and 2/6: the same mean from different sums.
    let once = [(Some(0), Some(CENT)), (Some(0), Some(CENT)), (Some(1000), Some(CENT))];
    let twice = [once, once].concat();
    let found = recommend(&[Turns("a:y", &twice), Turns("a:x", &once)], weighing(5));
    insta::assert_snapshot!(show(found), @"a:x 0.316666666 of 3, a:y 0.316666666 of 6: a:x by 0");
}

#[test]
fn a_single_model_has_a_confidence_of_one() {
    insta::assert_snapshot!(show(recommend(&[Turns("a:haiku", &[(Some(700), Some(CENT))])], weighing(5))), @"a:haiku 0.665 of 1: a:haiku by 1");
}

#[test]
fn a_best_score_of_zero_has_a_confidence_of_zero() {
    insta::assert_snapshot!(show(recommend(&[Turns("a:haiku", &[(Some(0), Some(CENT))])], weighing(5))), @"a:haiku 0 of 1: a:haiku by 0");
}

#[test]
fn an_unscored_model_is_listed_last_and_does_not_affect_the_confidence() {
    let found = recommend(
        &[Turns("a:haiku", &[(None, Some(CENT)), (None, Some(CENT))]), Turns("a:sonnet", &[(Some(100), Some(CENT))])],
        weighing(5),
    );
    insta::assert_snapshot!(show(found), @"a:sonnet 0.095 of 1, a:haiku unknown: a:sonnet by 1");
}

#[test]
fn without_any_score_nothing_is_recommended() {
    assert_eq!(show(recommend(&[Turns("a:haiku", &[(None, Some(CENT))])], weighing(5))), "nothing");
}

#[test]
fn an_unscored_model_does_not_change_the_scale_of_costs() {
    let models = [
        Turns("a:haiku", &[(Some(500), Some(CENT))]),
        Turns("a:sonnet", &[(Some(500), Some(2 * CENT))]),
        Turns("a:opus", &[(None, Some(1_000 * CENT))]),
    ];
    insta::assert_snapshot!(show(recommend(&models, weighing(10))), @"a:haiku 0.55 of 1, a:sonnet 0.45 of 1, a:opus unknown: a:haiku by 0.181818181");
}

#[test]
fn a_model_of_unknown_cost_has_an_efficiency_of_zero() {
    let models = [
        Turns("a:haiku", &[(Some(500), Some(CENT))]),
        Turns("a:sonnet", &[(Some(500), Some(2 * CENT))]),
        Turns("ollama:qwen3", &[(Some(500), None)]),
    ];
    insta::assert_snapshot!(show(recommend(&models, weighing(10))), @"a:haiku 0.55 of 1, a:sonnet 0.45 of 1, ollama:qwen3 0.45 of 1: a:haiku by 0.181818181");
}

#[test]
fn a_sample_without_a_score_does_not_lower_the_mean() {
    let models = [Turns("a:haiku", &[(Some(800), Some(CENT)), (None, Some(CENT)), (Some(600), Some(CENT))])];
    insta::assert_snapshot!(show(recommend(&models, weighing(0))), @"a:haiku 0.7 of 2: a:haiku by 1");
}

#[test]
fn on_the_relative_scale_a_cost_difference_of_one_per_cent_counts_one_per_cent() {
    let models =
        [Turns("a:haiku", &[(Some(500), Some(99 * CENT))]), Turns("a:sonnet", &[(Some(500), Some(100 * CENT))])];
    let relative = PatternSettings { cost_scale: CostScale::Relative, ..weighing(10) };
    insta::assert_snapshot!(show(recommend(&models, relative)), @"a:haiku 0.451 of 1, a:sonnet 0.45 of 1: a:haiku by 0.002217294");
    insta::assert_snapshot!(show(recommend(&models, weighing(10))), @"a:haiku 0.55 of 1, a:sonnet 0.45 of 1: a:haiku by 0.181818181");
}

/// Costs of 0 cause no division by zero.
#[test]
fn free_models_cause_no_division_by_zero() {
    let relative = PatternSettings { cost_scale: CostScale::Relative, ..weighing(10) };
    let models = [Turns("ollama:a", &[(Some(500), Some(0))]), Turns("ollama:b", &[(Some(600), Some(0))])];
    insta::assert_snapshot!(show(recommend(&models, relative)), @"ollama:b 0.54 of 1, ollama:a 0.45 of 1: ollama:b by 0.166666666");
}

#[test]
fn only_the_nearest_rows_count() {
    let mut store = Store::default();
    let far = contracts::Features { tools: Vec::new(), ..full() };
    for (features, name, score) in [(full(), "a:near", 100), (far, "a:far", 1_000)] {
        let row = store.record(sample(&features, &model(name), None));
        store.replace_score(row, None, Some(Score(score * 1_000_000)), Timestamp::default());
    }
    let nearest = |neighbours| {
        let settings = PatternSettings { neighbours, ..weighing(0) };
        show(recommend_any(&store, &full(), &settings))
    };
    insta::assert_snapshot!(nearest(1), @"a:near 0.1 of 1: a:near by 1");
    insta::assert_snapshot!(nearest(2), @"a:far 1 of 1, a:near 0.1 of 1: a:far by 0.9");
    assert_eq!(nearest(0), "nothing");
}

#[test]
fn an_unknown_model_is_not_among_the_neighbours() {
    let mut store = Store::default();
    for name in ["a:gone", "a:here"] {
        let row = store.record(sample(&full(), &model(name), None));
        store.replace_score(row, None, Some(Score::ONE), Timestamp::default());
    }
    let settings = PatternSettings { neighbours: 1, ..paper() };
    let found = recommend_known(&store, &full(), &settings, &|model| model.as_str() != "a:gone");
    insta::assert_snapshot!(show(found), @"a:here 0.95 of 1: a:here by 1");
    assert_eq!(recommend_known(&store, &full(), &settings, &|_| false), None);
}
