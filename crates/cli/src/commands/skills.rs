//! `skills`: lists, checks, shows and explains the skills of the workspace and the user, and reports on the recorded decisions.

mod audit;
mod calibrate;
mod corrected;
mod explain;
mod gaps;
pub(super) mod lint;
mod list;
mod log;
mod recorded;
mod scaling;
mod show;
mod telemetry;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use engine::PolicyFile;
use serde::Serialize;
use skill_files::{SkillReader, SkillRoot, SkillSet, applicable_roots, lint_skills, read_agents_files, read_text_file};
use skills::{
    Exclusion, Finding, RoutingCase, Severity, SkillIndex, SkillRouter, SkillScope, SkillSettings, SkillSources,
    TriggerTable, parse_cases, parse_trigger_table,
};

use self::recorded::RecordedDecisions;
use super::rules::open_policy;
use crate::{
    arguments::{SkillPlaces, SkillsCommand},
    context::Context,
    failure::Failure,
    screen::count_noun,
};

/// Executes a subcommand of `skills`.
pub(super) fn run(context: &Context, command: &SkillsCommand) -> Result<(), Failure> {
    match command {
        SkillsCommand::List { places } => list::run(context, &Loaded::read(context, places)?),
        SkillsCommand::Lint { places, all, strict } => {
            lint::run(context, &Loaded::read(context, places)?, *all, *strict)
        }
        SkillsCommand::Show { name, places } => show::run(context, &Loaded::read(context, places)?, name),
        SkillsCommand::Explain(arguments) => explain::run(context, arguments),
        SkillsCommand::Log { format, number, workspace } => {
            log::run(context, &RecordedDecisions::read(context, workspace.as_deref())?, *format, *number)
        }
        SkillsCommand::Telemetry { workspace } => {
            telemetry::run(context, &RecordedDecisions::read(context, workspace.as_deref())?)
        }
        SkillsCommand::Calibrate { workspace } => {
            calibrate::run(context, &RecordedDecisions::read(context, workspace.as_deref())?)
        }
        SkillsCommand::Gaps { workspace } => {
            gaps::run(context, &RecordedDecisions::read(context, workspace.as_deref())?)
        }
        SkillsCommand::Audit { places } => {
            let loaded = Loaded::read(context, places)?;
            audit::run(context, &loaded, &RecordedDecisions::read(context, Some(&loaded.workspace))?)
        }
        SkillsCommand::Scaling { places } => {
            let loaded = Loaded::read(context, places)?;
            scaling::run(context, &loaded, &RecordedDecisions::read(context, Some(&loaded.workspace))?)
        }
        SkillsCommand::Corrected { turn, skill } => corrected::run(context, turn, skill),
    }
}

/// The skills and the trigger table that a command reads.
pub(super) struct Loaded {
    /// The folders.
    roots: Vec<SkillRoot>,
    /// The workspace.
    workspace: PathBuf,
    /// The settings of the policy.
    settings: SkillSettings,
    /// The skills in them.
    set: Arc<SkillSet>,
    /// The trigger table; empty without one.
    pub(super) table: TriggerTable,
    /// The labelled requests of the policy, from which decisions learn; empty if there are none.
    pub(super) cases: Vec<RoutingCase>,
    /// The skills that are not loaded because of their age.
    pub(super) stale: BTreeMap<String, Exclusion>,
    /// The file of the trigger table; `None` without one.
    table_path: Option<PathBuf>,
    /// The problems of the table and of the files that list plugins.
    other_findings: Vec<Finding>,
}

impl Loaded {
    /// Reads the skills and the trigger table: from the folders and the file that the arguments name, or else from those
    /// in the policy.
    pub(super) fn read(context: &Context, places: &SkillPlaces) -> Result<Self, Failure> {
        Self::read_with(context, places, &open_policy(context)?, &mut SkillReader::new())
    }

    /// Does the same as [`Loaded::read`] under a policy, with the files that `reader` remembers.
    pub(super) fn read_with(
        context: &Context,
        places: &SkillPlaces,
        policy: &PolicyFile,
        reader: &mut SkillReader,
    ) -> Result<Self, Failure> {
        let settings = settings_under(policy)?;
        let workspace = absolute(places.workspace.as_deref().unwrap_or(Path::new(".")))?;
        let user = context.home.user.as_deref();
        let (roots, mut other_findings): (Vec<SkillRoot>, Vec<Finding>) = if places.dirs.is_empty() {
            applicable_roots(&workspace, user, settings.dirs.as_deref())
        } else {
            let root = |dir: &PathBuf| {
                let root = SkillRoot::new(absolute(dir)?, &workspace, user);
                Ok(SkillRoot { scope: SkillScope::Project, ..root })
            };
            (places.dirs.iter().map(root).collect::<Result<_, Failure>>()?, Vec::new())
        };
        let now = SystemTime::now();
        let set = reader.read(&roots, now);
        let stale = settings.stale_after_days.map_or_else(BTreeMap::new, |days| set.stale_skills(days, now));
        let mut table = TriggerTable::default();
        let configured = settings.triggers.as_ref().map(|path| workspace.join(path));
        let table_path = places.table.clone().or(configured);
        if let Some(path) = &table_path {
            let shown = path.display().to_string();
            let text = read_text_file(path, &shown).map_err(|finding| Failure::Invalid(finding.to_string()))?;
            let (parsed, findings) = parse_trigger_table(&shown, &text);
            table = parsed;
            other_findings.extend(findings);
        }
        let cases =
            settings.cases.as_ref().map_or(Ok(Vec::new()), |path| read_training_cases(&workspace.join(path)))?;
        Ok(Self { roots, workspace, settings, set, table, cases, stale, table_path, other_findings })
    }

    /// Returns the skills.
    pub(super) fn index(&self) -> &SkillIndex {
        &self.set.index
    }

    /// Prepares the skills for decisions about requests that concern `files`, with the AGENTS.md files that apply to
    /// them. Prints a note about each of these that cannot be read.
    pub(super) fn router(&self, context: &Context, files: &[String]) -> Result<SkillRouter, Failure> {
        let (router, findings) = self.router_with_findings(files)?;
        for finding in findings {
            context.print_note(&finding.to_string());
        }
        Ok(router)
    }

    /// Does the same as [`Loaded::router`] and returns the problems of the AGENTS.md files.
    pub(super) fn router_with_findings(&self, files: &[String]) -> Result<(SkillRouter, Vec<Finding>), Failure> {
        let (agents, findings) = read_agents_files(&self.workspace, files);
        let (index, triggers, cases) = (self.set.index.clone(), self.table.clone(), self.cases.clone());
        let sources = SkillSources { index, triggers, agents, cases };
        let router = SkillRouter::new(sources, self.settings.clone());
        Ok((router.map_err(|error| Failure::Invalid(error.to_string()))?, findings))
    }

    /// Returns all findings of reading, sorted by path and line.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = self.set.findings.clone();
        findings.extend(self.other_findings.iter().cloned());
        findings.sort();
        findings
    }

    /// Returns all findings, also those of the rules for authors.
    fn lint(&self) -> Vec<Finding> {
        lint_skills(&self.roots, &self.set, &self.table, &self.other_findings)
    }

    /// Returns the message for folders without skills.
    fn nothing_found(&self) -> String {
        let folders: Vec<_> = self.roots.iter().map(|root| root.shown.as_str()).collect();
        format!("No skills in {}.", folders.join(", "))
    }
}

/// Reads the labelled requests that decisions learn from.
fn read_training_cases(path: &Path) -> Result<Vec<RoutingCase>, Failure> {
    let shown = path.display().to_string();
    let text = read_text_file(path, &shown).map_err(|finding| Failure::Invalid(finding.to_string()))?;
    parse_cases(&text, &shown, None).map_err(|finding| Failure::Invalid(finding.to_string()))
}

/// Returns the settings of skill routing in the active policy.
///
/// # Errors
/// [`Failure::Invalid`] if they are not valid.
fn settings_of(context: &Context) -> Result<SkillSettings, Failure> {
    settings_under(&open_policy(context)?)
}

/// Returns the settings of skills in a policy file.
///
/// # Errors
/// [`Failure::Invalid`] if the block `skills` of the policy is invalid.
fn settings_under(policy: &PolicyFile) -> Result<SkillSettings, Failure> {
    SkillSettings::of_policy(&policy.active().policy)
        .map_err(|problem| Failure::Invalid(format!("{}: {problem}", policy.active().path)))
}

/// Resolves an existing folder to an absolute path.
fn absolute(dir: &Path) -> Result<PathBuf, Failure> {
    let path = dir
        .canonicalize()
        .map_err(|error| Failure::Invalid(format!("the folder `{}` cannot be read: {error}", dir.display())))?;
    if path.is_dir() { Ok(path) } else { Err(Failure::Invalid(format!("`{}` is no folder", dir.display()))) }
}

/// The numbers of findings by severity.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub(super) struct Counts {
    /// Errors.
    errors: u64,
    /// Warnings.
    warnings: u64,
    /// Recommendations.
    recommendations: u64,
}

impl Counts {
    /// Counts findings.
    pub(super) fn of(findings: &[Finding]) -> Self {
        let count = |severity| findings.iter().filter(|finding| finding.severity() == severity).count() as u64;
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            recommendations: count(Severity::Info),
        }
    }

    /// Returns whether there is an error.
    pub(super) fn has_errors(self) -> bool {
        0 < self.errors
    }

    /// Formats the numbers of errors and warnings: `1 error, 2 warnings`.
    pub(super) fn text(self) -> String {
        format!("{}, {}", count_noun(self.errors, "error"), count_noun(self.warnings, "warning"))
    }
}

/// A finding with its severity, as it is printed as JSON.
#[derive(Debug, Serialize)]
pub(super) struct FindingView<'a> {
    /// The consequence of the problem.
    severity: Severity,
    /// The finding.
    #[serde(flatten)]
    finding: &'a Finding,
}

impl<'a> FindingView<'a> {
    /// Creates the views of findings.
    pub(super) fn of(findings: &'a [Finding]) -> Vec<Self> {
        findings.iter().map(|finding| Self { severity: finding.severity(), finding }).collect()
    }
}

/// Returns the word for the place where a skill is installed.
fn scope_name(scope: SkillScope) -> &'static str {
    match scope {
        SkillScope::Project => "project",
        SkillScope::User => "user",
        SkillScope::Client => "client",
    }
}
