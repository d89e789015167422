//! Intent match: the weighted share of a request's terms that a skill knows (003 Components).
//!
//! The weight of a term is its inverse document frequency over the skills, `log((n + 1) / (df + 1/2))`, where `n` is the
//! number of skills and `df` the number of those that know the term.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    components::MAX_INTENT,
    everyday::EverydayWords,
    log2::log2_ratio,
    settings::ScoringSettings,
    terms::{in_lower_case, words},
    word_table::WordTable,
};
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

/// The most points of a skill that only everyday words match. With nothing but intent they are a score of 45.
const MOST_OF_EVERYDAY_WORDS: u8 = 20;

/// The most points of a skill that fewer words match than loading requires. With nothing but intent they are a score of 68:
/// enough for a question, and for loading only if the files, the stack or the risk of the task agree.
const MOST_OF_FEW_WORDS: u8 = 30;

/// The least points of a skill whose probability is enough for loading. With nothing but intent they are a score of 72.
const LEAST_OF_LOADED: u8 = 32;

/// The scale of [`IntentValue`].
const PARTS: u64 = 10_000;

impl IntentValue {
    /// Returns the value of a coverage `matched / total`; 0 if the total is 0.
    fn coverage(matched: u64, total: u64) -> Self {
        let parts = divide_half_up(matched.saturating_mul(PARTS), total).unwrap_or_default();
        Self::Coverage(u16::try_from(parts.min(PARTS)).unwrap_or_default())
    }

    /// Returns the points of a coverage, 0 to 40, or those of a probability without a threshold. A coverage has all points
    /// from the share that the settings name, a probability only if it is 1.
    pub(super) fn points(self, settings: &ScoringSettings) -> u8 {
        match self {
            Self::Coverage(parts) => share(MAX_INTENT, parts, PARTS * u64::from(settings.full_intent_percent) / 100),
            Self::Probability(parts) => share(MAX_INTENT, parts, PARTS),
        }
    }
}

/// Returns `points` in proportion to `parts` of `full`, at most all of them, rounded half up.
fn share(points: u8, parts: u16, full: u64) -> u8 {
    let parts = u64::from(parts).min(full);
    let share = divide_half_up(u64::from(points) * parts, full).unwrap_or_default();
    u8::try_from(share).unwrap_or(points)
}

/// For each skill the probability that it fits a request, as a ranker gives it.
#[derive(Debug, Clone, Copy)]
pub struct Probabilities<'a> {
    /// The probabilities by the name of the skill, in parts per 10,000. A skill that is not listed has the probability 0.
    pub by_skill: &'a BTreeMap<String, u16>,
    /// The least probability with which a skill is loaded if nothing but intent applies, in parts per 10,000; `None` if
    /// points are in proportion to the probability.
    pub load_from: Option<u16>,
}

impl Probabilities<'_> {
    /// Returns the probability of a skill.
    pub(super) fn value(&self, skill: &str) -> IntentValue {
        IntentValue::Probability(self.by_skill.get(skill).copied().unwrap_or_default())
    }

    /// Returns the points of a value, 0 to 40. With a threshold, probabilities below it have up to [`MOST_OF_FEW_WORDS`]
    /// points, those from it on at least [`LEAST_OF_LOADED`], each in proportion.
    pub(super) fn points(&self, value: IntentValue, settings: &ScoringSettings) -> u8 {
        match (value, self.load_from) {
            (IntentValue::Probability(parts), Some(least)) if parts < least => {
                share(MOST_OF_FEW_WORDS, parts, u64::from(least))
            }
            (IntentValue::Probability(parts), Some(least)) => {
                let above = PARTS.saturating_sub(u64::from(least)).max(1);
                LEAST_OF_LOADED + share(MAX_INTENT - LEAST_OF_LOADED, parts - least, above)
            }
            (value, _) => value.points(settings),
        }
    }
}

/// The skills that know each term.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// The number of each term.
    numbers: BTreeMap<String, u32>,
    /// For each term by its number, the positions of the skills that know it, ascending.
    skills: Vec<Vec<u32>>,
    /// The number of skills.
    count: u32,
}

/// What one skill knows of a request.
#[derive(Debug, Clone, Copy, Default)]
struct SkillMatches {
    /// The sum of the weights of the terms that it knows.
    weight: u64,
    /// The number of terms that it knows.
    words: u32,
    /// The number of known terms that are no everyday words.
    subjects: u32,
}

/// The matches of all skills for one request.
#[derive(Debug)]
pub(super) struct RequestMatches<'a> {
    /// The skills that know each term of the request, in its order.
    terms: Vec<&'a [u32]>,
    /// What each skill knows of the request, by position.
    skills: Vec<SkillMatches>,
    /// The sum of the weights of all terms, in percent.
    total_percent: u64,
}

impl Postings {
    /// Adds the next skill with the texts that it consists of. `table` has the words of all texts that were added.
    pub(super) fn add<'t>(&mut self, texts: impl Iterator<Item = &'t str>, table: &mut WordTable) {
        for text in texts {
            for word in words(&in_lower_case(text)) {
                let numbers = &mut self.numbers;
                let number = table.term_of(word, |term| {
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    *numbers.entry(term).or_insert(next)
                });
                let Some(number) = number else { continue };
                let number = number as usize;
                if self.skills.len() <= number {
                    self.skills.resize(number + 1, Vec::new());
                }
                if let Some(skills) = self.skills.get_mut(number)
                    && skills.last() != Some(&self.count)
                {
                    skills.push(self.count);
                }
            }
        }
        self.count += 1;
    }

    /// Returns whether there are no skills.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the positions of the skills that know a term, ascending.
    fn skills_with(&self, term: &str) -> &[u32] {
        let number = self.numbers.get(term);
        number.and_then(|number| self.skills.get(*number as usize)).map_or(&[], Vec::as_slice)
    }

    /// Finds the skills that know terms of a request. `unknown_percent` is the weight of a term that no skill knows.
    pub(super) fn find<'t>(
        &self,
        terms: impl IntoIterator<Item = &'t str>,
        everyday: &EverydayWords,
        unknown_percent: u8,
    ) -> RequestMatches<'_> {
        let mut matches = vec![SkillMatches::default(); self.count as usize];
        let mut total_percent = 0_u64;
        let mut known_by = Vec::new();
        for term in terms {
            let skills = self.skills_with(term);
            let weight = self.weight(skills.len() as u64);
            let percent = if skills.is_empty() { u64::from(unknown_percent) } else { 100 };
            total_percent = total_percent.saturating_add(weight * percent);
            let is_subject = !skills.is_empty() && !everyday.contains(term);
            for skill in skills {
                if let Some(matches) = matches.get_mut(*skill as usize) {
                    matches.weight += weight;
                    matches.words += 1;
                    matches.subjects += u32::from(is_subject);
                }
            }
            known_by.push(skills);
        }
        RequestMatches { terms: known_by, skills: matches, total_percent }
    }

    /// Returns the weight of a term that `known_by` skills know.
    fn weight(&self, known_by: u64) -> u64 {
        log2_ratio(2 * u64::from(self.count) + 2, 2 * known_by + 1)
    }
}

impl RequestMatches<'_> {
    /// Returns the coverage of the request by the skill at a position.
    pub(super) fn coverage(&self, skill: usize) -> IntentValue {
        IntentValue::coverage(self.of_skill(skill).weight.saturating_mul(100), self.total_percent)
    }

    /// Returns the most intent points that the number of matching words allows the skill at a position. Everyday words
    /// alone are too little for a question, and fewer words than the settings require too little to load the skill.
    pub(super) fn most_points(&self, skill: usize, settings: &ScoringSettings) -> u8 {
        let SkillMatches { words, subjects, .. } = self.of_skill(skill);
        match settings.min_matched_words {
            0 | 1 => MAX_INTENT,
            _ if subjects == 0 => MOST_OF_EVERYDAY_WORDS,
            least if words < u32::from(least) => MOST_OF_FEW_WORDS,
            _ => MAX_INTENT,
        }
    }

    /// Returns what the skill at a position knows of the request.
    fn of_skill(&self, skill: usize) -> SkillMatches {
        self.skills.get(skill).copied().unwrap_or_default()
    }

    /// Returns the positions in the request of the terms that the skill at a position knows, ascending.
    pub(super) fn terms_of(&self, skill: usize) -> Vec<u32> {
        let knows = |skills: &&[u32]| u32::try_from(skill).is_ok_and(|skill| skills.binary_search(&skill).is_ok());
        (0..).zip(&self.terms).filter(|(_, skills)| knows(skills)).map(|(position, _)| position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::terms::term, *};

    /// Creates the postings of three skills.
    fn postings() -> Postings {
        let (mut postings, mut table) = (Postings::default(), WordTable::new());
        for words in [["databases", "schema"], ["test", "schema"], ["page", "layout"]] {
            postings.add(words.into_iter(), &mut table);
        }
        postings
    }

    /// Returns the coverage of terms by each skill that knows one.
    fn coverages(terms: &[&str]) -> Vec<(usize, IntentValue)> {
        let postings = postings();
        let terms: Vec<_> = terms.iter().filter_map(|word| term(word)).collect();
        let found = postings.find(terms.iter().map(String::as_str), &EverydayWords::new(), 35);
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

    /// C-42: with a threshold, probabilities from it on have the points with which a skill is loaded.
    #[test]
    fn a_threshold_divides_the_points_of_probabilities() {
        let (by_skill, settings) = (BTreeMap::new(), ScoringSettings::default());
        let points = |load_from, parts| {
            Probabilities { by_skill: &by_skill, load_from }.points(IntentValue::Probability(parts), &settings)
        };
        assert_eq!([0, 1_000, 1_999, 2_000, 10_000].map(|parts| points(Some(2_000), parts)), [0, 15, 30, 32, 40]);
        assert_eq!((points(None, 5_000), points(Some(10_000), 10_000), points(Some(u16::MAX), 10_000)), (20, 32, 5));
    }

    /// SC-10: words that any request can have are no evidence, and one word is not enough to load a skill.
    #[test]
    fn few_and_everyday_words_limit_the_points() {
        let (postings, settings) = (postings(), ScoringSettings::default());
        let most = |terms: &[&str]| {
            let found = postings.find(terms.iter().copied(), &EverydayWords::new(), 35);
            [0, 1].map(|skill| found.most_points(skill, &settings))
        };
        assert_eq!(most(&["test"]), [20, 20]);
        assert_eq!(most(&["schema"]), [30, 30]);
        assert_eq!(most(&["test", "schema"]), [30, 40]);
        let letter = ScoringSettings { min_matched_words: 1, ..settings.clone() };
        assert_eq!(postings.find(["test"], &EverydayWords::new(), 35).most_points(1, &letter), 40);
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
