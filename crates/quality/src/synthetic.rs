//! Tests on synthetic sets: one with a relation that can be learned, and one of noise.

use crate::{
    data::{Outcome, PromptSet, Turn},
    figures::{Figures, References},
    hash::Random,
    replay::PreparedSet,
    split::{KnownOutcomes, split_set},
    trial::{RouterKind, TrialPlan, run_trial},
};

/// The seed of the generated prompts and outcomes.
const SEED: u64 = 11;

/// Creates a set of 400 turns, whose prompts consist of words of one of two groups. `outcome` returns the scores of
/// both models for a group.
fn set(mut outcome: impl FnMut(usize, &mut Random) -> [f64; 2]) -> PromptSet {
    const WORDS: [[&str; 6]; 2] = [
        ["compiler", "borrow", "lifetime", "trait", "module", "crate"],
        ["poem", "verse", "rhyme", "sonnet", "ballad", "stanza"],
    ];
    let mut random = Random::new(SEED);
    let turns = (0..400).map(|turn| {
        let group = random.below(2);
        let words: Vec<_> = (0..5).map(|_| WORDS[group][random.below(6)]).collect();
        let scores = outcome(group, &mut random);
        Turn {
            id: format!("turn {turn}"),
            prompt: format!("please {} number {turn}", words.join(" ")),
            group: None,
            outcomes: [(scores[0], 0.001), (scores[1], 0.002)].map(|(score, cost)| Outcome { score, cost }).to_vec(),
            bucket: u32::try_from(random.below(10)).unwrap_or_default(),
        }
    });
    PromptSet {
        name: "synthetic".to_owned(),
        models: vec!["one".to_owned(), "other".to_owned()],
        turns: turns.collect(),
    }
}

/// Measures the store and the logistic regression. Returns, for each, its AIQ less that of the zero router, and the
/// share of the performance gap that it closes.
fn measure(set: &PromptSet, mode: KnownOutcomes) -> [(f64, f64); 2] {
    let (prepared_set, splits) = (PreparedSet::new(set), split_set(set));
    let plan =
        TrialPlan { mode, max_training_turns: usize::MAX, draw: 0, max_test_turns: usize::MAX, with_baselines: true };
    let trial = run_trial(set, &prepared_set, &splits, plan);
    let oracle = &trial.routers[0];
    let zero = References::compute(&trial.outcomes, &set.models, oracle).zero;
    [RouterKind::StoreRouted, RouterKind::Logistic].map(|kind| {
        let router = trial.routers.iter().find(|router| router.kind == kind).unwrap();
        let figures = Figures::compute(&trial.outcomes, router);
        (figures.aiq - zero, figures.gap.map_or(0.5, |gap| gap.average))
    })
}

#[test]
fn words_that_predict_the_better_model_are_learned() {
    // Each model is good at one group, the more expensive one moderately at the other as well.
    let set = set(|group, random| {
        let luck = |chance: usize, random: &mut Random| f64::from(u8::from(random.below(100) < chance));
        if group == 0 { [luck(90, random), luck(60, random)] } else { [luck(10, random), luck(90, random)] }
    });
    for mode in [KnownOutcomes::Full, KnownOutcomes::Partial] {
        for (above, average) in measure(&set, mode) {
            assert!(0.08 < above, "seed {SEED}, {mode:?}: only {above:.4} above zero");
            assert!(0.8 < average, "seed {SEED}, {mode:?}: APGR {average:.3}");
        }
    }
}

#[test]
fn noise_changes_no_figure_of_merit() {
    let set = set(|_, random| [40, 70].map(|chance| f64::from(u8::from(random.below(100) < chance))));
    for mode in [KnownOutcomes::Full, KnownOutcomes::Partial] {
        let [(above, average), _] = measure(&set, mode);
        assert!(above.abs() < 0.02, "seed {SEED}, {mode:?}: {above:+.4} from zero");
        assert!((average - 0.5).abs() < 0.06, "seed {SEED}, {mode:?}: APGR {average:.3}");
    }
}
