//! Intent match: the weighted share of a request's terms that a skill knows (003 Components).
//!
//! The weight of a term is its inverse document frequency over the skills, `log((n + 1) / (df + 1/2))`, where `n` is the
//! number of skills and `df` the number of those that know the term.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{components::MAX_INTENT, log2::log2_ratio, settings::ScoringSettings};
use crate::rate::divide_half_up;

/// The value that the intent points of a skill were computed from, in parts per 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentValue {
    /// The weighted share of the request's terms that the skill knows.
    Coverage(u16),
    /// The probability that the skill fits, from labelled requests.
    Probability(u16),
}

/// The scale of [`IntentValue`].
const PARTS: u64 = 10_000;

impl IntentValue {
    /// Returns the value of a coverage `matched / total`; 0 if the total is 0.
    fn coverage(matched: u64, total: u64) -> Self {
        let parts = divide_half_up(matched.saturating_mul(PARTS), total).unwrap_or_default();
        Self::Coverage(u16::try_from(parts.min(PARTS)).unwrap_or_default())
    }

    /// Returns the points, 0 to 40. A coverage has all points from the share that the settings name; a probability only
    /// if it is 1.
    pub(super) fn points(self, settings: &ScoringSettings) -> u8 {
        let (parts, full) = match self {
            Self::Coverage(parts) => (parts, PARTS * u64::from(settings.full_intent_percent) / 100),
            Self::Probability(parts) => (parts, PARTS),
        };
        let parts = u64::from(parts).min(full);
        let points = divide_half_up(u64::from(MAX_INTENT) * parts, full).unwrap_or_default();
        u8::try_from(points).unwrap_or(MAX_INTENT)
    }
}

/// The skills that know each term.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// For each term, the positions of the skills that know it, ascending.
    skills: BTreeMap<String, Vec<u32>>,
    /// The number of skills.
    count: u32,
}

/// The weights of the matches of all skills for one request.
#[derive(Debug)]
pub(super) struct RequestMatches<'a> {
    /// The skills that know each term of the request, in its order.
    terms: Vec<&'a [u32]>,
    /// The sum of the weights of the terms that each skill knows, by position.
    weights: Vec<u64>,
    /// The sum of the weights of all terms, in percent.
    total_percent: u64,
}

impl Postings {
    /// Adds the next skill with its distinct terms.
    pub(super) fn add(&mut self, terms: &[String]) {
        for term in terms {
            self.skills.entry(term.clone()).or_default().push(self.count);
        }
        self.count += 1;
    }

    /// Finds the skills that know terms of a request. `unknown_percent` is the weight of a term that no skill knows.
    pub(super) fn find<'t>(&self, terms: impl IntoIterator<Item = &'t str>, unknown_percent: u8) -> RequestMatches<'_> {
        let mut weights = vec![0_u64; self.count as usize];
        let mut total_percent = 0_u64;
        let mut known_by = Vec::new();
        for term in terms {
            let skills = self.skills.get(term).map_or(&[][..], Vec::as_slice);
            let weight = self.weight(skills.len() as u64);
            let percent = if skills.is_empty() { u64::from(unknown_percent) } else { 100 };
            total_percent = total_percent.saturating_add(weight * percent);
            for skill in skills {
                if let Some(sum) = weights.get_mut(*skill as usize) {
                    *sum += weight;
                }
            }
            known_by.push(skills);
        }
        RequestMatches { terms: known_by, weights, total_percent }
    }

    /// Returns the weight of a term that `known_by` skills know.
    fn weight(&self, known_by: u64) -> u64 {
        log2_ratio(2 * u64::from(self.count) + 2, 2 * known_by + 1)
    }
}

impl RequestMatches<'_> {
    /// Returns the coverage of the request by the skill at a position.
    pub(super) fn coverage(&self, skill: usize) -> IntentValue {
        let weight = self.weights.get(skill).copied().unwrap_or_default();
        IntentValue::coverage(weight.saturating_mul(100), self.total_percent)
    }

    /// Returns the positions in the request of the terms that the skill at a position knows, ascending.
    pub(super) fn terms_of(&self, skill: usize) -> Vec<u32> {
        let knows = |skills: &&[u32]| u32::try_from(skill).is_ok_and(|skill| skills.binary_search(&skill).is_ok());
        (0..).zip(&self.terms).filter(|(_, skills)| knows(skills)).map(|(position, _)| position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates the postings of three skills.
    fn postings() -> Postings {
        let mut postings = Postings::default();
        for terms in [["database", "schema"], ["test", "schema"], ["page", "layout"]] {
            postings.add(&terms.map(str::to_owned));
        }
        postings
    }

    /// Returns the coverage of terms by each skill that knows one.
    fn coverages(terms: &[&str]) -> Vec<(usize, IntentValue)> {
        let postings = postings();
        let found = postings.find(terms.iter().copied(), 35);
        let known = (0..3).filter(|skill| !found.terms_of(*skill).is_empty());
        known.map(|skill| (skill, found.coverage(skill))).collect()
    }

    /// SC-08, SC-10: intent is the weighted coverage of the request, complete at half of it.
    #[test]
    fn intent_is_the_weighted_coverage_of_the_request() {
        use IntentValue::Coverage;
        assert_eq!(coverages(&["database"]), [(0, Coverage(10_000))]);
        // ln(8/3) = 0.9808 for a word of one skill, ln(8/5) = 0.4700 for a word of two, 0.35 × ln(8) = 0.7278 else.
        assert_eq!(coverages(&["database", "schema"]), [(0, Coverage(10_000)), (1, Coverage(3_240))]);
        assert_eq!(coverages(&["database", "colour"]), [(0, Coverage(5_740))]);
        assert_eq!(coverages(&["colour"]), []);
    }

    #[test]
    fn points_are_proportional_up_to_the_full_share() {
        let settings = ScoringSettings::default();
        let points = |value: IntentValue| value.points(&settings);
        let coverages = [0, 62, 63, 2_500, 4_500, 5_000, 9_000].map(|parts| points(IntentValue::Coverage(parts)));
        assert_eq!(coverages, [0, 0, 1, 20, 36, 40, 40]);
        assert_eq!([5_000, 9_000, 10_000].map(|parts| points(IntentValue::Probability(parts))), [20, 36, 40]);
    }
}
