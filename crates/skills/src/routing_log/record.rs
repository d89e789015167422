//! [`RoutingRecord`], the record of one skill decision.

use contracts::{
    ChainEntry, Decision, KeywordMatch, KeywordOutcome, Score, SessionId, SkillChoice, SkillOutcome, SkillReason,
    SkillSlot, SuppressedMatch, TurnId, Verdict,
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    decide::{confidence, layer_reached},
    settings::ConfidenceSettings,
};

/// The number of characters of a request that its record contains.
const SUMMARY_CHARS: usize = 100;

/// A skill decision with everything that the routing log, the coverage gaps and the detectors read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingRecord {
    /// The id of the event that recorded the decision.
    pub event: EventId,
    /// The time of the decision.
    pub at: Timestamp,
    /// The turn of the request; `None` for the decision of a hook whose turn did not start so far.
    pub turn: Option<TurnId>,
    /// The session of the request.
    pub session: SessionId,
    /// The first 100 characters of the request.
    pub summary: String,
    /// The length of the request in tokens; `None` if it was not counted.
    pub request_tokens: Option<u64>,
    /// The number of files of the request.
    pub files: u32,
    /// The hash of everything but the text that the decision read; `None` if it was not recorded.
    pub context: Option<[u8; 32]>,
    /// The layer that decided.
    pub slot: SkillSlot,
    /// The highest layer that was evaluated, 0 to 3.
    pub layer_reached: u8,
    /// The outcome of the keyword layer; `None` if it was not evaluated.
    pub keyword: Option<KeywordOutcome>,
    /// The result of the decision tree; `None` if it was not evaluated.
    pub tree: Option<TreeResult>,
    /// The keywords that count.
    pub matched: Vec<KeywordMatch>,
    /// The keywords that a negative keyword suppressed.
    pub suppressed: Vec<SuppressedMatch>,
    /// The outcome.
    pub outcome: SkillOutcome,
    /// The skills that matched as well and were not selected, the most likely one first.
    pub secondary: Vec<String>,
    /// The confidence in the decision; `None` if no skill was selected.
    pub confidence: Option<Score>,
    /// The skills that were considered and not selected.
    pub alternatives: Vec<AlternativeSkill>,
    /// The correction by the user; `None` if there was none.
    pub correction: Option<Correction>,
    /// The tokens that the decision itself used; 0 unless a model was asked.
    pub routing_tokens: u64,
    /// The skills that the request needed, as its label states them; empty if it needed none, `None` without a label.
    pub needed: Option<Vec<String>>,
}

/// The result of the decision tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeResult {
    /// A row matched and named a skill.
    Resolved,
    /// No row resolved the request.
    Unresolved,
}

/// A skill that was considered and not selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternativeSkill {
    /// The skill.
    pub skill: String,
    /// The reason in a few words.
    pub reason: String,
}

/// The correction of a decision by the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The id of the event of the correction.
    pub event: EventId,
    /// The skill that the user selected; `None` if the user wanted none.
    pub target: Option<String>,
}

/// The parts of a record that are not in the decision.
#[derive(Debug, Clone)]
pub struct RecordedRequest<'a> {
    /// The id of the event that recorded the decision.
    pub event: EventId,
    /// The time of the decision.
    pub at: Timestamp,
    /// The turn of the request; `None` for the decision of a hook whose turn did not start so far.
    pub turn: Option<TurnId>,
    /// The session of the request.
    pub session: SessionId,
    /// The text of the request.
    pub text: &'a str,
    /// The length of the request in tokens; `None` if it was not counted.
    pub tokens: Option<u64>,
    /// The number of files of the request.
    pub files: u32,
    /// The hash of everything but the text that the decision read; `None` if it was not recorded.
    pub context: Option<[u8; 32]>,
    /// The tokens that the decision itself used.
    pub routing_tokens: u64,
}

/// Returns the part of a request that its record contains: the first 100 characters.
pub fn request_summary(text: &str) -> String {
    text.chars().take(SUMMARY_CHARS).collect()
}

impl RoutingRecord {
    /// Creates the record of a decision.
    pub fn new(request: &RecordedRequest<'_>, decision: &Decision<SkillChoice>, levels: &ConfidenceSettings) -> Self {
        let winner = decision.winner();
        let evidence = decision.chain.iter().find_map(|entry| match &entry.reason {
            SkillReason::Keywords(evidence) => Some(evidence),
            _ => None,
        });
        let outcome = decision.chosen.clone().unwrap_or(SkillOutcome::None);
        let secondary = evidence.map(|evidence| evidence.secondary.clone()).unwrap_or_default();
        Self {
            event: request.event,
            at: request.at,
            turn: request.turn,
            session: request.session.clone(),
            summary: request_summary(request.text),
            request_tokens: request.tokens,
            files: request.files,
            context: request.context,
            slot: winner.map_or(SkillSlot::Clarify, |entry| entry.slot),
            layer_reached: layer_reached(decision),
            keyword: evidence.map(|evidence| evidence.outcome),
            tree: decision.entry(SkillSlot::Tree).and_then(tree_result),
            matched: evidence.map(|evidence| evidence.matched.clone()).unwrap_or_default(),
            suppressed: evidence.map(|evidence| evidence.suppressed.clone()).unwrap_or_default(),
            alternatives: alternatives(decision, &outcome),
            confidence: (!outcome.loaded().is_empty()).then(|| confidence(decision, levels)),
            outcome,
            secondary,
            correction: None,
            routing_tokens: request.routing_tokens,
            needed: None,
        }
    }

    /// Sets the confidence that the settings state for this kind of result. That of keywords, scores and models follows from
    /// the decision.
    pub(crate) fn set_confidence_level(&mut self, levels: &ConfidenceSettings) {
        let level = match self.slot {
            SkillSlot::Explicit | SkillSlot::NoSkill | SkillSlot::Policy | SkillSlot::Tree => levels.explicit,
            SkillSlot::Fallback => levels.best_effort,
            SkillSlot::Keyword | SkillSlot::Score | SkillSlot::Llm | SkillSlot::Clarify => return,
        };
        self.confidence = self.confidence.map(|_| level);
    }

    /// Returns whether the request needed a skill as far as the log shows: the decision selects or considers one, or the label
    /// names one. A request without evidence and without a label counts only if `keywords_in_use`, since where no keyword ever
    /// matches, it cannot be distinguished from ordinary conversation.
    pub(crate) fn needs_skill(&self, keywords_in_use: bool) -> bool {
        let has_evidence = self.outcome != SkillOutcome::None;
        has_evidence || self.needed.as_ref().map_or(keywords_in_use, |needed| !needed.is_empty())
    }

    /// Returns the skill that the user or the agent chose for the request: the corrected skill, else the skill that the user
    /// named, else the first skill that the agent loaded. `None` if there is none of these.
    pub(crate) fn needed_skill(&self) -> Option<&str> {
        let named = || self.outcome.loaded().first().filter(|_| self.slot == SkillSlot::Explicit);
        match &self.correction {
            Some(correction) => correction.target.as_deref(),
            None => named().or_else(|| self.needed.as_ref()?.first()).map(String::as_str),
        }
    }

    /// Returns the routing method. A chain that ends without a skill and without a question has the method `no_skill`.
    pub const fn method(&self) -> &'static str {
        match (self.slot, &self.outcome) {
            (SkillSlot::Clarify, SkillOutcome::None) => SkillSlot::NoSkill.method(),
            (slot, _) => slot.method(),
        }
    }
}

/// Returns whether a keyword matched in at least one of the records.
pub(crate) fn keywords_in_use(records: &[RoutingRecord]) -> bool {
    records.iter().any(|record| matches!(record.keyword, Some(KeywordOutcome::Clear | KeywordOutcome::Multi)))
}

/// Returns the result of the tree's entry; `None` if the tree was not evaluated.
fn tree_result(entry: &ChainEntry<SkillChoice>) -> Option<TreeResult> {
    match entry.reason {
        SkillReason::Tree(_) if entry.verdict == Verdict::Chose => Some(TreeResult::Resolved),
        SkillReason::Tree(_) => Some(TreeResult::Unresolved),
        _ => None,
    }
}

/// Returns the skills that were considered and not selected: candidates of the keywords by their priority, then the
/// scored skills.
fn alternatives(decision: &Decision<SkillChoice>, outcome: &SkillOutcome) -> Vec<AlternativeSkill> {
    let mut found: Vec<AlternativeSkill> = Vec::new();
    let mut add = |skill: &str, reason: String| {
        let is_known =
            outcome.skills().iter().any(|name| name == skill) || found.iter().any(|known| known.skill == skill);
        if !is_known {
            found.push(AlternativeSkill { skill: skill.to_owned(), reason });
        }
    };
    for entry in &decision.chain {
        match &entry.reason {
            SkillReason::Keywords(evidence) => {
                for candidate in &evidence.candidates {
                    add(
                        &candidate.skill,
                        match candidate.priority {
                            Some(priority) => format!("keywords, priority {priority}"),
                            None => "keywords without priority".to_owned(),
                        },
                    );
                }
            }
            SkillReason::Scores(scores) => {
                for score in scores {
                    add(&score.skill, format!("score {}", score.total));
                }
            }
            _ => {}
        }
    }
    found
}
