//! A reference implementation of search and estimator `Paper`: compares and sorts all rows.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    Alternative, Features, IntentTag, ModelId, NanoUsd, Recommendation, Score,
    views::{CostScale, PatternSettings},
};
use patterns::fingerprint_key;

/// A turn: features, model, cost, score.
pub(crate) type Turn = (Features, ModelId, Option<NanoUsd>, Option<Score>);

/// Returns the number of common values and of all values of two sets.
fn sets<T: Ord>(one: impl IntoIterator<Item = T>, other: impl IntoIterator<Item = T>) -> (u64, u64) {
    let (one, other): (BTreeSet<T>, BTreeSet<T>) = (one.into_iter().collect(), other.into_iter().collect());
    (one.intersection(&other).count() as u64, one.union(&other).count() as u64)
}

/// Returns the intents of a turn.
fn intents(features: &Features) -> impl Iterator<Item = IntentTag> {
    let tags = features.intents;
    IntentTag::ALL.into_iter().filter(move |tag| tags.has(*tag))
}

/// Returns weight in hundredths, number of common values and number of all values of each set feature.
fn overlaps(one: &Features, other: &Features) -> [(u64, (u64, u64)); 5] {
    [
        (30, sets(intents(one), intents(other))),
        (20, sets(&one.extensions, &other.extensions)),
        (15, sets(&one.tools, &other.tools)),
        (10, sets(&one.directories, &other.directories)),
        (10, sets(&one.side_effects, &other.side_effects)),
    ]
}

/// Computes the structural similarity of two turns by its definition.
pub(crate) fn similarity(one: &Features, other: &Features) -> Score {
    let shares = overlaps(one, other)
        .map(|(weight, (common, all))| weight * (common * 1_000_000_000).checked_div(all).unwrap_or(1_000_000_000));
    let tokens = if one.tokens == other.tokens { 10_000_000_000 } else { 0 };
    let images = if one.images == other.images { 5_000_000_000 } else { 0 };
    Score((shares.iter().sum::<u64>() + tokens + images) / 100)
}

/// Whether a turn may be a neighbour: it is similar enough and shares a value with the query, unless the query has none
/// or the minimum is 0.
fn is_candidate(query: &Features, features: &Features, settings: &PatternSettings) -> bool {
    let bare = overlaps(query, query).iter().all(|(_, (common, _))| *common == 0);
    let shares = overlaps(query, features).iter().any(|(_, (common, _))| 0 < *common);
    settings.min_similarity <= similarity(query, features) && (bare || shares || settings.min_similarity == Score::ZERO)
}

/// Computes the recommendation of the estimator `Paper` from all turns; `None` if no candidate has a score.
pub(crate) fn recommend(
    turns: &[Turn],
    query: &Features,
    settings: &PatternSettings,
    known: impl Fn(&ModelId) -> bool,
) -> Option<Recommendation> {
    let mut rows: BTreeMap<(&Features, &ModelId), Vec<&Turn>> = BTreeMap::new();
    for turn in turns {
        rows.entry((&turn.0, &turn.1)).or_default().push(turn);
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.retain(|((features, model), _)| known(model) && is_candidate(query, features, settings));
    rows.sort_by_key(|((features, model), _)| {
        (std::cmp::Reverse(similarity(query, features)), fingerprint_key(features), *model)
    });
    rows.truncate(usize::from(settings.neighbours));

    let mut models: BTreeMap<&ModelId, Vec<&Turn>> = BTreeMap::new();
    for ((_, model), turns) in rows {
        models.entry(model).or_default().extend(turns);
    }
    let scores = |turns: &[&Turn]| turns.iter().filter_map(|turn| turn.3).collect::<Vec<_>>();
    let scored = || models.iter().filter(|(_, turns)| !scores(turns).is_empty());
    let costs: Vec<_> = scored().filter_map(|(_, turns)| mean_cost(turns)).collect();
    let mut ranked: Vec<_> = scored()
        .map(|(model, turns)| {
            let scores = scores(turns);
            let success = scores.iter().map(|score| score.0).sum::<u64>() / scores.len() as u64;
            let saving = efficiency(mean_cost(turns), &costs, settings.cost_scale);
            let weight = u128::from(settings.cost_weight.0);
            let score = ((1_000_000_000 - weight) * u128::from(success) + weight * saving) / 1_000_000_000;
            (Score(u64::try_from(score).unwrap()), *model, scores.len() as u64)
        })
        .collect();
    ranked.sort_by_key(|(score, model, _)| (std::cmp::Reverse(*score), *model));
    let (top, winner, samples) = *ranked.first()?;
    let confidence = match ranked.get(1) {
        _ if top.0 == 0 => 0,
        None => 1_000_000_000,
        Some(second) => (top.0 - second.0.0) * 1_000_000_000 / top.0,
    };
    let unscored = models.iter().filter(|(_, turns)| scores(turns).is_empty());
    let unscored = unscored.map(|(model, _)| Alternative { model: (*model).clone(), score: None, samples: 0 });
    let ranked = ranked.iter().map(|(score, model, samples)| Alternative {
        model: (*model).clone(),
        score: Some(*score),
        samples: *samples,
    });
    let alternatives = ranked.chain(unscored).collect();
    Some(Recommendation { model: winner.clone(), confidence: Score(confidence), samples, alternatives })
}

/// Returns the mean of the known costs in units of 2⁻³² nano-dollars; `None` if no cost is known.
fn mean_cost(turns: &[&Turn]) -> Option<u128> {
    let costs: Vec<_> = turns.iter().filter_map(|turn| turn.2).collect();
    let sum: u128 = costs.iter().map(|cost| u128::from(cost.0)).sum();
    (!costs.is_empty()).then(|| (sum << 32) / costs.len() as u128)
}

/// Returns the efficiency of a mean cost in billionths, from 0 to 1; 0 for an unknown cost.
fn efficiency(cost: Option<u128>, costs: &[u128], scale: CostScale) -> u128 {
    let (Some(cost), Some(highest), Some(lowest)) = (cost, costs.iter().max(), costs.iter().min()) else { return 0 };
    let whole = match scale {
        CostScale::Cluster => highest - lowest,
        CostScale::Relative => *highest,
    };
    ((highest - cost) * 1_000_000_000).checked_div(whole).unwrap_or(0)
}
