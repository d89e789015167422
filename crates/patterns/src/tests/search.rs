//! Tests of the search against computing every similarity and sorting.

use std::cmp::Reverse;

use contracts::{
    Features, ModelId, Score,
    views::{Estimator, FingerprintKind, PatternSettings},
};
use proptest::{option, prelude::*};

use super::fixtures::{
    Turn, config, embedding, model, record, sketch, some_features, some_settings, some_turns, store,
};
use crate::{
    MAX_NEIGHBOURS, Store,
    fingerprint::Fingerprint,
    fixed::{Fixed, Q15},
    packed::PackedQuery,
    search::SearchQuery,
    unit_vector::UnitVector,
};

/// The number 1 as a [`Q15`].
const ONE: i64 = Q15::ONE.0;

/// Allows all models but one.
fn known(id: &ModelId) -> bool {
    *id != model(1)
}

/// The cosine of the embeddings of two messages if both are by the same embedder, otherwise of their words; 0 if
/// neither is compared.
fn cosine(query: &SearchQuery<'_>, store: &Store, other: &Fingerprint) -> i64 {
    let both = query.embedding.zip(other.embedding.as_ref());
    let [own, vector]: [UnitVector; 2] = match both.filter(|(own, other)| own.embedder == other.embedder) {
        Some((own, other)) => [own.unit_vector(), other.unit_vector()],
        None => [query.point.words, store.space.idf.project_words(&other.sketch)],
    };
    let products = own.iter().zip(&vector).map(|(one, other)| i64::from(*one) * i64::from(*other));
    if query.compares_words { products.sum::<i64>().clamp(-ONE + 1, ONE - 1) } else { 0 }
}

/// Index and similarity of the nearest scored rows of a model, in descending order of similarity.
fn naive_of_model(
    store: &Store,
    number: usize,
    query: &SearchQuery<'_>,
    settings: &PatternSettings,
) -> Vec<(usize, Q15)> {
    let alpha =
        if query.compares_words { i64::try_from(settings.alpha.0 * 32_768 / 1_000_000_000).unwrap() } else { 0 };
    let least = i64::try_from(settings.min_similarity.0 * 32_768 / 1_000_000_000).unwrap();
    let mut all = Vec::new();
    for (index, other) in store.fingerprints.iter().enumerate() {
        let scored = other.rows.iter().any(|row| row.model as usize == number && 0 < row.sums.scored);
        let structure = store.space.structure(other);
        let structural = store.space.kernel.similarity(&query.point.structure, &structure).0.clamp(-ONE, ONE);
        let similarity = (alpha * cosine(query, store, other) + (ONE - alpha) * structural) >> 15;
        if scored && 0 < similarity && least <= similarity {
            all.push((index, Fixed(similarity)));
        }
    }
    // Of equal similarities the newer row comes first.
    all.sort_by_key(|(index, similarity)| (Reverse(*similarity), Reverse(*index)));
    all.truncate(usize::from(settings.neighbours).min(MAX_NEIGHBOURS));
    all
}

/// Similarity, key and model of the nearest rows by the formula of 004, in descending order of similarity.
fn naive_rows(
    store: &Store,
    query: &SearchQuery<'_>,
    features: &Features,
    settings: &PatternSettings,
) -> Vec<(u64, u128, String)> {
    let has_words = query.compares_words && !features.sketch.words.is_empty();
    let is_empty = query.packed.is_empty() && !has_words;
    let mut all = Vec::new();
    for other in &store.fingerprints {
        let alpha = if has_words && other.sketch.has_words() { settings.alpha } else { Score::ZERO };
        let words = u64::try_from(cosine(query, store, other)).unwrap_or(0);
        let structure = PackedQuery::new(&query.packed).similarity(&other.packed);
        let similarity = alpha.0 * words / 32_767 + alpha.complement().times(structure).0;
        // A cosine up to 0.1 is noise.
        let shares = query.packed.shares_value_with(&other.packed) || (alpha != Score::ZERO && 3_277 < words);
        if settings.min_similarity.0 <= similarity && (shares || is_empty || settings.min_similarity == Score::ZERO) {
            let models = other.rows.iter().map(|row| &store.models[row.model as usize]);
            all.extend(models.filter(|model| known(model)).map(|model| (similarity, other.key, model.to_string())));
        }
    }
    all.sort_by(|left, right| (Reverse(left.0), &left.1, &left.2).cmp(&(Reverse(right.0), &right.1, &right.2)));
    all.truncate(usize::from(settings.neighbours).min(MAX_NEIGHBOURS));
    all
}

/// The results of the search of each model, and of the search for the formula of 004.
type Found = (Vec<Vec<(usize, Q15)>>, Vec<(u64, u128, String)>);

/// Runs both searches of the store; the second only for the estimator `Paper`.
fn found(store: &Store, query: &SearchQuery<'_>, settings: &PatternSettings) -> Found {
    let point_query = query.point_query(settings);
    store.with_search_buffers(query, &known, |buffers| {
        let of = |number| {
            let mut nearest = store.nearest_of_model(number, &point_query, settings, buffers);
            nearest.sorted().map(|candidate| (candidate.index(), candidate.similarity())).collect()
        };
        let of_models = (0..store.models.len()).map(of).collect();
        if settings.estimator != Estimator::Paper {
            return (of_models, Vec::new());
        }
        let mut nearest = store.nearest_rows(query, settings, buffers);
        let all = nearest.sorted().filter_map(|neighbour| {
            let (model, row) = store.row(&neighbour)?;
            let own = |other: &&Fingerprint| other.rows.iter().any(|known| std::ptr::eq(known, row));
            let key = store.fingerprints.iter().find(own)?.key;
            Some((neighbour.similarity().0, key, model.to_string()))
        });
        (of_models, all.collect())
    })
}

/// Computes the expected results of [`found`] by sorting.
fn expected(store: &Store, query: &SearchQuery<'_>, features: &Features, settings: &PatternSettings) -> Found {
    let of_models = (0..store.models.len()).map(|number| naive_of_model(store, number, query, settings)).collect();
    let paper = settings.estimator == Estimator::Paper;
    (of_models, if paper { naive_rows(store, query, features, settings) } else { Vec::new() })
}

/// A store in which every third row has an embedding.
fn store_with_embeddings(turns: &[Turn]) -> Store {
    let mut store = Store::default();
    for (second, turn) in (1..).zip(turns) {
        let row = record(&mut store, turn, second);
        if second % 3 == 0 {
            store.set_embedding_of_row(row, &embedding(u8::try_from(second).unwrap()));
        }
    }
    store
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_search_finds_the_same_rows_as_sorting(
        turns in some_turns(), features in some_features(), settings in some_settings(), number in option::of(0..4_u8)
    ) {
        let store = store_with_embeddings(&turns);
        let embedding = number.map(embedding);
        let query = store.search_query(&features, &settings, embedding.as_ref());
        prop_assert_eq!(found(&store, &query, &settings), expected(&store, &query, &features, &settings));
    }

    #[test]
    fn a_search_is_not_affected_by_the_buffers_of_earlier_ones(
        stores in prop::collection::vec(some_turns(), 2..4),
        features in prop::collection::vec(some_features(), 1..3),
        settings in prop::collection::vec(some_settings(), 2),
    ) {
        let stores: Vec<_> = stores.iter().map(|turns| store_with_embeddings(turns)).collect();
        let all = || stores.iter().flat_map(|store| features.iter().map(move |features| (store, features)));
        for settings in &settings {
            for (store, features) in all() {
                let query = store.search_query(features, settings, None);
                prop_assert_eq!(found(store, &query, settings), expected(store, &query, features, settings));
            }
        }
    }

    #[test]
    fn ranking_estimates_again_equals_a_search_at_each_cost_weight(
        turns in some_turns(), features in some_features(), settings in some_settings(), baseline in 0..4_usize
    ) {
        let store = store(&turns);
        let settings = PatternSettings { estimator: Estimator::Calibrated, ..settings };
        let baseline = (baseline < 3).then(|| model(baseline));
        let mut estimates = store.estimate(&features, &settings, &known);
        for hundredths in [0, 3, 5, 50, 97, 100] {
            let cost_weight = Score(hundredths * 10_000_000);
            let settings = PatternSettings { cost_weight, ..settings };
            crate::rank_by_utility(&mut estimates, cost_weight);
            let ranked = crate::recommendation(&estimates, baseline.as_ref(), settings.min_sample_size);
            let baseline = baseline.as_ref();
            let query = contracts::views::PatternQuery {
                workspace: None, features: &features, settings: &settings, baseline, known: &known
            };
            prop_assert_eq!(ranked, store.recommend(&query));
        }
    }
}

#[test]
fn of_equal_similarities_the_newest_rows_are_kept() {
    // Each turn has its own word, which a structural search ignores; every second one has an image.
    let features = |number: u16| Features {
        images: number % 2 == 1,
        sketch: sketch(vec![number], Vec::new(), Vec::new()),
        ..Features::default()
    };
    let turns: Vec<_> = (0..400).map(|number| (features(number), 0, None, Some(Score::ONE))).collect();
    let store = store(&turns);
    let calibrated = PatternSettings::defaults_for(Estimator::Calibrated);
    let settings = PatternSettings { fingerprint: FingerprintKind::Structural, neighbours: 3, ..calibrated };
    let (of_models, _) = found(&store, &store.search_query(&features(1), &settings, None), &settings);
    assert_eq!(of_models[0].iter().map(|(index, _)| *index).collect::<Vec<_>>(), [399, 397, 395]);
}
