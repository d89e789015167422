//! [`WorkspaceSkills`], the skills of a workspace for a report about them.

use std::sync::Arc;

use contracts::ContentHash;
use skill_files::{SkillRoot, SkillSet, lint_skills};
use skills::{Finding, Skill, SkillIndex, TriggerTable};

/// The skills in the folders of a workspace and of the user, and the trigger table, as they were last read.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceSkills {
    /// The folders.
    pub(super) roots: Vec<SkillRoot>,
    /// The skills.
    pub(super) set: Arc<SkillSet>,
    /// The trigger table.
    pub(super) triggers: TriggerTable,
    /// The problems of tables and lists.
    pub(super) other_findings: Vec<Finding>,
}

impl WorkspaceSkills {
    /// Returns the skills by name.
    pub fn index(&self) -> &SkillIndex {
        &self.set.index
    }

    /// Returns the skills that another of the same name replaces.
    pub fn shadowed(&self) -> &[Skill] {
        &self.set.shadowed
    }

    /// Returns the trigger table; empty if the policy names none.
    pub const fn triggers(&self) -> &TriggerTable {
        &self.triggers
    }

    /// Returns the recorded paths of the folders in which skills are looked up.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().map(|root| root.shown.as_str())
    }

    /// Returns the hash of everything that a report about the skills reads: equal hashes mean equal reports.
    pub fn hash(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        // Metadata that cannot be encoded have more than 256 MiB, which no reader accepts.
        hasher.update(&self.set.index.address().unwrap_or_default());
        for skill in &self.set.shadowed {
            hasher.update(skill.path.as_bytes()).update(b"\n");
        }
        hasher.update(&serde_json::to_vec(&self.triggers).unwrap_or_default());
        for finding in self.set.findings.iter().chain(&self.other_findings) {
            hasher.update(finding.to_string().as_bytes()).update(b"\n");
        }
        ContentHash(*hasher.finalize().as_bytes())
    }

    /// Returns all findings about the skills, sorted by path and line, as `turnwise skills lint` reports them. Reads every file of
    /// a skill.
    pub fn lint(&self) -> Vec<Finding> {
        lint_skills(&self.roots, &self.set, &self.triggers, &self.other_findings)
    }
}
