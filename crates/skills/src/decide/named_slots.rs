//! The slots `EXPLICIT` and `NO_SKILL`: skills that the user names, and the request to load none (003 hard rules 1, 3).

use contracts::{ChainEntry, SkillChoice, SkillFailure, SkillOutcome, SkillReason, SkillSlot};

use super::SkillSlots;
use crate::explicit::{SlashCommands, parse_slash_commands};

impl SkillSlots<'_> {
    /// Returns the entry of `EXPLICIT`, the first layer: loads the skills of slash commands (`/review`); without a command, the
    /// skills that the text names in words. Not applicable if there are neither.
    pub(super) fn explicit(&self) -> ChainEntry<SkillChoice> {
        let resolve = |name: &str| self.router.resolve(name);
        match parse_slash_commands(self.request.text, resolve, self.router.all_names()) {
            SlashCommands::Skills(skills) => self.named(skills, |overflow| SkillReason::SlashCommand { overflow }),
            _ if !self.mentions.named.is_empty() => {
                self.named(self.mentions.named.clone(), |overflow| SkillReason::Named { overflow })
            }
            SlashCommands::None => {
                ChainEntry::not_applicable(SkillSlot::Explicit, SkillReason::NotNamed { suggestion: None })
            }
            SlashCommands::Unknown(suggestion) => {
                ChainEntry::not_applicable(SkillSlot::Explicit, SkillReason::NotNamed { suggestion })
            }
        }
    }

    /// Creates the entry of skills that the user names: those up to the maximum are loaded, the others are the overflow.
    fn named(&self, mut skills: Vec<String>, reason: impl Fn(Vec<String>) -> SkillReason) -> ChainEntry<SkillChoice> {
        let overflow = skills.split_off(self.max_initial_skills().min(skills.len()));
        let outcome = SkillOutcome::Load { skills, coordinated: false };
        ChainEntry::proposed(SkillSlot::Explicit, outcome, reason(overflow), None)
    }

    /// Returns the maximum number of skills that are loaded at first, at least 1.
    pub(super) fn max_initial_skills(&self) -> usize {
        usize::from(self.router.settings().scoring.max_initial_skills).max(1)
    }

    /// Evaluates the slot of the request to load no skill. It has no effect if a row of an AGENTS.md that is flagged for
    /// safety applies.
    pub(super) fn no_skill(&self) -> ChainEntry<SkillChoice> {
        let Some(phrase) = self.mentions.refusal.clone() else {
            return ChainEntry::not_applicable(SkillSlot::NoSkill, SkillReason::NotRefused);
        };
        let safety = self.policy_rows().find(|row| row.safety);
        let failure = safety.map(|row| SkillFailure::RequiredForSafety { path: row.path.clone(), line: row.line });
        ChainEntry::proposed(SkillSlot::NoSkill, SkillOutcome::None, SkillReason::Refused { phrase }, failure)
    }
}
