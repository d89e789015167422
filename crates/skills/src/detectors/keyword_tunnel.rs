//! Keyword Tunnel: routing depends on keywords that users do not write (AP-01, APD-01).

use std::collections::BTreeMap;

use contracts::{KeywordOutcome, SkillSlot};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    detection::{AntiPattern, Detection, Signal},
    sessions::by_session,
    thresholds::DetectorThresholds,
};
use crate::{
    rate::Rate,
    routing_log::{RoutingRecord, keywords_in_use},
    score::terms::terms,
};

/// The last change of the trigger table and the time at which its age is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableAge {
    /// The time of the last change.
    pub changed: Timestamp,
    /// The time of the audit.
    pub now: Timestamp,
}

/// Detects the hints of a keyword tunnel: requests that matched only in other words, equal requests with different skills,
/// an old table, and skills that users name although none of their keywords is in the request. `table` is `None` if the
/// age of the table is unknown.
pub fn detect_keyword_tunnel(
    records: &[RoutingRecord],
    table: Option<TableAge>,
    thresholds: &DetectorThresholds,
) -> Vec<Detection> {
    let hint = |signal, events| Detection::new(AntiPattern::Ap01KeywordTunnel, signal, events);
    let mut found = Vec::new();
    for session in by_session(records) {
        found.extend(rephrased(&session, thresholds).into_iter().map(|events| hint(Signal::Rephrased, events)));
    }
    found.extend(inconsistent(records).into_iter().map(|events| hint(Signal::Inconsistent, events)));
    if let Some(table) = table {
        let days = table.now.utc_day().saturating_sub(table.changed.utc_day());
        let days = u32::try_from(days).unwrap_or(u32::MAX);
        if thresholds.table_days < days {
            found.push(hint(Signal::OldTable { days }, Vec::new()));
        }
    }
    for record in records.iter().filter(|record| record.slot == SkillSlot::Explicit && record.keyword.is_some()) {
        let without_keyword = |skill: &&String| !record.matched.iter().any(|matched| matched.skill == **skill);
        let skills = record.outcome.loaded().iter().filter(without_keyword);
        found
            .extend(skills.map(|skill| hint(Signal::NamedWithoutKeyword { skill: skill.clone() }, vec![record.event])));
    }
    found
}

/// Returns the pairs of a request without a match and a later one with similar words that loaded a skill.
fn rephrased(session: &[&RoutingRecord], thresholds: &DetectorThresholds) -> Vec<Vec<EventId>> {
    let mut pairs = Vec::new();
    for (position, missed) in session.iter().enumerate().filter(|(_, record)| is_missed(record)) {
        let words = terms(&missed.summary);
        let later = session.iter().skip(position + 1).take(thresholds.rephrased_within);
        let matched = later.filter(|record| !record.outcome.loaded().is_empty()).find(|record| {
            let others = terms(&record.summary);
            let common = words.iter().filter(|word| others.contains(word)).count();
            let all = words.len() + others.len() - common;
            all > 0 && common * 100 >= usize::from(thresholds.rephrased_percent) * all
        });
        pairs.extend(matched.map(|record| vec![missed.event, record.event]));
    }
    pairs
}

/// Returns the events of requests with equal words that loaded different skills, for each set of words.
fn inconsistent(records: &[RoutingRecord]) -> Vec<Vec<EventId>> {
    let mut by_words: BTreeMap<Vec<String>, Vec<&RoutingRecord>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.slot != SkillSlot::Explicit) {
        let mut words = terms(&record.summary);
        words.sort();
        if !words.is_empty() {
            by_words.entry(words).or_default().push(record);
        }
    }
    let differ = |same: &&Vec<&RoutingRecord>| same.windows(2).any(|pair| pair[0].outcome != pair[1].outcome);
    by_words.values().filter(differ).map(|same| same.iter().map(|record| record.event).collect()).collect()
}

/// Returns whether a request matched no keyword and loaded no skill.
fn is_missed(record: &RoutingRecord) -> bool {
    record.keyword == Some(KeywordOutcome::NoMatch) && record.outcome.loaded().is_empty()
}

/// Detects sessions in which too many of the requests that need a skill match nothing (APD-01). Ordinary messages are not counted.
pub fn detect_no_match(records: &[RoutingRecord], thresholds: &DetectorThresholds) -> Vec<Detection> {
    let sessions = by_session(records);
    let in_use = keywords_in_use(records);
    let detections = sessions.iter().filter_map(|session| {
        let session: Vec<_> = session.iter().filter(|record| record.needs_skill(in_use)).collect();
        let missed: Vec<EventId> =
            session.iter().filter(|record| is_missed(record)).map(|record| record.event).collect();
        let rate = Rate::new(missed.len() as u64, session.len() as u64);
        let exceeds = rate.exceeds_percent(u64::from(thresholds.no_match_percent));
        exceeds.then(|| Detection::new(AntiPattern::Apd01KeywordTunnel, Signal::NoMatch(rate), missed))
    });
    detections.collect()
}
