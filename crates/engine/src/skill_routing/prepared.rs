//! [`PreparedSkills`], the skills of a workspace with everything that a decision and its record need.

use std::{collections::BTreeSet, sync::Arc};

use contracts::ContentHash;
use event_bus::MAX_TEXT_BYTES;
use skills::{Finding, Skill, SkillIndex, SkillRouter, SkillRouterError, SkillScope, SkillSettings, SkillSources};

/// The longest name of a skill that is used, in bytes. The names of clients have at most 64 characters.
const MAX_NAME_BYTES: usize = 128;

/// A skill that a client lists in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedSkill {
    /// The name by which the client loads it.
    pub name: String,
    /// The description, possibly shortened by the client.
    pub description: String,
}

/// The skills of a workspace, prepared for decisions under one policy: the sources, their text for the log, and the search
/// for all phrases.
#[derive(Debug)]
pub struct PreparedSkills {
    /// The absolute path of the workspace; `None` if it is unknown.
    pub(super) workspace: Option<String>,
    /// The skills with the settings of the policy.
    pub(super) router: SkillRouter,
    /// The sources as JSON, which the log stores.
    pub(super) text: String,
    /// The hash of `text`.
    pub(super) hash: ContentHash,
    /// The hash of the policy whose settings apply.
    pub(super) policy: ContentHash,
    /// The number of skills that only the client lists.
    pub(super) offered_only: u32,
    /// The problems of the files.
    pub(super) findings: Vec<Finding>,
    /// Whether earlier content is used in place of a file that cannot be read.
    pub(super) using_last_index: bool,
}

/// Two are equal if decisions with them are: the skills and the policy are equal.
impl PartialEq for PreparedSkills {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.policy) == (other.hash, other.policy)
    }
}

impl Eq for PreparedSkills {}

/// The error of preparing skills.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrepareError {
    /// The skills cannot be searched.
    #[error(transparent)]
    Router(#[from] SkillRouterError),
    /// The skills cannot be written as JSON.
    #[error("the skills cannot be recorded: {0}")]
    Json(#[from] serde_json::Error),
    /// The skills are together longer than the log can store.
    #[error("the descriptions of all skills have {0} bytes, the most is {MAX_TEXT_BYTES}; remove skills")]
    TooLong(usize),
}

/// What [`PreparedSkills::new`] prepares: the skills of files and of a client, with the settings.
pub(super) struct Unprepared<'a> {
    /// The absolute path of the workspace; `None` if it is unknown.
    pub(super) workspace: Option<&'a str>,
    /// The skills of the files.
    pub(super) sources: SkillSources,
    /// The skills that the client lists.
    pub(super) offered: &'a [OfferedSkill],
    /// The settings of the policy.
    pub(super) settings: SkillSettings,
    /// The hash of the policy.
    pub(super) policy: ContentHash,
    /// The problems of the files.
    pub(super) findings: Vec<Finding>,
    /// Whether earlier content is used in place of a file that cannot be read.
    pub(super) using_last_index: bool,
}

impl PreparedSkills {
    /// Prepares skills for decisions. A skill that the client lists and that a file describes is that of the file. `None` if
    /// no skill is known.
    pub(super) fn new(unprepared: Unprepared<'_>) -> Result<Option<Self>, PrepareError> {
        let Unprepared { workspace, mut sources, offered, settings, policy, findings, using_last_index } = unprepared;
        sources.triggers.rows.retain(|row| row.skill.len() <= MAX_NAME_BYTES);
        let known: BTreeSet<&str> = sources.index.skills().iter().map(|skill| skill.name.as_str()).collect();
        let listed: Vec<Skill> =
            offered.iter().filter(|skill| !known.contains(skill.name.as_str())).map(offered_skill).collect();
        let offered_only = u32::try_from(listed.len()).unwrap_or(u32::MAX);
        let skills = sources.index.skills().iter().cloned().chain(listed);
        sources.index = SkillIndex::new(skills.filter(|skill| skill.name.len() <= MAX_NAME_BYTES).collect());
        if sources == SkillSources::default() && findings.is_empty() {
            return Ok(None);
        }
        let text = serde_json::to_string(&sources)?;
        if MAX_TEXT_BYTES < text.len() {
            return Err(PrepareError::TooLong(text.len()));
        }
        let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
        let router = SkillRouter::new(sources, settings)?;
        let workspace = workspace.map(str::to_owned);
        Ok(Some(Self { workspace, router, text, hash, policy, offered_only, findings, using_last_index }))
    }

    /// Prepares the same skills under other settings.
    pub(super) fn with_settings(
        &self,
        settings: SkillSettings,
        policy: ContentHash,
    ) -> Result<Arc<Self>, SkillRouterError> {
        let router = SkillRouter::new(self.router.sources().clone(), settings)?;
        Ok(Arc::new(Self {
            workspace: self.workspace.clone(),
            router,
            text: self.text.clone(),
            hash: self.hash,
            policy,
            offered_only: self.offered_only,
            findings: self.findings.clone(),
            using_last_index: self.using_last_index,
        }))
    }

    /// Returns the hash of the skills, as in the event `skill.indexed`.
    pub const fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Returns the skills with the settings of the policy.
    pub const fn router(&self) -> &SkillRouter {
        &self.router
    }
}

/// Converts a skill that a client lists.
fn offered_skill(offered: &OfferedSkill) -> Skill {
    Skill {
        name: offered.name.clone(),
        description: offered.description.clone(),
        scope: SkillScope::Client,
        ..Skill::default()
    }
}
