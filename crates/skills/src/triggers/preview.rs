//! The effect of a new keyword on requests, before it is added (000 AP-01, issue 18).

use serde::{Deserialize, Serialize};

use super::{Collision, MAX_COLLISIONS, TriggerRow, TriggerTable, collisions_up_to};
use crate::{
    decide::decide,
    request::SkillRequest,
    router::{SkillRouter, SkillRouterError, SkillSources},
};

/// The number of collisions with and without a new keyword that are compared.
const MAX_COMPARED: usize = 10 * MAX_COLLISIONS;

/// A request on which a new keyword is tried: from the log, or from labelled cases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledRequest {
    /// The text.
    pub text: String,
    /// The skills that are right for it; `None` if that is unknown.
    pub expected: Option<Vec<String>>,
}

/// A request that is decided differently with the new keyword.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedDecision {
    /// The index of the request.
    pub request: usize,
    /// The outcome without the keyword, as text.
    pub before: String,
    /// The outcome with the keyword, as text.
    pub after: String,
    /// Whether the outcome becomes right (`true`) or wrong (`false`); `None` if it is neither or if no label exists.
    pub improves: Option<bool>,
}

/// The effect of a new keyword.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeywordPreview {
    /// The requests that are decided differently.
    pub changed: Vec<ChangedDecision>,
    /// The collisions that the keyword causes.
    pub new_collisions: Vec<Collision>,
}

/// Decides `requests` with and without a new keyword of a skill, and compares. A skill without a row in the table gets
/// one with the lowest priority.
///
/// # Errors
/// [`SkillRouterError`] if the keywords are too long to be searched.
pub fn preview_keyword(
    router: &SkillRouter,
    skill: &str,
    keyword: &str,
    requests: &[LabelledRequest],
) -> Result<KeywordPreview, SkillRouterError> {
    let SkillSources { index, triggers, agents, cases } = router.sources();
    let table = with_keyword(triggers, skill, keyword);
    // The first collisions of the changed table that are no new ones are among the first of the present table.
    let known = collisions_up_to(index, triggers, MAX_COMPARED);
    let changed_collisions = collisions_up_to(index, &table, MAX_COMPARED).into_iter();
    let new_collisions = changed_collisions.filter(|found| known.binary_search(found).is_err()).collect();
    let sources = SkillSources { index: index.clone(), triggers: table, agents: agents.clone(), cases: cases.clone() };
    let changed_router = SkillRouter::new(sources, router.settings().clone())?;
    let mut changed = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        let input = SkillRequest { text: &request.text, interactive: true, ..SkillRequest::default() };
        let (before, after) = (decide(&input, router).chosen, decide(&input, &changed_router).chosen);
        if before == after {
            continue;
        }
        let is_right = |outcome: &Option<contracts::SkillOutcome>| {
            let expected = request.expected.as_ref()?;
            Some(outcome.as_ref().is_some_and(|outcome| same_skills(outcome.loaded(), expected)))
        };
        let improves = match (is_right(&before), is_right(&after)) {
            (Some(before), Some(after)) if before != after => Some(after),
            _ => None,
        };
        let text =
            |outcome: Option<contracts::SkillOutcome>| outcome.map(|outcome| outcome.to_string()).unwrap_or_default();
        changed.push(ChangedDecision { request: number, before: text(before), after: text(after), improves });
    }
    Ok(KeywordPreview { changed, new_collisions })
}

/// Returns the table with a new keyword of a skill.
fn with_keyword(table: &TriggerTable, skill: &str, keyword: &str) -> TriggerTable {
    let mut table = table.clone();
    if let Some(row) = table.rows.iter_mut().find(|row| row.skill == skill) {
        row.keywords.push(keyword.to_owned());
    } else {
        let lowest = table.rows.iter().map(|row| row.priority).max().unwrap_or(0);
        let (skill, keywords) = (skill.to_owned(), vec![keyword.to_owned()]);
        table.rows.push(TriggerRow { skill, keywords, priority: lowest.saturating_add(1), ..TriggerRow::default() });
    }
    table
}

/// Returns whether two lists name the same skills in any order. A slash before a name does not matter.
fn same_skills(loaded: &[String], expected: &[String]) -> bool {
    let names = |skills: &[String]| {
        let mut names: Vec<_> = skills.iter().map(|name| name.trim_start_matches('/').to_owned()).collect();
        names.sort();
        names
    };
    names(loaded) == names(expected)
}
