//! Properties that hold for all logs and stores.

use contracts::{
    Features, IntentTags, NanoUsd, Score, SideEffect, TokenBucket,
    events::{EvictionReason, PatternEvicted, PatternsCleared, TurnEmbedded},
    views::{CostScale, Estimator, PatternQuery, PatternSettings, PatternView},
};
use event_core::{Position, Projected, Timestamp};
use patterns::{Patterns, Sample, Store, features, project_embedding, similarity};
use proptest::{option, prelude::*, sample::select};

use crate::{
    fixtures::{
        Log, WORKSPACE, called, ended, judged, model, overridden, paper, recommend_any, recommend_known, sample,
        started, worker_call,
    },
    reference::{self, Turn},
};

/// The models of random turns; some tests treat `b:gone` as unknown.
const MODELS: [&str; 4] = ["a:x", "a:y", "b:x", "b:gone"];

/// Generates lists that are sorted and have no duplicates, like every list of features.
fn list(values: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(select(values), 0..3).prop_map(|values| values.into_iter().map(str::to_owned).collect())
}

/// Generates structural features with so few values that turns often have some in common.
fn some_features() -> impl Strategy<Value = Features> {
    let effects = select(&[SideEffect::Read, SideEffect::Write, SideEffect::Execute][..]);
    (
        (list(&[".rs", ".md", ".py"]), list(&["src", "docs", "tests"]), list(&["Read", "Edit", "Bash"])),
        prop::collection::btree_set(effects, 0..3),
        (prop::bool::weighted(0.1), any::<bool>()),
        (0..4_u8, select(&[0_u8, 1, 2, 3, 8, 32, 63][..])),
    )
        .prop_map(|((extensions, directories, tools), effects, (images, tool_history), (tokens, intents))| {
            Features {
                extensions,
                directories,
                tools,
                side_effects: effects.into_iter().collect(),
                images,
                tool_history,
                tokens: TokenBucket(tokens),
                intents: IntentTags(intents),
                ..Features::default()
            }
        })
}

/// Generates scores; half of them are multiples of a quarter, so that ties occur.
fn score() -> impl Strategy<Value = Score> {
    prop_oneof![(0..=1_000_000_000_u64).prop_map(Score), (0..=4_u64).prop_map(|quarter| Score(quarter * 250_000_000))]
}

/// Generates up to 59 turns, with costs up to the limit of exact sums.
fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let cost = option::weighted(0.9, prop_oneof![(0..5_u64).prop_map(NanoUsd), (0..u64::MAX / 64).prop_map(NanoUsd)]);
    let turn = (some_features(), select(&MODELS[..]).prop_map(model), cost, option::weighted(0.7, score()));
    prop::collection::vec(turn, 0..60)
}

/// Generates settings of the estimator `Paper`.
fn some_settings() -> impl Strategy<Value = PatternSettings> {
    let min_similarity = select(&[0, 300_000_000, 700_000_000][..]).prop_map(Score);
    let scale = select(&[CostScale::Cluster, CostScale::Relative][..]);
    (score(), min_similarity, prop_oneof![0..12_u16, Just(512)], scale).prop_map(
        |(cost_weight, min_similarity, neighbours, cost_scale)| PatternSettings {
            cost_weight,
            min_similarity,
            neighbours,
            cost_scale,
            ..paper()
        },
    )
}

/// Returns a store with these turns, recorded and scored in order.
fn store(turns: &[Turn]) -> Store {
    let mut store = Store::default();
    for (features, model, cost, score) in turns {
        let row = store.record(Sample { cost: *cost, ..sample(features, model, None) });
        store.replace_score(row, None, *score, Timestamp::default());
    }
    store
}

/// An event about one of a few turns.
#[derive(Debug, Clone)]
enum Step {
    /// The turn starts with these features.
    Started(Features),
    /// A model answers a call of the turn, at a cost in nano-dollars.
    Called(&'static str, Option<u64>),
    /// A worker inside the turn makes a call.
    Worker,
    /// The user reassigns the turn to another model.
    Overridden,
    /// The turn ends.
    Ended,
    /// The turn is evaluated: score and confidence in hundredths, version of the rubric.
    Judged(u64, u64, u16),
    /// A message is embedded; the number selects message, embedder and vector.
    Embedded(u8),
    /// Rows unchanged since a second are evicted, and all but a number of rows.
    Evicted(Option<u64>, u32),
    /// The store of the workspace is cleared, or all stores if `true`.
    Cleared(bool),
}

/// Features with words, which the reference ignores.
fn features_with_words() -> impl Strategy<Value = Features> {
    let words = prop::collection::vec(select(&["fix", "the", "login", "poem", "verse", "now"][..]), 0..5);
    let workload = option::weighted(0.3, select(&["mail", "code"][..]).prop_map(str::to_owned));
    (some_features(), words, workload, option::of(0..4_u64)).prop_map(|(features, words, workload, text)| Features {
        sketch: features::sketch(&words.join(" ")),
        workload,
        text,
        ..features
    })
}

/// Generates up to 199 events, each with the name of its turn.
fn steps() -> impl Strategy<Value = Vec<(&'static str, Step)>> {
    let step = prop_oneof![
        6 => features_with_words().prop_map(Step::Started),
        9 => (select(&MODELS[..]), option::of(0..1_000_u64)).prop_map(|(model, cost)| Step::Called(model, cost)),
        1 => Just(Step::Worker),
        1 => Just(Step::Overridden),
        6 => Just(Step::Ended),
        1 => any::<u8>().prop_map(Step::Embedded),
        1 => (option::of(0..200_u64), 0..12_u32).prop_map(|(since, keep)| Step::Evicted(since, keep)),
        1 => prop::bool::weighted(0.2).prop_map(Step::Cleared),
        8 => (0..=100_u64, 40..=100_u64, 1..3_u16).prop_map(|(score, sure, version)| Step::Judged(score, sure, version)),
    ];
    let turns = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    prop::collection::vec((prop::sample::select(turns.to_vec()), step), 0..200)
}

/// Returns a log of these events.
fn log(steps: &[(&str, Step)]) -> Log {
    let mut log = Log::default();
    for (turn, step) in steps {
        match step {
            Step::Started(features) => log.append(&started(turn, features)),
            Step::Called(model, cost) => log.append(&called(turn, model, *cost)),
            Step::Worker => log.append(&worker_call(turn, "a:worker", None)),
            Step::Overridden => log.append(&overridden(turn, "a:x", "a:y")),
            Step::Ended => log.append(&ended(turn)),
            Step::Judged(score, sure, version) => log.append(&judged(turn, *score, *sure, *version)),
            Step::Embedded(number) => {
                let (text, embedder) = (u64::from(number % 4), format!("m/{}", number % 2));
                let vector = project_embedding(&[f32::from(*number), 100.0, -30.0]);
                log.append(&TurnEmbedded { turn: crate::fixtures::turn(turn), text, embedder, vector });
            }
            Step::Evicted(since, keep) => log.append(&PatternEvicted {
                workspace: Some(WORKSPACE.to_owned()),
                reason: EvictionReason::Cap,
                rows: 0,
                evicted: 0,
                unchanged_since: since.map(Timestamp::from_secs),
                keep: *keep,
            }),
            Step::Cleared(all) => {
                let workspace = Some(WORKSPACE.to_owned()).filter(|_| !all);
                log.append(&PatternsCleared { all: *all, workspace, rows: 0 });
            }
        }
    }
    log
}

/// Runs 192 cases and saves no failures to disk.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_search_agrees_with_sorting_all_rows(
        turns in turns(), query in some_features(), settings in some_settings()
    ) {
        let known = |model: &contracts::ModelId| model.as_str() != "b:gone";
        let found = recommend_known(&store(&turns), &query, &settings, &known);
        prop_assert_eq!(found, reference::recommend(&turns, &query, &settings, known));
    }

    #[test]
    fn the_order_of_turns_does_not_matter(
        (turns, shuffled) in turns().prop_flat_map(|turns| (Just(turns.clone()), Just(turns).prop_shuffle())),
        query in some_features(),
        settings in some_settings(),
    ) {
        let [one, other] = [turns, shuffled].map(|turns| recommend_any(&store(&turns), &query, &settings));
        prop_assert_eq!(one, other);
    }

    #[test]
    fn similarity_agrees_with_a_naive_implementation_and_is_symmetric(one in some_features(), other in some_features()) {
        prop_assert_eq!(similarity(&one, &other), reference::similarity(&one, &other));
        prop_assert_eq!(similarity(&one, &other), similarity(&other, &one));
    }

    #[test]
    fn a_state_resumed_from_any_checkpoint_equals_the_state_rebuilt(steps in steps(), cut in 0..200_usize) {
        let log = log(&steps);
        let before = self::log(&steps[..cut.min(steps.len())]).view;
        let saved = before.checkpoint().unwrap();
        let mut resumed: Projected<Patterns> = Projected::resume(Some(&saved), Position(log.events.len() as u64));
        prop_assert_eq!(&resumed, &before);
        for event in &log.events {
            resumed.advance(event).unwrap();
        }
        prop_assert_eq!(&resumed, &log.view);
    }

    /// Recommendations do not panic, and have no score above 1, for any features, numbers and settings.
    #[test]
    fn a_recommendation_never_panics_and_scores_are_at_most_one(
        lists in prop::array::uniform3(prop::collection::vec("[ab]{0,2}", 0..200)),
        bytes in any::<[u8; 2]>(),
        numbers in any::<[u64; 5]>(),
        neighbours in any::<u16>(),
        estimator in select(&[Estimator::Paper, Estimator::Calibrated][..]),
    ) {
        let [extensions, directories, tools] = lists;
        let [tokens, intents] = bytes.map(|byte| byte);
        let odd = Features {
            extensions, directories, tools,
            tokens: TokenBucket(tokens),
            intents: IntentTags(intents),
            ..Features::default()
        };
        let [score, cost, cost_weight, min_similarity, min_confidence] = numbers;
        let settings = PatternSettings {
            cost_weight: Score(cost_weight),
            min_similarity: Score(min_similarity),
            min_confidence: Score(min_confidence),
            neighbours,
            ..PatternSettings::defaults_for(estimator)
        };
        let mut log = Log::default();
        log.append(&started("one", &odd));
        log.append(&called("one", "a:x", Some(cost)));
        log.append(&contracts::events::EvalCompleted { score: Score(score), ..judged("one", 0, 100, 1) });
        log.append(&ended("one"));
        for features in [&odd, &Features::default()] {
            let workspace = Some(WORKSPACE);
            let query = PatternQuery { workspace, features, settings: &settings, baseline: None, known: &|_| true };
            let found = log.view.state().recommend(&query);
            for score in found.iter().flat_map(|found| &found.alternatives).filter_map(|model| model.score) {
                prop_assert!(score <= Score::ONE);
            }
        }
    }

    /// Feature extraction does not panic for any text and workspace.
    #[test]
    fn feature_extraction_never_panics(text in any::<String>(), workspace in any::<Option<String>>()) {
        let _ = features::intent_tags(&text);
        let extension = features::extension(&text);
        prop_assert!(extension.is_none_or(|extension| extension.starts_with('.')));
        let directory = features::top_directory(&text, workspace.as_deref());
        prop_assert!(directory.is_none_or(|directory| !directory.contains('/')));
    }
}
