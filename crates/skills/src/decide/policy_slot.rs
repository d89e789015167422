//! The slot `POLICY`: rows of AGENTS.md that map the task to a skill (003 hard rules 2, 4).

use contracts::{ChainEntry, SkillChoice, SkillOutcome, SkillReason, SkillSlot};

use super::{SkillSlots, exclusions::with_excluded};
use crate::agents_md::PolicyRow;

impl SkillSlots<'_> {
    /// Returns the rows of AGENTS.md that match and whose skills can be loaded.
    pub(super) fn policy_rows(&self) -> impl Iterator<Item = &PolicyRow> {
        self.policy.rows.iter().filter(|row| self.exclusion(&row.skill).is_none())
    }

    /// Evaluates the slot of the rows of AGENTS.md. If the user rejects skills, only rows for safety apply.
    pub(super) fn policy(&self) -> ChainEntry<SkillChoice> {
        let is_refused = self.mentions.refusal.is_some();
        let rows: Vec<_> = self.policy_rows().filter(|row| row.safety || !is_refused).collect();
        let excluded = self.policy.rows.iter();
        let excluded = excluded.filter_map(|row| Some((row.skill.clone(), self.exclusion(&row.skill)?)));
        let entry = match rows.first() {
            None => ChainEntry::not_applicable(SkillSlot::Policy, SkillReason::NoPolicyRow),
            Some(first) => {
                let mut skills: Vec<_> = rows.iter().map(|row| row.skill.clone()).collect();
                let overflow = skills.split_off(self.max_initial_skills().min(skills.len()));
                let reason = SkillReason::PolicyRow {
                    path: first.path.clone(),
                    line: first.line,
                    task: first.task.clone(),
                    overflow,
                    disagreement: self.policy.disagreement,
                };
                let outcome = SkillOutcome::Load { skills, coordinated: false };
                ChainEntry::proposed(SkillSlot::Policy, outcome, reason, None)
            }
        };
        with_excluded(entry, excluded)
    }
}
