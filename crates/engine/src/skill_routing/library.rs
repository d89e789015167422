//! [`SkillLibrary`], which reads the skills of workspaces outside of the bus thread.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use contracts::ContentHash;
use skills::SkillSettings;

use super::{
    prepared::{OfferedSkill, PreparedSkills, Unprepared},
    workspace_files::WorkspaceFiles,
    workspace_skills::WorkspaceSkills,
};

/// The time for which the files of a workspace are not checked again, so that parallel requests check them once.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of workspaces in memory. If there are more, all are removed and read again when they are needed.
const MAX_WORKSPACES: usize = 64;
/// The maximum number of lists of clients for which the skills of a workspace are prepared. Usually there is one for each
/// kind of client.
const MAX_LISTS: usize = 8;

/// The skills of workspaces, shared by all threads. Its methods read files, so the bus thread does not call them.
#[derive(Debug)]
pub struct SkillLibrary {
    /// The user's home folder; `None` if it is unknown.
    user: Option<PathBuf>,
    /// The settings of the active policy, with its hash.
    settings: Mutex<(ContentHash, Arc<SkillSettings>)>,
    /// The workspaces by their path; that of requests without a workspace is `None`.
    workspaces: Mutex<BTreeMap<Option<String>, Arc<Mutex<Workspace>>>>,
}

/// The skills of one workspace.
#[derive(Debug, Default)]
struct Workspace {
    /// The files.
    files: WorkspaceFiles,
    /// The time of the last check, and the policy at that time; `None` before the first.
    checked: Option<(Instant, ContentHash)>,
    /// The prepared skills by the hash of the client's list; `None` for a list with which no skill is known.
    prepared: BTreeMap<ContentHash, Option<Arc<PreparedSkills>>>,
}

impl SkillLibrary {
    /// Creates a library without workspaces. `user` is the user's home folder; `None` if it is unknown.
    pub fn new(user: Option<PathBuf>, policy: ContentHash, settings: SkillSettings) -> Self {
        Self { user, settings: Mutex::new((policy, Arc::new(settings))), workspaces: Mutex::new(BTreeMap::new()) }
    }

    /// Sets the settings of the active policy, whose hash is `policy`.
    pub(crate) fn set_settings(&self, policy: ContentHash, settings: SkillSettings) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = (policy, Arc::new(settings));
    }

    /// Returns the skills of a workspace and of a client's list, prepared for decisions. Reads the files that have
    /// changed, unless they were checked within the last second: some milliseconds, or up to a second for thousands of
    /// new files. `None` if no skill is known.
    pub fn prepare(&self, workspace: Option<&str>, offered: &[OfferedSkill]) -> Option<Arc<PreparedSkills>> {
        let (policy, settings) = self.settings();
        let shared = self.workspace(workspace);
        let mut known = shared.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut known, workspace, policy, &settings);
        let list = list_hash(offered);
        if let Some(prepared) = known.prepared.get(&list) {
            return prepared.clone();
        }
        let prepared = PreparedSkills::new(Unprepared {
            workspace,
            sources: known.files.sources(),
            offered,
            settings: SkillSettings::clone(&settings),
            policy,
            findings: known.files.findings(),
            using_last_index: known.files.using_last_content(),
        });
        let prepared = prepared.unwrap_or_else(|error| {
            tracing::warn!(workspace, %error, "the skills of a workspace cannot be used");
            None
        });
        let prepared = prepared.map(Arc::new);
        if MAX_LISTS <= known.prepared.len() {
            known.prepared.clear();
        }
        known.prepared.insert(list, prepared.clone());
        prepared
    }

    /// Returns the skills in the folders of a workspace for a report. Reads the files that have changed, as
    /// [`SkillLibrary::prepare`] does.
    pub fn report(&self, workspace: &str) -> WorkspaceSkills {
        let (policy, settings) = self.settings();
        let shared = self.workspace(Some(workspace));
        let mut known = shared.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut known, Some(workspace), policy, &settings);
        known.files.report()
    }

    /// Returns the settings of the active policy, and its hash.
    fn settings(&self) -> (ContentHash, Arc<SkillSettings>) {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the files of a workspace that have changed, unless they were checked within the last second under the same policy.
    fn refresh(&self, known: &mut Workspace, workspace: Option<&str>, policy: ContentHash, settings: &SkillSettings) {
        if known.checked.is_some_and(|(at, checked)| checked == policy && at.elapsed() < CHECK_INTERVAL) {
            return;
        }
        let is_new_policy = known.checked.is_none_or(|(_, checked)| checked != policy);
        let has_changed = match workspace.map(Path::new).filter(|path| path.is_absolute()) {
            Some(path) => known.files.read(path, self.user.as_deref(), settings, SystemTime::now()),
            None => false,
        };
        if has_changed || is_new_policy {
            known.prepared.clear();
        }
        known.checked = Some((Instant::now(), policy));
    }

    /// Returns the entry of a workspace; creates it if there is none.
    fn workspace(&self, path: Option<&str>) -> Arc<Mutex<Workspace>> {
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path.map(str::to_owned);
        if MAX_WORKSPACES <= workspaces.len() && !workspaces.contains_key(&path) {
            workspaces.clear();
        }
        Arc::clone(workspaces.entry(path).or_default())
    }
}

/// Returns the hash of a client's list of skills.
fn list_hash(offered: &[OfferedSkill]) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    for text in offered.iter().flat_map(|skill| [&skill.name, &skill.description]) {
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    ContentHash(*hasher.finalize().as_bytes())
}
