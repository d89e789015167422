//! The combination of the skills of several clauses (000 §4.1, §4.2).

use contracts::SkillOutcome;

use super::rows::KeywordRows;
use crate::settings::{CONTENT, CombineSettings};

/// The role before which skills without a listed role are used.
const QUALITY: &str = "quality";

/// The skills of several clauses, in the order in which they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Combination {
    /// The skills that are loaded: the coordinator if there is one, then the others up to the maximum.
    pub(super) outcome: SkillOutcome,
    /// The number of skills, not counting the coordinator.
    pub(super) count: usize,
    /// The skills beyond the maximum.
    pub(super) overflow: Vec<String>,
}

/// Combines the skills of clauses. `winners` are their rows in the order of the clauses, each once, at least one.
pub(super) fn combine(rows: &KeywordRows, winners: &[usize], settings: &CombineSettings) -> Combination {
    let mut winners: Vec<_> = winners.iter().filter_map(|row| rows.rows.get(*row)).collect();
    // Skills of one role remain in the order of their clauses.
    winners.sort_by_key(|row| rank(&row.role, &settings.order));
    let (coordinators, content): (Vec<_>, Vec<_>) = winners.into_iter().partition(|row| row.is_coordinator());
    let names = |rows: &[&super::rows::KeywordRow]| rows.iter().map(|row| row.skill.clone()).collect::<Vec<_>>();
    let max = settings.max.max(1).min(content.len());
    let mut skills = names(&coordinators);
    let coordinated = !coordinators.is_empty() && !content.is_empty();
    skills.extend(names(&content[..max]));
    Combination {
        outcome: SkillOutcome::Load { skills, coordinated },
        count: content.len(),
        overflow: names(&content[max..]),
    }
}

/// Returns the position of a role. A role that the settings do not list is used like `content`, and if they do not list
/// that either, before the skills that check quality.
fn rank(role: &str, order: &[String]) -> (usize, bool) {
    let position = |role: &str| order.iter().position(|listed| listed == role);
    match position(role).or_else(|| position(CONTENT)) {
        Some(position) => (position, true),
        None => (position(QUALITY).unwrap_or(order.len()), false),
    }
}
