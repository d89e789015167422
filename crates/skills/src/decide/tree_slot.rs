//! The slot `TREE` (000 layer 2).

use std::collections::BTreeSet;

use contracts::{ChainEntry, SkillChoice, SkillFailure, SkillOutcome, SkillReason, SkillSlot, TreeEvidence};

use super::SkillSlots;
use crate::tree::{TreeInput, TreeOutcome};

impl SkillSlots<'_> {
    /// Evaluates the decision tree on the kind of task, the criticality, the prior skill, the edited files and the skills
    /// that keywords matched. A row that applies proposes its skills. If files and keywords name different skills, the entry is
    /// rejected with all of them as its candidate. Not applicable if no row applies.
    pub(super) fn tree(&self) -> ChainEntry<SkillChoice> {
        let task = self.router.task_types().classify(self.request.text);
        let input = TreeInput {
            task: task.as_ref().map(|task| task.task.as_str()),
            criticality: self.request.criticality.unwrap_or_default(),
            prior: self.request.prior_skill,
            paths: &self.paths,
            keyword_candidates: &self.open.skills,
        };
        let outcome = self.router.tree().evaluate(&input);
        let extensions: BTreeSet<_> = self.paths.iter().filter_map(|path| extension(path)).collect();
        let evidence = |row, agent| {
            SkillReason::Tree(TreeEvidence {
                task: task.as_ref().map(|task| (task.task.clone(), task.word.clone())),
                criticality: self.request.criticality,
                prior: self.request.prior_skill.map(str::to_owned),
                extensions: extensions.iter().cloned().collect(),
                row,
                agent,
            })
        };
        match outcome {
            TreeOutcome::Route { row, skills, agent } => {
                let failure = skills.iter().find_map(|skill| self.exclusion(skill));
                let outcome = SkillOutcome::Load { skills, coordinated: false };
                ChainEntry::proposed(SkillSlot::Tree, outcome, evidence(Some(row), agent), failure)
            }
            TreeOutcome::Conflict { by_files, by_keywords } => {
                let mut skills = by_keywords;
                skills.extend(by_files);
                let outcome = SkillOutcome::Ask { skills };
                let failure = SkillFailure::ConflictingSignals;
                ChainEntry::proposed(SkillSlot::Tree, outcome, evidence(None, None), Some(failure))
            }
            TreeOutcome::Unresolved { row } => ChainEntry::not_applicable(SkillSlot::Tree, evidence(row, None)),
        }
    }
}

/// Returns the extension of a path in lower case with its dot; `None` if it has none.
fn extension(path: &str) -> Option<String> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    (!extension.is_empty()).then(|| format!(".{}", extension.to_ascii_lowercase()))
}
