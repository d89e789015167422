//! The banners of a skill choice.

use std::fmt;

use contracts::{ChainSlot as _, Decision, SkillChoice, SkillOutcome, SkillReason, SkillSlot};

use crate::banner::{Notify, RefusalHelp};

/// A banner about the decision which skills a request loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillNotice {
    /// The request starts with an unknown slash command; a skill has a similar name.
    UnknownCommand {
        /// The name of the skill.
        suggestion: String,
    },
    /// More skills are named than are loaded at first.
    NotLoaded {
        /// The skills that are not loaded.
        skills: Vec<String>,
    },
    /// The best result of a layer is used because a later layer is unavailable.
    Degraded {
        /// The layer with the result.
        layer: SkillSlot,
        /// The outcome.
        outcome: SkillOutcome,
    },
}

impl fmt::Display for SkillNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCommand { suggestion } => write!(f, "There is no such skill. Did you mean /{suggestion}?"),
            Self::NotLoaded { skills } => {
                write!(f, "Not loaded, because fewer skills are allowed: {}.", skills.join(", "))
            }
            Self::Degraded { layer, outcome } => {
                write!(f, "No layer could decide between the skills; the best result of {} is used: ", layer.name())?;
                write!(f, "{outcome}.")
            }
        }
    }
}

impl Notify for SkillChoice {
    type Notice = SkillNotice;
    type Context<'a> = ();

    fn is_explicit(slot: SkillSlot) -> bool {
        slot == SkillSlot::Explicit
    }

    fn notices(decision: &Decision<Self>, (): &()) -> Vec<SkillNotice> {
        let mut notices = Vec::new();
        for entry in &decision.chain {
            match (&entry.reason, &entry.candidate) {
                (SkillReason::NotNamed { suggestion: Some(suggestion) }, _) => {
                    notices.push(SkillNotice::UnknownCommand { suggestion: suggestion.clone() });
                }
                (
                    SkillReason::SlashCommand { overflow }
                    | SkillReason::Named { overflow }
                    | SkillReason::PolicyRow { overflow, .. },
                    Some(_),
                ) if !overflow.is_empty() => notices.push(SkillNotice::NotLoaded { skills: overflow.clone() }),
                (SkillReason::BestEffort { layer, .. }, Some(outcome)) => {
                    notices.push(SkillNotice::Degraded { layer: *layer, outcome: outcome.clone() });
                }
                _ => {}
            }
        }
        notices
    }

    fn refusal_help(_: &Decision<Self>, (): &()) -> RefusalHelp {
        // Every chain of this kind ends with an outcome, so nothing is ever refused.
        RefusalHelp::default()
    }
}
