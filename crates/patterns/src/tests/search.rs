//! The search, beside computing every similarity and sorting them all.

use std::cmp::Reverse;

use contracts::{
    Features, ModelId, Score,
    views::{Estimator, FingerprintKind, PatternSettings},
};
use proptest::{option, prelude::*};

use super::given::{Turn, config, embedding, model, record, sketch, some_features, some_settings, some_turns, store};
use crate::{
    MOST_NEIGHBOURS, Store,
    fingerprint::Fingerprint,
    packed,
    search::Asked,
    space::Query,
    words::{Direction, ONE},
};

/// The one of the models that may not be recommended.
fn known(asked: &ModelId) -> bool {
    *asked != model(1)
}

/// Fifteen binary places of the cosine of what two messages mean, where the same embedder said it of both, else of their
/// words; nothing when neither is compared.
fn cosine(asked: &Asked<'_>, store: &Store, other: &Fingerprint) -> i64 {
    let both = asked.embedding.zip(other.embedding.as_ref());
    let [own, direction]: [Direction; 2] = match both.filter(|(own, other)| own.embedder == other.embedder) {
        Some((own, other)) => [own.direction(), other.direction()],
        None => [asked.point.direction, store.space.words.direction(&other.sketch)],
    };
    let products = own.iter().zip(&direction).map(|(one, other)| i64::from(*one) * i64::from(*other));
    if asked.hybrid { products.sum::<i64>().clamp(-ONE + 1, ONE - 1) } else { 0 }
}

/// Place and similarity with fifteen binary places of the nearest scored rows of a model, the nearest first.
fn naive_of(store: &Store, number: usize, asked: &Asked<'_>, settings: &PatternSettings) -> Vec<(usize, u64)> {
    let alpha = if asked.hybrid { i64::try_from(settings.alpha.0 * 32_768 / 1_000_000_000).unwrap() } else { 0 };
    let least = i64::try_from(settings.min_similarity.0 * 32_768 / 1_000_000_000).unwrap();
    let mut all = Vec::new();
    for (place, other) in store.fingerprints.iter().enumerate() {
        let scored = other.rows.iter().any(|row| row.model as usize == number && 0 < row.sums.scored);
        let structure = store.space.expectation.structure(&other.raw());
        let agreement = store.space.expectation.agreement(&asked.point.structure, &structure).clamp(-ONE, ONE);
        let similarity = (alpha * cosine(asked, store, other) + (ONE - alpha) * agreement) >> 15;
        if scored && 0 < similarity && least <= similarity {
            all.push((place, similarity.unsigned_abs()));
        }
    }
    // Of two that are as near the newer one comes first.
    all.sort_by_key(|(place, similarity)| (Reverse(*similarity), Reverse(*place)));
    all.truncate(usize::from(settings.neighbours).min(MOST_NEIGHBOURS));
    all
}

/// Similarity, key and model of the rows nearest by the similarity of 004, the nearest first.
fn naive(
    store: &Store,
    asked: &Asked<'_>,
    features: &Features,
    settings: &PatternSettings,
) -> Vec<(u64, u128, String)> {
    let has_words = asked.hybrid && !features.sketch.words.is_empty();
    let bare = asked.packed.is_bare() && !has_words;
    let mut all = Vec::new();
    for other in &store.fingerprints {
        let alpha = if has_words && other.sketch.has_words() { settings.alpha } else { Score::ZERO };
        let words = u64::try_from(cosine(asked, store, other)).unwrap_or(0);
        let structure = packed::Query::new(&asked.packed).similarity(&other.packed);
        let similarity = alpha.0 * words / 32_767 + alpha.complement().times(structure).0;
        // A tenth of a cosine is chance.
        let shares = asked.packed.shares_with(&other.packed) || (alpha != Score::ZERO && 3_277 < words);
        if settings.min_similarity.0 <= similarity && (shares || bare || settings.min_similarity == Score::ZERO) {
            let models = other.rows.iter().map(|row| &store.models[row.model as usize]);
            all.extend(models.filter(|model| known(model)).map(|model| (similarity, other.key, model.to_string())));
        }
    }
    all.sort_by(|one, other| (Reverse(one.0), &one.1, &one.2).cmp(&(Reverse(other.0), &other.1, &other.2)));
    all.truncate(usize::from(settings.neighbours).min(MOST_NEIGHBOURS));
    all
}

/// What the search finds: of every model, and of all for the formula of the paper.
type Found = (Vec<Vec<(usize, u64)>>, Vec<(u64, u128, String)>);

fn found(store: &Store, asked: &Asked<'_>, settings: &PatternSettings) -> Found {
    let query = Query::new(&asked.point, if asked.hybrid { settings.alpha } else { Score::ZERO });
    store.scanned(asked, &known, |scratch| {
        let of = |number| {
            let mut nearest = store.nearest_of(number, &query, settings, scratch);
            nearest.sorted().map(|candidate| (candidate.place(), candidate.similarity())).collect()
        };
        let of_models = (0..store.models.len()).map(of).collect();
        if settings.estimator != Estimator::Paper {
            return (of_models, Vec::new());
        }
        let mut nearest = store.nearest(asked, settings, scratch);
        let all = nearest.sorted().filter_map(|neighbour| {
            let (model, row) = store.row(&neighbour)?;
            let own = |other: &&Fingerprint| other.rows.iter().any(|known| std::ptr::eq(known, row));
            let key = store.fingerprints.iter().find(own)?.key;
            Some((neighbour.similarity().0, key, model.to_string()))
        });
        (of_models, all.collect())
    })
}

fn expected(store: &Store, asked: &Asked<'_>, features: &Features, settings: &PatternSettings) -> Found {
    let of_models = (0..store.models.len()).map(|number| naive_of(store, number, asked, settings)).collect();
    let paper = settings.estimator == Estimator::Paper;
    (of_models, if paper { naive(store, asked, features, settings) } else { Vec::new() })
}

/// A store of which every third row has a meaning as well.
fn embedded(turns: &[Turn]) -> Store {
    let mut store = Store::default();
    for (moment, turn) in (1..).zip(turns) {
        let row = record(&mut store, turn, moment);
        if moment % 3 == 0 {
            store.embed_row(row, &embedding(u8::try_from(moment).unwrap()));
        }
    }
    store
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_nearest_are_those_that_sorting_everything_finds(
        turns in some_turns(), features in some_features(), settings in some_settings(), number in option::of(0..4_u8)
    ) {
        let store = embedded(&turns);
        let meaning = number.map(embedding);
        let asked = store.asked(&features, &settings, meaning.as_ref());
        prop_assert_eq!(found(&store, &asked, &settings), expected(&store, &asked, &features, &settings));
    }

    #[test]
    fn a_search_leaves_nothing_behind_for_the_next(
        stores in prop::collection::vec(some_turns(), 2..4),
        features in prop::collection::vec(some_features(), 1..3),
        settings in prop::collection::vec(some_settings(), 2),
    ) {
        let stores: Vec<_> = stores.iter().map(|turns| embedded(turns)).collect();
        let all = || stores.iter().flat_map(|store| features.iter().map(move |features| (store, features)));
        for settings in &settings {
            for (store, features) in all() {
                let asked = store.asked(features, settings, None);
                prop_assert_eq!(found(store, &asked, settings), expected(store, &asked, features, settings));
            }
        }
    }

    #[test]
    fn weighing_what_is_expected_once_is_asking_at_each_weight_of_cost(
        turns in some_turns(), features in some_features(), settings in some_settings(), baseline in 0..4_usize
    ) {
        let store = store(&turns);
        let settings = PatternSettings { estimator: Estimator::Calibrated, ..settings };
        let baseline = (baseline < 3).then(|| model(baseline));
        let mut estimates = store.expect(&features, &settings, &known);
        for hundredths in [0, 3, 5, 50, 97, 100] {
            let cost_weight = Score(hundredths * 10_000_000);
            let settings = PatternSettings { cost_weight, ..settings };
            crate::weigh(&mut estimates, cost_weight);
            let weighed = crate::recommendation(&estimates, baseline.as_ref(), settings.min_sample_size);
            let baseline = baseline.as_ref();
            let query = contracts::views::PatternQuery {
                workspace: None, features: &features, settings: &settings, baseline, known: &known
            };
            prop_assert_eq!(weighed, store.recommend(&query));
        }
    }
}

#[test]
fn of_rows_that_are_as_near_the_newest_are_kept() {
    // Each has a word of its own, at which a structural search does not look; every second one has an image.
    let with = |place: u16| Features {
        images: place % 2 == 1,
        sketch: sketch(vec![place], Vec::new(), Vec::new()),
        ..Features::default()
    };
    let turns: Vec<_> = (0..400).map(|place| (with(place), 0, None, Some(Score::ONE))).collect();
    let store = store(&turns);
    let calibrated = PatternSettings::of(Estimator::Calibrated);
    let settings = PatternSettings { fingerprint: FingerprintKind::Structural, neighbours: 3, ..calibrated };
    let (of, _) = found(&store, &store.asked(&with(1), &settings, None), &settings);
    assert_eq!(of[0].iter().map(|(place, _)| *place).collect::<Vec<_>>(), [399, 397, 395]);
}
