//! [`RoutingCounts`], the counts that the conditions of the roadmap depend on.

use contracts::{KeywordOutcome, SkillSlot};
use serde::{Deserialize, Serialize};

use crate::{
    rate::Rate,
    routing_log::{RoutingRecord, TreeResult},
};

/// The counts of a routing log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingCounts {
    /// Decisions.
    pub decisions: u64,
    /// Decisions for a skill that the user named.
    pub named_by_user: u64,
    /// Decisions that the user corrected.
    pub corrected: u64,
    /// Decisions that loaded a skill.
    pub invocations: u64,
    /// Decisions that evaluated the tree.
    pub tree_evaluated: u64,
    /// Those of them that no row of the tree resolved.
    pub tree_unresolved: u64,
    /// Decisions without a matching keyword and without a matching row of the tree.
    pub novel: u64,
}

impl RoutingCounts {
    /// Counts the records of a log.
    pub fn new(records: &[RoutingRecord]) -> Self {
        let count = |has: fn(&RoutingRecord) -> bool| records.iter().filter(|record| has(record)).count() as u64;
        Self {
            decisions: records.len() as u64,
            named_by_user: count(|record| record.slot == SkillSlot::Explicit),
            corrected: count(|record| record.correction.is_some()),
            invocations: count(|record| !record.outcome.loaded().is_empty()),
            tree_evaluated: count(|record| record.tree.is_some()),
            tree_unresolved: count(|record| record.tree == Some(TreeResult::Unresolved)),
            novel: count(|record| {
                record.keyword == Some(KeywordOutcome::NoMatch) && record.tree != Some(TreeResult::Resolved)
            }),
        }
    }

    /// Returns the rate of missed skills: skills that the user named, and corrections, of all decisions.
    pub const fn false_negatives(&self) -> Rate {
        Rate::new(self.named_by_user + self.corrected, self.decisions)
    }

    /// Returns the rate of skills that the user named, of all decisions that loaded a skill.
    pub const fn user_overrides(&self) -> Rate {
        Rate::new(self.named_by_user, self.invocations)
    }

    /// Returns the rate of requests that the tree did not resolve, of those that reached it.
    pub const fn tree_failures(&self) -> Rate {
        Rate::new(self.tree_unresolved, self.tree_evaluated)
    }

    /// Returns the rate of novel requests.
    pub const fn novel_requests(&self) -> Rate {
        Rate::new(self.novel, self.decisions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing_log::{Correction, samples::record};

    /// Creates 100 records of which the first `count` are changed.
    fn records(count: usize, change: fn(&mut RoutingRecord)) -> RoutingCounts {
        let mut records: Vec<_> = (0..100).map(|number| record(number, SkillSlot::Keyword)).collect();
        records.iter_mut().take(count).for_each(change);
        RoutingCounts::new(&records)
    }

    /// SK-81: 30 named skills and 11 corrections of 100 decisions are a rate of 41 %.
    #[test]
    fn named_skills_and_corrections_are_false_negatives() {
        let mut all: Vec<_> = (0..100).map(|number| record(number, SkillSlot::Keyword)).collect();
        all.iter_mut().take(30).for_each(|record| record.slot = SkillSlot::Explicit);
        for record in all.iter_mut().skip(50).take(11) {
            record.correction = Some(Correction { event: record.event, target: None });
        }
        assert_eq!(RoutingCounts::new(&all).false_negatives(), Rate::new(41, 100));
    }

    /// SK-82: 31 named skills of 100 loads are a rate of 31 %.
    #[test]
    fn named_skills_of_all_loads_are_overrides() {
        assert_eq!(records(31, |record| record.slot = SkillSlot::Explicit).user_overrides(), Rate::new(31, 100));
    }

    /// SK-83: 3 unresolved requests of 10 that reached the tree are a rate of 30 %.
    #[test]
    fn unresolved_requests_are_tree_failures() {
        let mut all: Vec<_> = (0..20).map(|number| record(number, SkillSlot::Tree)).collect();
        all.iter_mut().take(10).for_each(|record| record.tree = Some(TreeResult::Resolved));
        all.iter_mut().take(3).for_each(|record| record.tree = Some(TreeResult::Unresolved));
        assert_eq!(RoutingCounts::new(&all).tree_failures(), Rate::new(3, 10));
    }

    /// SK-84: 16 requests without keyword and row, of 100, are a rate of 16 %.
    #[test]
    fn requests_without_keyword_and_row_are_novel() {
        let without_keyword = |record: &mut RoutingRecord| record.keyword = Some(KeywordOutcome::NoMatch);
        assert_eq!(records(16, without_keyword).novel_requests(), Rate::new(16, 100));
        let resolved = records(16, |record| {
            record.keyword = Some(KeywordOutcome::NoMatch);
            record.tree = Some(TreeResult::Resolved);
        });
        assert_eq!(resolved.novel_requests(), Rate::new(0, 100));
    }
}
