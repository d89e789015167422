//! Ambiguity penalty: skills with the same evidence and nearly the same score (003 Components).

use super::{components::MAX_AMBIGUITY, settings::ScoringSettings};
use crate::rate::divide_half_up;

/// The number of best candidates that are compared with each other.
pub(super) const COMPARED: usize = 32;

/// The part of a candidate that the ambiguity penalties of the other candidates are computed from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    /// The score without the ambiguity penalty, from 0 to 100.
    pub(super) base: u8,
    /// The positions of the request's terms that the skill knows, ascending.
    pub(super) terms: &'a [u32],
}

/// Returns the penalty of each candidate, 0 to 15, from the rival with the nearest score. `candidates` are in descending
/// order of their base. Only the best 32 are compared, so that the time does not grow with the square of the skills.
pub(super) fn penalties(candidates: &[Evidence<'_>], settings: &ScoringSettings) -> Vec<u8> {
    let mut penalties = vec![0; candidates.len()];
    for (first, own) in candidates.iter().enumerate().take(COMPARED) {
        for (second, rival) in candidates.iter().enumerate().take(COMPARED).skip(first + 1) {
            let gap = own.base.saturating_sub(rival.base);
            if settings.tie_margin_points < gap {
                break;
            }
            if are_similar(own.terms, rival.terms, settings.similar_percent) {
                let penalty = penalty(gap, settings.tie_margin_points);
                for position in [first, second] {
                    if let Some(highest) = penalties.get_mut(position) {
                        *highest = penalty.max(*highest);
                    }
                }
            }
        }
    }
    penalties
}

/// Returns the penalty of two rivals, `15 × (1 − gap / (margin + 1))`, rounded half up.
fn penalty(gap: u8, margin: u8) -> u8 {
    let whole = u64::from(margin) + 1;
    let points = divide_half_up(u64::from(MAX_AMBIGUITY) * (whole - u64::from(gap)), whole);
    points.and_then(|points| u8::try_from(points).ok()).unwrap_or(MAX_AMBIGUITY)
}

/// Returns whether the common terms are at least `percent` of all terms of two skills. Skills without terms are not
/// similar.
pub(super) fn are_similar(first: &[u32], second: &[u32], percent: u8) -> bool {
    let common = first.iter().filter(|term| second.binary_search(term).is_ok()).count();
    let all = first.len() + second.len() - common;
    all > 0 && common * 100 >= usize::from(percent) * all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the penalties of candidates with a base and terms.
    fn of(candidates: &[(u8, &[u32])]) -> Vec<u8> {
        let candidates: Vec<_> = candidates.iter().map(|(base, terms)| Evidence { base: *base, terms }).collect();
        penalties(&candidates, &ScoringSettings::default())
    }

    /// SC-14, TV-74: similar skills with 74 and 72 points both have a penalty of 10.
    #[test]
    fn similar_skills_within_the_margin_have_a_penalty() {
        assert_eq!(of(&[(74, &[0, 1]), (72, &[0, 1])]), [10, 10]);
        assert_eq!(of(&[(74, &[0, 1]), (74, &[0, 1])]), [15, 15]);
        assert_eq!(of(&[(74, &[0, 1]), (69, &[0, 1])]), [3, 3]);
        assert_eq!(of(&[(74, &[0, 1]), (68, &[0, 1])]), [0, 0]);
    }

    /// SC-14: skills with different evidence are no rivals, and the nearest rival counts.
    #[test]
    fn different_evidence_is_no_ambiguity() {
        assert_eq!(of(&[(74, &[0, 1]), (74, &[2, 3])]), [0, 0]);
        assert_eq!(of(&[(74, &[0, 1]), (74, &[1, 2])]), [0, 0]);
        assert_eq!(of(&[(74, &[0, 1]), (72, &[0, 1]), (71, &[0, 1, 2])]), [10, 13, 13]);
        assert_eq!(of(&[(74, &[]), (74, &[])]), [0, 0]);
    }
}
