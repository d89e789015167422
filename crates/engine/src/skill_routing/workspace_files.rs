//! Reads the files of a workspace that skill decisions use: skills, trigger table, AGENTS.md.

use std::{path::Path, sync::Arc, time::SystemTime};

use skill_files::{SkillReader, SkillRoot, SkillSet, applicable_roots, read_agents_files, read_text_file};
use skills::{
    AgentsFiles, Finding, RoutingCase, Severity, SkillSettings, SkillSources, TriggerTable, parse_cases,
    parse_trigger_table,
};

use super::workspace_skills::WorkspaceSkills;

/// The files of one workspace, as they were last read.
#[derive(Debug, Default)]
pub(super) struct WorkspaceFiles {
    /// Reads the `SKILL.md` files, and remembers unchanged ones.
    reader: SkillReader,
    /// The folders of the last reading.
    roots: Vec<SkillRoot>,
    /// The skills of the last reading.
    set: Arc<SkillSet>,
    /// The last valid trigger table.
    triggers: TriggerTable,
    /// The AGENTS.md in the root of the workspace.
    agents: AgentsFiles,
    /// The last valid labelled requests, from which decisions learn.
    cases: Vec<RoutingCase>,
    /// The problems of all files, sorted by path and line.
    findings: Vec<Finding>,
    /// Those of them that are not about skills: of the trigger table, the labelled requests, AGENTS.md and plugins.
    other_findings: Vec<Finding>,
    /// Whether the last valid trigger table or the last valid labelled requests are used because the present ones cannot be
    /// read.
    using_last_content: bool,
}

impl WorkspaceFiles {
    /// Reads the files that have changed. `user` is the user's home folder, `now` the present time. Returns whether the
    /// skills, the tables or the problems differ from those of the last reading.
    pub(super) fn read(
        &mut self,
        workspace: &Path,
        user: Option<&Path>,
        settings: &SkillSettings,
        now: SystemTime,
    ) -> bool {
        let (roots, mut others) = applicable_roots(workspace, user, settings.dirs.as_deref());
        let set = self.reader.read(&roots, now);
        self.roots = roots;
        let (triggers, using_last_table) = match &settings.triggers {
            None => (TriggerTable::default(), false),
            Some(path) => match read_table(workspace, path) {
                Ok((table, table_findings)) => {
                    others.extend(table_findings);
                    (table, false)
                }
                Err(finding) => {
                    others.push(finding);
                    (self.triggers.clone(), !self.triggers.rows.is_empty())
                }
            },
        };
        let (cases, using_last_cases) = match settings.cases.as_ref().map(|path| read_cases(workspace, path)) {
            None => (Vec::new(), false),
            Some(Ok(cases)) => (cases, false),
            Some(Err(finding)) => {
                others.push(finding);
                (self.cases.clone(), !self.cases.is_empty())
            }
        };
        let using_last_content = using_last_table || using_last_cases;
        let agents = if settings.layers.policy {
            let (agents, agents_findings) = read_agents_files(workspace, &[]);
            others.extend(agents_findings);
            agents
        } else {
            AgentsFiles::default()
        };
        let mut findings = set.findings.clone();
        findings.extend(others.iter().cloned());
        findings.sort();
        self.other_findings = others;
        let is_equal = Arc::ptr_eq(&set, &self.set)
            && triggers == self.triggers
            && agents == self.agents
            && cases == self.cases
            && findings == self.findings
            && using_last_content == self.using_last_content;
        (self.set, self.triggers, self.agents) = (set, triggers, agents);
        (self.cases, self.findings, self.using_last_content) = (cases, findings, using_last_content);
        !is_equal
    }

    /// Returns the sources of decisions.
    pub(super) fn sources(&self) -> SkillSources {
        SkillSources {
            index: self.set.index.clone(),
            triggers: self.triggers.clone(),
            agents: self.agents.clone(),
            cases: self.cases.clone(),
        }
    }

    /// Returns the skills and tables of the last reading for a report.
    pub(super) fn report(&self) -> WorkspaceSkills {
        WorkspaceSkills {
            roots: self.roots.clone(),
            set: Arc::clone(&self.set),
            triggers: self.triggers.clone(),
            other_findings: self.other_findings.clone(),
        }
    }

    /// Returns the errors and warnings of all files; recommendations for authors are left out.
    pub(super) fn findings(&self) -> Vec<Finding> {
        self.findings.iter().filter(|finding| finding.severity() != Severity::Info).cloned().collect()
    }

    /// Returns whether the last valid trigger table or the last valid labelled requests are used because the present ones
    /// cannot be read.
    pub(super) const fn using_last_content(&self) -> bool {
        self.using_last_content
    }
}

/// Reads the labelled requests at a path, which is relative to the workspace or absolute.
fn read_cases(workspace: &Path, path: &str) -> Result<Vec<RoutingCase>, Finding> {
    parse_cases(&read_text_file(&workspace.join(path), path)?, path, None)
}

/// Reads the trigger table at a path, which is relative to the workspace or absolute.
fn read_table(workspace: &Path, path: &str) -> Result<(TriggerTable, Vec<Finding>), Finding> {
    let text = read_text_file(&workspace.join(path), path)?;
    Ok(parse_trigger_table(path, &text))
}
