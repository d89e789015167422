//! The policy file: reloaded before every turn if it changed, while the last valid policy stays active otherwise (004
//! §4.8).

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use adapters::read_own_file;
use contracts::{ContentHash, Registry};
use router_core::{Policy, Problem};
use skill_files::Stamp;
use skills::SkillSettings;

use crate::file_stamp::FileAge;

/// The policy of a user without a policy file.
pub const BUILT_IN_POLICY: &str = "schema_version: 1\nglobal_default: sonnet\n";
/// The path of [`BUILT_IN_POLICY`] in events and outputs.
pub const BUILT_IN_PATH: &str = "built-in";

/// The policy that decisions use, with its text and the path of its file.
#[derive(Debug, Clone)]
pub struct ActivePolicy {
    /// The loaded policy.
    pub policy: Arc<Policy>,
    /// The text of the file.
    pub text: Arc<str>,
    /// The hash of the text.
    pub hash: ContentHash,
    /// The path of the file, or [`BUILT_IN_PATH`].
    pub path: String,
}

/// The result of reloading the policy file: unchanged, a new active policy, or the problems of an invalid file.
#[derive(Debug)]
pub enum Refresh {
    /// The file has not changed, whether it is valid or not.
    Unchanged,
    /// A new policy is active.
    Loaded,
    /// The file is invalid, and the last valid policy stays active.
    Invalid(Vec<Problem>),
}

/// The problems of an invalid policy file, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFileProblems {
    /// The path of the file.
    pub path: String,
    /// All problems in it.
    pub problems: Vec<Problem>,
}

/// The error of an invalid policy file if there is no earlier valid policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy `{path}` cannot be used:{}", problem_list(.problems))]
pub struct PolicyError {
    /// The file.
    pub path: String,
    /// All problems in it.
    pub problems: Vec<Problem>,
}

/// Formats problems as a list, one on each line.
fn problem_list(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |text, problem| text + "\n  " + &problem.to_string())
}

/// A policy file that is reloaded when it changes, with the active policy.
#[derive(Debug)]
pub struct PolicyFile {
    /// The path of the policy file.
    path: PathBuf,
    /// The folder that `~` is expanded to; `None` if it is unknown.
    home: Option<String>,
    /// The models that policies may name.
    registry: Arc<Registry>,
    /// The last valid policy.
    active: ActivePolicy,
    /// The last content of the file, valid or not; `None` if it could not be read.
    last_text: Option<String>,
    /// Identifies that content without reading it; `None` if the file was too new for that, or could not be read.
    last_stamp: Option<Stamp>,
    /// Whether the last read failed, so that the failure is reported once.
    read_failed: bool,
    /// The problems found when the file was opened, until the first reload reports them.
    startup_problems: Option<Vec<Problem>>,
    /// The problems of the current content, reported or not.
    current_problems: Vec<Problem>,
    /// The number of rules before and after the last change of the policy; `None` if at least half remained.
    lost_rules: Option<LostRules>,
}

/// The numbers of rules before and after a change of the policy that removed more than half of them, as when the file
/// is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostRules {
    /// The number of rules before.
    pub before: usize,
    /// The number of rules now.
    pub now: usize,
}

impl LostRules {
    /// Compares the numbers of rules of two policies; `None` if at least half of the rules are left.
    pub fn between(before: &Policy, now: &Policy) -> Option<Self> {
        let (before, now) = (before.rules().count(), now.rules().count());
        (now * 2 < before).then_some(Self { before, now })
    }
}

impl std::fmt::Display for LostRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the policy has {} of the {} rules that it had before: check that the file is complete",
            self.now, self.before
        )
    }
}

impl PolicyFile {
    /// Opens a policy file. If it does not exist, the built-in policy is active.
    ///
    /// # Errors
    /// [`PolicyError`] if the file exists and is invalid.
    pub fn open(path: PathBuf, home: Option<&str>, registry: Arc<Registry>) -> Result<Self, PolicyError> {
        let displayed_path = path.display().to_string();
        let (text, name) = match read_text(&path) {
            Ok(text) => (text, displayed_path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (BUILT_IN_POLICY.to_owned(), BUILT_IN_PATH.to_owned())
            }
            Err(error) => return Err(PolicyError { path: displayed_path, problems: vec![read_problem(&error)] }),
        };
        let active = load_policy(&text, name.clone(), home, &registry)
            .map_err(|problems| PolicyError { path: name.clone(), problems })?;
        let seen = (name != BUILT_IN_PATH).then_some(text);
        Ok(Self {
            path,
            home: home.map(str::to_owned),
            registry,
            active,
            last_text: seen,
            last_stamp: None,
            read_failed: false,
            startup_problems: None,
            current_problems: Vec::new(),
            lost_rules: None,
        })
    }

    /// Opens a policy file as [`PolicyFile::open`] does, and compares it with the policy with the text `last_valid`, which
    /// was active last. If the file is invalid, that policy is active, and the first [`PolicyFile::refresh`] reports the
    /// problems.
    ///
    /// # Errors
    /// [`PolicyError`] if the file is invalid and there is no earlier policy, or it does not fit the present models.
    pub fn open_or_last_valid(
        path: PathBuf,
        home: Option<&str>,
        registry: Arc<Registry>,
        last_valid: impl FnOnce() -> Option<String>,
    ) -> Result<Self, PolicyError> {
        let load_last = |text: String, path: &str| load_policy(&text, path.to_owned(), home, &registry).ok();
        let error = match Self::open(path.clone(), home, Arc::clone(&registry)) {
            Ok(mut file) => {
                let other = last_valid().filter(|text| **text != *file.active.text);
                let last = other.and_then(|text| load_last(text, &file.active.path));
                file.note_lost_rules(last.and_then(|last| LostRules::between(&last.policy, &file.active.policy)));
                return Ok(file);
            }
            Err(error) => error,
        };
        let last_valid_policy = last_valid().and_then(|text| load_last(text, &error.path));
        let Some(active) = last_valid_policy else { return Err(error) };
        let last_text = read_text(&path).ok();
        Ok(Self {
            read_failed: last_text.is_none(),
            path,
            home: home.map(str::to_owned),
            registry,
            active,
            last_text,
            last_stamp: None,
            startup_problems: Some(error.problems.clone()),
            current_problems: error.problems,
            lost_rules: None,
        })
    }

    /// Returns the problems found when the file was opened, unless they were reported. `None` if the file was valid, or
    /// after they were reported.
    pub fn startup_problems(&self) -> Option<&[Problem]> {
        self.startup_problems.as_deref()
    }

    /// Returns the problems of the present content of the file; empty if it is active.
    pub fn problems(&self) -> &[Problem] {
        &self.current_problems
    }

    /// Returns the number of rules before and after the last change of the policy; `None` if at least half remained.
    pub const fn lost_rules(&self) -> Option<LostRules> {
        self.lost_rules
    }

    /// Returns the active policy.
    pub const fn active(&self) -> &ActivePolicy {
        &self.active
    }

    /// Returns the home folder that `~` in the policy's paths is expanded to. `None` if it is unknown.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// Returns the path of the policy file.
    pub const fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Reloads the policy file if its text has changed. An invalid file is reported once.
    ///
    /// Cheap enough for every turn: the text is read only if the identity, length or times of the file have changed.
    pub fn refresh(&mut self) -> Refresh {
        self.refresh_if(|age| age != FileAge::Recent)
    }

    /// Returns whether the present text of the file was already loaded or refused.
    pub fn is_seen(&self) -> bool {
        read_text(&self.path).ok() == self.last_text
    }

    /// Reloads the file at once, after this program has written it.
    pub fn refresh_saved(&mut self) -> Refresh {
        self.refresh_if(|_| true)
    }

    /// Reloads the file if its text has changed and `accepts` returns `true` for its age.
    fn refresh_if(&mut self, accepts: impl FnOnce(FileAge) -> bool) -> Refresh {
        let refresh = self.reload(accepts);
        match &refresh {
            Refresh::Invalid(problems) => self.current_problems.clone_from(problems),
            Refresh::Loaded => self.current_problems.clear(),
            // The text of the active policy may be back.
            Refresh::Unchanged if self.last_text.as_deref() == Some(&*self.active.text) => {
                self.current_problems.clear();
            }
            Refresh::Unchanged => {}
        }
        refresh
    }

    /// Replaces the models that policies may name, and loads the active policy with them.
    ///
    /// # Errors
    /// [`PolicyError`] if the active policy is invalid with these models; nothing changes then.
    pub(crate) fn set_registry(&mut self, registry: Arc<Registry>) -> Result<(), PolicyError> {
        let path = self.active.path.clone();
        let loaded = load_policy(&self.active.text, path.clone(), self.home.as_deref(), &registry);
        self.active = loaded.map_err(|problems| PolicyError { path, problems })?;
        self.registry = registry;
        Ok(())
    }

    /// Stores the loss of rules by a change of the policy, and logs a warning if there is one.
    fn note_lost_rules(&mut self, lost: Option<LostRules>) {
        if let Some(lost) = lost {
            tracing::warn!(file = %self.path.display(), "{lost}");
        }
        self.lost_rules = lost;
    }

    /// Reads the policy file and activates its policy if it is new and valid.
    fn reload(&mut self, accepts: impl FnOnce(FileAge) -> bool) -> Refresh {
        if let Some(problems) = self.startup_problems.take() {
            return Refresh::Invalid(problems);
        }
        let age = FileAge::of(&self.path);
        let stamp = age.stamp();
        if stamp.is_some() && stamp == self.last_stamp {
            return Refresh::Unchanged;
        }
        if !accepts(age) {
            return Refresh::Unchanged;
        }
        // The stamp is that of before the read, so a change during the read is noticed.
        self.last_stamp = stamp;
        let text = match read_text(&self.path) {
            Ok(text) => text,
            Err(error) if is_transient(&error) => {
                tracing::warn!(%error, "the policy file cannot be read now; the last valid policy stays active");
                self.last_stamp = None;
                return Refresh::Unchanged;
            }
            Err(_) if self.read_failed => return Refresh::Unchanged,
            // A file that never existed: the built-in policy stays active.
            Err(error) if self.last_text.is_none() && error.kind() == io::ErrorKind::NotFound => {
                return Refresh::Unchanged;
            }
            Err(error) => {
                self.last_text = None;
                self.read_failed = true;
                return Refresh::Invalid(vec![read_problem(&error)]);
            }
        };
        self.read_failed = false;
        if self.last_text.as_ref() == Some(&text) {
            return Refresh::Unchanged;
        }
        let name = self.path.display().to_string();
        let loaded = load_policy(&text, name, self.home.as_deref(), &self.registry);
        self.last_text = Some(text);
        match loaded {
            // The text of the active policy is back after an invalid one or a missing file, so nothing changes.
            Ok(active) if active.hash == self.active.hash => Refresh::Unchanged,
            Ok(active) => {
                self.note_lost_rules(LostRules::between(&self.active.policy, &active.policy));
                self.active = active;
                Refresh::Loaded
            }
            Err(problems) => Refresh::Invalid(problems),
        }
    }
}

/// Parses and validates the text of a policy file. A file without any setting is refused: it was probably emptied to be
/// written anew. `home` is the folder that `~` is expanded to.
///
/// # Errors
/// All problems of the text.
pub fn parse_policy(text: &str, registry: Arc<Registry>, home: Option<&str>) -> Result<Policy, Vec<Problem>> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        let message = "the policy is empty; without the file, the built-in policy is active".to_owned();
        return Err(vec![Problem { line: 1, column: 1, message }]);
    }
    let policy = Policy::load(text, registry, home)?;
    // Settings of skill routing that are not valid are a problem of the policy.
    SkillSettings::of_policy(&policy).map_err(|problem| vec![problem])?;
    Ok(policy)
}

fn read_text(path: &Path) -> io::Result<String> {
    read_own_file(path)
}

/// Returns whether reading a file can succeed later without a change of the file, for example after too many files were
/// open.
fn is_transient(error: &io::Error) -> bool {
    /// The error numbers `ENFILE` and `EMFILE`, which have no [`io::ErrorKind`].
    const TOO_MANY_OPEN_FILES: [i32; 2] = [23, 24];
    let has_number = error.raw_os_error().is_some_and(|number| TOO_MANY_OPEN_FILES.contains(&number));
    has_number || matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::OutOfMemory)
}

/// Converts the error of reading the policy file into a problem of the policy.
fn read_problem(error: &io::Error) -> Problem {
    Problem { line: 1, column: 1, message: format!("the file cannot be read: {error}") }
}

/// Parses and validates the text of a policy. `home` is the folder that `~` is expanded to.
fn load_policy(
    text: &str,
    path: String,
    home: Option<&str>,
    registry: &Arc<Registry>,
) -> Result<ActivePolicy, Vec<Problem>> {
    let policy = parse_policy(text, Arc::clone(registry), home)?;
    let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
    Ok(ActivePolicy { policy: Arc::new(policy), text: Arc::from(text), hash, path })
}
