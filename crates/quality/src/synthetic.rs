//! Sets made up for tests: one from which there is something to learn, and one of pure noise.

use crate::{
    data::{Outcome, Set, Turn},
    figures::{Figures, References},
    hash::Random,
    replay::Stream,
    split::{Mode, parts},
    trial::{Plan, RouterKind, run},
};

/// Of the made-up outcomes; a failing test names it.
const SEED: u64 = 11;

/// A set of 400 turns whose words come from one of two groups. `outcome` says which of two models does well.
fn set(mut outcome: impl FnMut(usize, &mut Random) -> [f64; 2]) -> Set {
    const WORDS: [[&str; 6]; 2] = [
        ["compiler", "borrow", "lifetime", "trait", "module", "crate"],
        ["poem", "verse", "rhyme", "sonnet", "ballad", "stanza"],
    ];
    let mut random = Random(SEED);
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
    Set { name: "synthetic".to_owned(), models: vec!["one".to_owned(), "other".to_owned()], turns: turns.collect() }
}

/// AIQ above zero and the share of the gap closed, of the store alone and of logistic regression.
fn measured(set: &Set, mode: Mode) -> [(f64, f64); 2] {
    let (stream, parts) = (Stream::of(set), parts(set));
    let plan = Plan { mode, most: usize::MAX, draw: 0, asked: usize::MAX, others: true };
    let trial = run(set, &stream, &parts, plan);
    let oracle = &trial.routers[0];
    let zero = References::of(&trial.outcomes, &set.models, oracle).zero;
    [RouterKind::StoreRouted, RouterKind::Logistic].map(|kind| {
        let router = trial.routers.iter().find(|router| router.kind == kind).unwrap();
        let figures = Figures::of(&trial.outcomes, router);
        (figures.aiq - zero, figures.gap.map_or(0.5, |gap| gap.average))
    })
}

#[test]
fn words_that_tell_which_model_does_well_are_learned() {
    // Each model masters one kind of words, the dearer one a little of the other kind, too.
    let set = set(|group, random| {
        let luck = |chance: usize, random: &mut Random| f64::from(u8::from(random.below(100) < chance));
        if group == 0 { [luck(90, random), luck(60, random)] } else { [luck(10, random), luck(90, random)] }
    });
    for mode in [Mode::Full, Mode::Partial] {
        for (above, average) in measured(&set, mode) {
            assert!(0.08 < above, "seed {SEED}, {mode:?}: only {above:.4} above zero");
            assert!(0.8 < average, "seed {SEED}, {mode:?}: APGR {average:.3}");
        }
    }
}

#[test]
fn from_pure_noise_nothing_is_learned_and_nothing_lost() {
    let set = set(|_, random| [40, 70].map(|chance| f64::from(u8::from(random.below(100) < chance))));
    for mode in [Mode::Full, Mode::Partial] {
        let [(above, average), _] = measured(&set, mode);
        assert!(above.abs() < 0.02, "seed {SEED}, {mode:?}: {above:+.4} from zero");
        assert!((average - 0.5).abs() < 0.06, "seed {SEED}, {mode:?}: APGR {average:.3}");
    }
}
