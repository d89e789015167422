//! The keywords of a request, by clause and skill, with their suppression by negative keywords.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{SkillFailure, SuppressedMatch};

use super::rows::KeywordRows;
use crate::{
    phrases::Occurrence,
    settings::{MatchingSettings, NegativeScope},
    text::{RequestText, Span},
};

/// The keywords of one skill in one clause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClauseMatch {
    /// The indices of the distinct keywords.
    pub(super) keywords: BTreeSet<usize>,
    /// Whether one of them has two or more words.
    pub(super) has_phrase: bool,
}

/// The matches of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RequestMatches {
    /// The matches that count, by clause and then by the index of the row. Clauses without a match are missing.
    pub(super) clauses: BTreeMap<u32, BTreeMap<usize, ClauseMatch>>,
    /// The matches that negative keywords suppress, sorted.
    pub(super) suppressed: Vec<SuppressedMatch>,
    /// The skills that match but are not loaded whatever matches, with the reason.
    pub(super) excluded: BTreeMap<String, SkillFailure>,
}

/// A keyword at a place of the request.
struct PlacedKeyword {
    /// The tokens.
    span: Span,
    /// The index of the row.
    row: usize,
    /// The index of the keyword in its list.
    keyword: usize,
}

/// Finds the keywords of a request. A keyword within a longer keyword does not count (C-22 in docs/spec), nor does one
/// behind a negation. `exclusion` returns why a skill is not loaded whatever matches.
pub(super) fn find_matches(
    rows: &KeywordRows,
    text: &RequestText,
    found: &[Occurrence],
    settings: MatchingSettings,
    exclusion: &dyn Fn(&str) -> Option<SkillFailure>,
) -> RequestMatches {
    let (mut positives, mut negatives) = (Vec::new(), Vec::new());
    for occurrence in found {
        for used in rows.uses(occurrence.phrase) {
            let placed = PlacedKeyword { span: occurrence.span, row: used.row, keyword: used.keyword };
            if used.is_negative {
                negatives.push(placed);
            } else {
                positives.push(placed);
            }
        }
    }
    let excluded = remove_excluded(rows, &mut positives, exclusion);
    remove_contained(&mut positives);
    let phrases: Vec<_> =
        positives.iter().chain(&negatives).map(|placed| placed.span).filter(|s| 2 < s.len()).collect();
    let clauses = text.clauses(&phrases);
    if settings.negation_guard {
        positives.retain(|placed| !text.is_negated(placed.span, &clauses));
    }
    let clause_of = |span: Span| match settings.negative_scope {
        NegativeScope::Clause => clauses.get(span.start).copied().unwrap_or_default(),
        NegativeScope::Request => 0,
    };
    let mut matches = RequestMatches { excluded, ..RequestMatches::default() };
    for placed in positives {
        let clause = matches.clauses.entry(clause_of(placed.span)).or_default();
        let found = clause.entry(placed.row).or_default();
        found.keywords.insert(placed.keyword);
        found.has_phrase |= 1 < placed.span.len();
    }
    let mut negatives_by_place: BTreeMap<(u32, usize), BTreeSet<usize>> = BTreeMap::new();
    for placed in negatives {
        negatives_by_place.entry((clause_of(placed.span), placed.row)).or_default().insert(placed.keyword);
    }
    for ((clause, row), negatives) in negatives_by_place {
        matches.suppress(rows, clause, row, &negatives);
    }
    matches.suppressed.sort();
    matches
}

impl RequestMatches {
    /// Removes the match of a skill in a clause if one of the negative keywords there has an effect on it.
    fn suppress(&mut self, rows: &KeywordRows, clause: u32, row: usize, negatives: &BTreeSet<usize>) {
        let Some(skills) = self.clauses.get_mut(&clause) else { return };
        let (Some(found), Some(keywords)) = (skills.get(&row), rows.rows.get(row)) else { return };
        let is_alone = found.keywords.len() <= 1;
        let effective = negatives.iter().filter_map(|index| keywords.negatives.get(*index));
        let Some(negative) = effective.filter(|negative| !negative.standalone || is_alone).map(|n| &n.text).min()
        else {
            return;
        };
        let suppressed = found.keywords.iter().filter_map(|index| keywords.keywords.get(*index));
        self.suppressed.extend(suppressed.map(|keyword| SuppressedMatch {
            clause,
            skill: keywords.skill.clone(),
            keyword: keyword.text.clone(),
            suppressed_by: negative.clone(),
        }));
        skills.remove(&row);
        if skills.is_empty() {
            self.clauses.remove(&clause);
        }
    }
}

/// Removes the keywords of skills that are not loaded whatever matches, and returns these skills with the reason.
fn remove_excluded(
    rows: &KeywordRows,
    placed: &mut Vec<PlacedKeyword>,
    exclusion: &dyn Fn(&str) -> Option<SkillFailure>,
) -> BTreeMap<String, SkillFailure> {
    let matching: BTreeSet<_> = placed.iter().map(|placed| placed.row).collect();
    let mut excluded = BTreeMap::new();
    for row in matching {
        let Some(skill) = rows.rows.get(row).map(|row| &row.skill) else { continue };
        if let Some(failure) = exclusion(skill) {
            placed.retain(|placed| placed.row != row);
            excluded.insert(skill.clone(), failure);
        }
    }
    excluded
}

/// Removes the keywords whose span is within a longer one.
fn remove_contained(placed: &mut Vec<PlacedKeyword>) {
    placed.sort_by_key(|placed| (placed.span.start, std::cmp::Reverse(placed.span.end)));
    let mut longest: Option<Span> = None;
    placed.retain(|placed| {
        let is_contained = longest.is_some_and(|longest| placed.span.is_within_longer(longest));
        if longest.is_none_or(|longest| longest.end < placed.span.end) {
            longest = Some(placed.span);
        }
        !is_contained
    });
}
