//! Formats the reasons and failures of a skill choice as text.

use contracts::{ChainEntry, ChainSlot as _, SkillChoice, SkillFailure, SkillReason, SkillSlot, Verdict};

use super::evidence::{keyword_lines, keyword_summary, score_lines, tree_lines, wrapped};
use crate::explain::Explain;

impl Explain for SkillChoice {
    const NOUN: &'static str = "skill";

    fn summary(winner: &ChainEntry<Self>) -> String {
        match &winner.reason {
            SkillReason::SlashCommand { .. } => "slash command".to_owned(),
            SkillReason::Named { .. } => "named in the request".to_owned(),
            SkillReason::Refused { .. } => "the request rejects skills".to_owned(),
            SkillReason::PolicyRow { path, line, .. } => format!("{path}:{line}"),
            SkillReason::Keywords(evidence) => keyword_summary(evidence),
            SkillReason::Tree(evidence) => match evidence.row {
                Some(row) => format!("decision tree, row {row}"),
                None => "decision tree".to_owned(),
            },
            SkillReason::Scores(scores) => match scores.first() {
                Some(best) => format!("score {}", best.total),
                None => "score".to_owned(),
            },
            SkillReason::LlmReply { confidence, .. } => format!("model, confidence {confidence}"),
            SkillReason::BestEffort { layer, .. } => format!("best result of {}, degraded", layer.name()),
            SkillReason::DefaultSkill => "default skill".to_owned(),
            SkillReason::NoEvidence => "nothing indicates a skill".to_owned(),
            _ => "no layer could decide".to_owned(),
        }
    }

    fn reason(entry: &ChainEntry<Self>) -> String {
        let outcome = entry.candidate.as_ref().map(ToString::to_string).unwrap_or_default();
        match &entry.reason {
            SkillReason::Disabled => "switched off".to_owned(),
            SkillReason::NotNamed { suggestion: None } => "no skill named".to_owned(),
            SkillReason::NotNamed { suggestion: Some(name) } => format!("no such skill; did you mean /{name}?"),
            SkillReason::SlashCommand { overflow } => {
                with_overflow(joined(vec!["slash command".to_owned()], &outcome), overflow)
            }
            SkillReason::Named { overflow } => {
                with_overflow(joined(vec!["named in the request".to_owned()], &outcome), overflow)
            }
            SkillReason::NotRefused => "skills are not rejected".to_owned(),
            SkillReason::Refused { phrase } => format!("\"{phrase}\""),
            SkillReason::NoPolicyRow => "no row of an AGENTS.md applies".to_owned(),
            SkillReason::PolicyRow { path, line, task, overflow, disagreement } => {
                let note = if *disagreement { "\nother AGENTS.md files disagree" } else { "" };
                with_overflow(joined(vec![format!("{path}:{line}"), format!("\"{task}\"")], &outcome) + note, overflow)
            }
            SkillReason::Keywords(evidence) => joined(keyword_lines(evidence), &outcome),
            SkillReason::Tree(evidence) => joined(tree_lines(evidence), &outcome),
            SkillReason::Scores(scores) => joined(score_lines(scores), &outcome),
            SkillReason::LlmNotAsked => "the model was not asked".to_owned(),
            SkillReason::LlmUnavailable { cause } => format!("no reply of the model: {cause}"),
            SkillReason::LlmReply { confidence, reasoning } => {
                let mut lines = vec![format!("confidence {confidence}")];
                lines.extend(wrapped(&format!("\"{reasoning}\"")));
                joined(lines, &outcome)
            }
            SkillReason::NoFallback if entry.verdict == Verdict::NotApplicable => "no result to use".to_owned(),
            SkillReason::NoFallback => outcome,
            SkillReason::BestEffort { layer, unavailable } => {
                let names: Vec<_> = unavailable.iter().map(|layer| layer.name()).collect();
                let verb = if names.len() == 1 { "is" } else { "are" };
                let text = format!(
                    "{} {verb} unavailable, so the best result of {} is used",
                    names.join(" and "),
                    layer.name()
                );
                joined(wrapped(&text), &outcome)
            }
            SkillReason::DefaultSkill => joined(vec!["default skill".to_owned()], &outcome),
            SkillReason::NoEvidence => "nothing indicates a skill".to_owned(),
            SkillReason::Unresolved { interactive, asked_before, .. } => match (interactive, asked_before) {
                (true, false) => joined(vec!["no layer could decide".to_owned()], &outcome),
                (true, true) => "no layer could decide,\nand the user was already asked".to_owned(),
                (false, _) => "no layer could decide,\nand nobody can be asked".to_owned(),
            },
        }
    }

    fn failure_name(failure: &SkillFailure) -> &'static str {
        failure.name()
    }

    fn failure(failure: &SkillFailure) -> String {
        let name = failure.name();
        match failure {
            SkillFailure::TooClose { gap, required } => format!("{name}: gap {gap} of {required}"),
            SkillFailure::TooMany { matched, max } => format!("{name}: {matched}, at most {max}"),
            SkillFailure::BelowThreshold { score, threshold } => format!("{name}: {score} of {threshold}"),
            SkillFailure::Stale { days } => format!("{name}: {days} days old"),
            SkillFailure::Forbidden { path, line } | SkillFailure::RequiredForSafety { path, line } => {
                format!("{name}: {path}:{line}")
            }
            SkillFailure::LowConfidence { confidence, threshold } => format!("{name}: {confidence} of {threshold}"),
            _ => name.to_owned(),
        }
    }

    fn attempt_noun(slot: SkillSlot) -> &'static str {
        match slot {
            SkillSlot::Policy | SkillSlot::Tree => "row",
            _ => "skill",
        }
    }
}

/// Adds the skills that were named but not selected to a text.
fn with_overflow(mut text: String, overflow: &[String]) -> String {
    if !overflow.is_empty() {
        text.push_str("\nnot loaded: ");
        text.push_str(&overflow.join(", "));
    }
    text
}

/// Joins the lines of an observation and the outcome, if there is one.
fn joined(mut lines: Vec<String>, outcome: &str) -> String {
    if !outcome.is_empty() {
        lines.extend(wrapped(&format!("→ {outcome}")));
    }
    lines.join("\n")
}
