//! The skill of one clause: compound triggers and phrases first, then priorities (000 §2.3 steps 2 and 3).

use std::collections::{BTreeMap, BTreeSet};

use contracts::KeywordResolution;

use super::{matches::ClauseMatch, rows::KeywordRows};
use crate::{phrases::PhraseId, settings::SkillSettings};

/// The result of one clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClauseResult {
    /// The rows that match, the highest priority first.
    pub(super) candidates: Vec<usize>,
    /// The row that won, and the step that decided; `None` if the priorities are too close.
    pub(super) winner: Option<(usize, KeywordResolution)>,
    /// The rows between which the priority did not decide; empty with a winner.
    pub(super) rivals: Vec<usize>,
    /// The difference of the two highest priorities of the rivals; 0 with a winner.
    pub(super) gap: u32,
}

/// Decides which skill a clause has. `skills` are its matches by row, at least one; `phrases` are all phrases of the
/// request, which compound triggers are evaluated on.
pub(super) fn resolve_clause(
    rows: &KeywordRows,
    skills: &BTreeMap<usize, ClauseMatch>,
    phrases: &BTreeSet<PhraseId>,
    settings: &SkillSettings,
) -> ClauseResult {
    // The rows are sorted by the names of the skills, so equal priorities have a fixed order.
    let priority = |row: &usize| rows.rows.get(*row).map_or(u32::MAX, |row| row.priority);
    let mut candidates: Vec<usize> = skills.keys().copied().collect();
    candidates.sort_by_key(|row| (priority(row), *row));
    let result = |winner, rivals, gap| ClauseResult { candidates: candidates.clone(), winner, rivals, gap };
    if let [only] = candidates.as_slice() {
        return result(Some((*only, KeywordResolution::Single)), Vec::new(), 0);
    }
    let is_specific = |row: &usize| {
        let compound = rows.rows.get(*row).and_then(|row| row.compound.as_ref());
        let has_phrase = skills.get(row).is_some_and(|found| found.has_phrase);
        compound.is_some_and(|compound| compound.matches(phrases))
            || (settings.matching.phrase_specificity && has_phrase)
    };
    let specific: Vec<usize> = candidates.iter().copied().filter(is_specific).collect();
    if let [only] = specific.as_slice() {
        return result(Some((*only, KeywordResolution::Compound)), Vec::new(), 0);
    }
    let rivals = if specific.is_empty() { candidates.clone() } else { specific };
    match rivals.as_slice() {
        [first, second, ..] => {
            let gap = priority(second).saturating_sub(priority(first));
            if settings.priority_gap <= gap {
                return result(Some((*first, KeywordResolution::Priority)), Vec::new(), 0);
            }
            result(None, rivals, gap)
        }
        _ => result(None, rivals, 0),
    }
}
