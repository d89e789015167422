//! The result of the keyword layer for a request.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    KeywordCandidate, KeywordEvidence, KeywordMatch, KeywordOutcome, KeywordResolution, PartialCompound, Score,
    SkillFailure, SkillOutcome,
};

use super::{
    clause::{ClauseResult, resolve_clause},
    combine::combine,
    matches::{RequestMatches, find_matches},
    rows::{KeywordRows, UNRANKED},
};
use crate::{phrases::Occurrence, settings::SkillSettings, text::RequestText};

/// The result of the keyword layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeywordResult {
    /// The observations.
    pub(crate) evidence: KeywordEvidence,
    /// The outcome of the layer, or its best one if it could not decide; `None` if nothing matches or if the best skills
    /// have the same priority.
    pub(crate) outcome: Option<SkillOutcome>,
    /// Reason why the layer could not decide; `None` if it decided or if nothing matches.
    pub(crate) failure: Option<SkillFailure>,
    /// The skills that match but are not loaded whatever matches, with the reason, sorted.
    pub(crate) excluded: Vec<(String, SkillFailure)>,
}

/// Searches the keywords of all skills in a request and decides between the skills that match. `found` are the phrases in
/// the request; `exclusion` returns why a skill is not loaded whatever matches.
pub(crate) fn evaluate_keywords(
    rows: &KeywordRows,
    text: &RequestText,
    found: &[Occurrence],
    settings: &SkillSettings,
    exclusion: &dyn Fn(&str) -> Option<SkillFailure>,
) -> KeywordResult {
    let phrases: BTreeSet<_> = found.iter().map(|occurrence| occurrence.phrase).collect();
    let matches = find_matches(rows, text, found, settings.matching, exclusion);
    let resolve = |skills| resolve_clause(rows, skills, &phrases, settings);
    let clauses: Vec<_> = matches.clauses.values().map(resolve).collect();
    let (outcome, failure, resolution, overflow) = decide_clauses(rows, &clauses, settings);
    let candidates = candidates(rows, &matches);
    let keyword_outcome = match candidates.len() {
        0 => KeywordOutcome::NoMatch,
        1 => KeywordOutcome::Clear,
        _ => KeywordOutcome::Multi,
    };
    let is_selected = |skill: &String| {
        overflow.contains(skill) || outcome.as_ref().is_some_and(|outcome| outcome.loaded().contains(skill))
    };
    let secondary = candidates.iter().map(|candidate| candidate.skill.clone()).filter(|skill| !is_selected(skill));
    let partial = rows.with_compound_of(&phrases).filter_map(|row| {
        let compound = row.compound.as_ref().filter(|compound| compound.matches_in_part(&phrases))?;
        Some(PartialCompound { skill: row.skill.clone(), trigger: compound.text.clone() })
    });
    let evidence = KeywordEvidence {
        outcome: keyword_outcome,
        resolution,
        confidence: confidence(resolution, settings),
        matched: matched(rows, &matches),
        secondary: secondary.collect(),
        partial: if keyword_outcome == KeywordOutcome::Clear { Vec::new() } else { partial.collect() },
        suppressed: matches.suppressed,
        candidates,
        overflow,
    };
    KeywordResult { evidence, outcome, failure, excluded: matches.excluded.into_iter().collect() }
}

/// The outcome of all clauses, the reason why they have none, the step that decided, and the skills beyond the maximum.
type ClausesDecision = (Option<SkillOutcome>, Option<SkillFailure>, Option<KeywordResolution>, Vec<String>);

/// Decides from the results of the clauses: different winners are combined. A clause without a winner has that of another
/// clause if it is one of its rivals.
fn decide_clauses(rows: &KeywordRows, clauses: &[ClauseResult], settings: &SkillSettings) -> ClausesDecision {
    let mut winners: Vec<usize> = Vec::new();
    for (winner, _) in clauses.iter().filter_map(|clause| clause.winner) {
        if !winners.contains(&winner) {
            winners.push(winner);
        }
    }
    let is_open =
        |clause: &&ClauseResult| clause.winner.is_none() && !clause.rivals.iter().any(|rival| winners.contains(rival));
    if let Some(open) = clauses.iter().find(is_open) {
        let failure = SkillFailure::TooClose { gap: open.gap, required: settings.priority_gap };
        // Of equal priorities none is the best.
        let mut best = winners.clone();
        best.extend(open.rivals.first().filter(|_| 0 < open.gap));
        let outcome = (!best.is_empty()).then(|| combine(rows, &best, &settings.combine));
        let (outcome, overflow) = outcome.map_or((None, Vec::new()), |best| (Some(best.outcome), best.overflow));
        return (outcome, Some(failure), Some(KeywordResolution::Ambiguous), overflow);
    }
    if winners.is_empty() {
        return (None, None, None, Vec::new());
    }
    let combination = combine(rows, &winners, &settings.combine);
    let resolution = match winners.len() {
        1 => clauses.iter().filter_map(|clause| clause.winner).map(|(_, step)| step).max_by_key(|step| weakness(*step)),
        _ if combination.overflow.is_empty() => Some(KeywordResolution::Combined),
        _ => Some(KeywordResolution::Overflow),
    };
    let failure = (!combination.overflow.is_empty()).then(|| SkillFailure::TooMany {
        matched: u32::try_from(combination.count).unwrap_or(u32::MAX),
        max: u32::try_from(settings.combine.max).unwrap_or(u32::MAX),
    });
    (Some(combination.outcome), failure, resolution, combination.overflow)
}

/// Returns a number that is higher for steps which decide with less confidence.
const fn weakness(step: KeywordResolution) -> u8 {
    match step {
        KeywordResolution::Single => 0,
        KeywordResolution::Compound => 1,
        KeywordResolution::Priority => 2,
        KeywordResolution::Combined | KeywordResolution::Overflow => 3,
        KeywordResolution::Ambiguous => 4,
    }
}

/// Returns the confidence of a result that this step decided (C-18 in docs/spec).
const fn confidence(resolution: Option<KeywordResolution>, settings: &SkillSettings) -> Score {
    let levels = &settings.confidence;
    match resolution {
        None => Score::ZERO,
        Some(KeywordResolution::Single) => levels.single,
        Some(KeywordResolution::Compound) => levels.compound,
        Some(KeywordResolution::Priority) => levels.priority,
        Some(KeywordResolution::Combined) => levels.combined,
        Some(KeywordResolution::Overflow | KeywordResolution::Ambiguous) => levels.best_effort,
    }
}

/// Returns the skills that match, in the order of their priorities.
fn candidates(rows: &KeywordRows, matches: &RequestMatches) -> Vec<KeywordCandidate> {
    let mut keywords: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (row, found) in matches.clauses.values().flatten() {
        keywords.entry(*row).or_default().extend(&found.keywords);
    }
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let candidates = keywords.iter().filter_map(|(row, matched)| {
        let row = rows.rows.get(*row)?;
        Some(KeywordCandidate {
            skill: row.skill.clone(),
            priority: (row.priority != UNRANKED).then_some(row.priority),
            matched: count(matched.len()),
            keywords: count(row.keywords.len()),
        })
    });
    let mut candidates: Vec<_> = candidates.collect();
    let rank = |candidate: &KeywordCandidate| candidate.priority.unwrap_or(UNRANKED);
    candidates.sort_by(|a, b| (rank(a), &a.skill).cmp(&(rank(b), &b.skill)));
    candidates
}

/// Returns the keywords that count, each with the first clause in which it occurs, sorted by clause.
fn matched(rows: &KeywordRows, matches: &RequestMatches) -> Vec<KeywordMatch> {
    let mut first: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    for (clause, skills) in &matches.clauses {
        for (row, found) in skills {
            for keyword in &found.keywords {
                first.entry((*row, *keyword)).or_insert(*clause);
            }
        }
    }
    let matched = first.into_iter().filter_map(|((row, keyword), clause)| {
        let row = rows.rows.get(row)?;
        let keyword = row.keywords.get(keyword)?.text.clone();
        Some(KeywordMatch { clause, skill: row.skill.clone(), keyword })
    });
    let mut matched: Vec<_> = matched.collect();
    matched.sort();
    matched
}
