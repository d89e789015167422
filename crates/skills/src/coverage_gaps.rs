//! Gaps in the coverage of keywords, found in the routing log, with the words to add (000 Coverage Gaps).

use std::collections::{BTreeMap, BTreeSet};

use contracts::{KeywordOutcome, SkillSlot};
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::{
    rate::Rate,
    routing_log::{RoutingRecord, keywords_in_use},
    score::terms::terms_with_words,
};

/// A signal of a gap in the keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapSignal {
    /// Many of the requests that need a skill reach a layer after the keywords.
    HigherLayers,
    /// The user corrected decisions.
    Corrected,
    /// Many skills are named by the user.
    NamedByUser,
    /// Several skills often match, and no negative keyword suppresses one.
    NoSuppression,
}

impl GapSignal {
    /// Returns the title of the gap in reports.
    pub const fn title(self) -> &'static str {
        match self {
            Self::HigherLayers => "Requests that the keywords do not decide",
            Self::Corrected => "Decisions that the user corrected",
            Self::NamedByUser => "Skills that the user names",
            Self::NoSuppression => "Requests that several skills match without a negative keyword",
        }
    }
}

/// The rates above which a signal is a gap, in percent, `skills.gaps` in the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GapThresholds {
    /// Requests that reach a layer after the keywords, of the requests that need a skill.
    pub higher_layers_percent: u8,
    /// Corrected decisions, of all decisions.
    pub corrected_percent: u8,
    /// Requests whose skill the user names, of all requests.
    pub named_by_user_percent: u8,
    /// Requests without suppression, of the requests that several skills match.
    pub no_suppression_percent: u8,
    /// The number of requests that a word must occur in to be suggested.
    pub min_requests_of_word: u32,
}

impl Default for GapThresholds {
    fn default() -> Self {
        Self {
            higher_layers_percent: 20,
            corrected_percent: 0,
            named_by_user_percent: 30,
            no_suppression_percent: 50,
            min_requests_of_word: 2,
        }
    }
}

impl GapThresholds {
    /// Returns the rate in percent above which a signal is a gap.
    pub const fn percent(&self, signal: GapSignal) -> u8 {
        match signal {
            GapSignal::HigherLayers => self.higher_layers_percent,
            GapSignal::Corrected => self.corrected_percent,
            GapSignal::NamedByUser => self.named_by_user_percent,
            GapSignal::NoSuppression => self.no_suppression_percent,
        }
    }
}

/// A gap in the coverage of keywords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageGap {
    /// The signal.
    pub signal: GapSignal,
    /// The rate of the requests with the signal.
    pub rate: Rate,
    /// The words that occur most often in these requests, most frequent first; at most ten.
    pub words: Vec<GapWord>,
    /// The events of the decisions with the signal.
    pub events: Vec<EventId>,
}

/// A word that keywords could contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapWord {
    /// The skill that the word belongs to: the one that the user or the agent chose; `None` if no skill is known.
    pub skill: Option<String>,
    /// The word, in lower case.
    pub word: String,
    /// The number of requests that it occurs in.
    pub requests: u32,
}

/// The highest number of suggested words of a gap.
const MAX_WORDS: usize = 10;

/// A signal with the records that it is a rate of, and its condition.
type SignalRule<'a> = (GapSignal, &'a [&'a RoutingRecord], fn(&RoutingRecord) -> bool);

/// Finds the gaps in the records of a log. Returns at most one gap for each signal, in their order.
pub fn coverage_gaps(records: &[RoutingRecord], thresholds: &GapThresholds) -> Vec<CoverageGap> {
    let multi: Vec<&RoutingRecord> =
        records.iter().filter(|record| record.keyword == Some(KeywordOutcome::Multi)).collect();
    let all: Vec<&RoutingRecord> = records.iter().collect();
    let in_use = keywords_in_use(records);
    let needing: Vec<&RoutingRecord> = records.iter().filter(|record| record.needs_skill(in_use)).collect();
    let signals: [SignalRule<'_>; 4] = [
        (GapSignal::HigherLayers, &needing, |record| record.layer_reached > 1),
        (GapSignal::Corrected, &all, |record| record.correction.is_some()),
        (GapSignal::NamedByUser, &all, |record| record.slot == SkillSlot::Explicit),
        (GapSignal::NoSuppression, &multi, |record| record.suppressed.is_empty()),
    ];
    let gaps = signals.into_iter().filter_map(|(signal, records, has_signal)| {
        let found: Vec<&RoutingRecord> = records.iter().copied().filter(|record| has_signal(record)).collect();
        let rate = Rate::new(found.len() as u64, records.len() as u64);
        rate.exceeds_percent(u64::from(thresholds.percent(signal))).then(|| CoverageGap {
            signal,
            rate,
            words: frequent_words(&found, thresholds.min_requests_of_word),
            events: found.iter().map(|record| record.event).collect(),
        })
    });
    gaps.collect()
}

/// Returns the most frequent words of requests that are no matched keyword, by the skill that the request needed.
fn frequent_words(records: &[&RoutingRecord], min_requests: u32) -> Vec<GapWord> {
    let mut counts: BTreeMap<(Option<&str>, String), (String, u32)> = BTreeMap::new();
    for record in records {
        let matched: BTreeSet<String> =
            record.matched.iter().flat_map(|one| terms_with_words(&one.keyword)).map(|(term, _)| term).collect();
        let skill = record.needed_skill();
        for (term, word) in terms_with_words(&record.summary) {
            let names_skill =
                skill.is_some_and(|skill| terms_with_words(skill).iter().any(|(other, _)| *other == term));
            if !matched.contains(&term) && !names_skill {
                counts.entry((skill, term)).or_insert((word, 0)).1 += 1;
            }
        }
    }
    let frequent = counts.into_iter().filter(|(_, (_, count))| min_requests <= *count);
    let mut words: Vec<GapWord> = frequent
        .map(|((skill, _), (word, requests))| GapWord { skill: skill.map(str::to_owned), word, requests })
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.requests));
    words.truncate(MAX_WORDS);
    words
}

/// Returns whether a review of the keywords is due: the trigger tables have another hash than at the latest audit, or were
/// never audited.
pub fn is_review_due(tables: &[u8; 32], audited: Option<&[u8; 32]>) -> bool {
    audited != Some(tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing_log::{Correction, samples::record};

    /// SK-91: each signal is one gap, with the events of its decisions, and none without signal.
    #[test]
    fn each_signal_is_one_gap() {
        let mut records: Vec<_> = (0..20).map(|number| record(number, SkillSlot::Keyword)).collect();
        assert_eq!(coverage_gaps(&records, &GapThresholds::default()), []);
        for record in &mut records[..5] {
            record.layer_reached = 2;
        }
        let correction = Correction { event: EventId([9; 16]), target: Some("testing".into()) };
        records[5].correction = Some(correction);
        for record in &mut records[6..13] {
            record.slot = SkillSlot::Explicit;
        }
        records[13].keyword = Some(KeywordOutcome::Multi);
        let gaps = coverage_gaps(&records, &GapThresholds::default());
        let found: Vec<_> = gaps.iter().map(|gap| (gap.signal, gap.rate.count, gap.rate.total)).collect();
        let expected = [
            (GapSignal::HigherLayers, 5, 20),
            (GapSignal::Corrected, 1, 20),
            (GapSignal::NamedByUser, 7, 20),
            (GapSignal::NoSuppression, 1, 1),
        ];
        assert_eq!(found, expected);
        assert_eq!(gaps[1].events, [records[5].event]);
    }

    /// SK-91: the words to add are those that the requests share, with the skill that the user chose.
    #[test]
    fn a_gap_suggests_the_words_of_its_requests() {
        let mut records: Vec<_> = (0..3).map(|number| record(number, SkillSlot::Explicit)).collect();
        for (record, text) in records.iter_mut().zip(["/testing flaky board", "flaky login", "the board is flaky"]) {
            record.summary = text.into();
            record.outcome = contracts::SkillOutcome::load("testing");
        }
        let gaps = coverage_gaps(&records, &GapThresholds::default());
        let named = gaps.iter().find(|gap| gap.signal == GapSignal::NamedByUser).unwrap();
        let words: Vec<_> = named.words.iter().map(|word| (word.word.as_str(), word.requests)).collect();
        assert_eq!(words, [("flaky", 3), ("board", 2)]);
        assert_eq!(named.words[0].skill.as_deref(), Some("testing"));
    }

    /// SK-91: ordinary messages are no gap: requests that needed no skill, and where no keyword ever matched, those without a
    /// label and without evidence.
    #[test]
    fn ordinary_messages_are_no_gap() {
        let mut records: Vec<_> = (0..10).map(|number| record(number, SkillSlot::Clarify)).collect();
        for record in &mut records {
            record.layer_reached = 2;
            record.keyword = Some(KeywordOutcome::NoMatch);
            record.outcome = contracts::SkillOutcome::None;
        }
        assert_eq!(coverage_gaps(&records, &GapThresholds::default()), []);
        records[0].keyword = Some(KeywordOutcome::Clear);
        assert_eq!(coverage_gaps(&records, &GapThresholds::default())[0].rate, Rate::new(10, 10));
        for record in &mut records {
            record.needed = Some(Vec::new());
        }
        assert_eq!(coverage_gaps(&records, &GapThresholds::default()), []);
        for (record, text) in records.iter_mut().zip(["shrink the tables", "the tables are large"]) {
            record.summary = text.into();
            record.needed = Some(vec!["database".into()]);
        }
        let gaps = coverage_gaps(&records, &GapThresholds::default());
        let word = GapWord { skill: Some("database".into()), word: "tables".into(), requests: 2 };
        assert_eq!((gaps.len(), gaps[0].rate, &gaps[0].words), (1, Rate::new(2, 2), &vec![word]));
    }

    /// SK-92: a review is due once the trigger tables have changed.
    #[test]
    fn a_changed_table_is_due_for_review() {
        assert!(is_review_due(&[1; 32], None) && is_review_due(&[1; 32], Some(&[2; 32])));
        assert!(!is_review_due(&[1; 32], Some(&[1; 32])));
    }
}
