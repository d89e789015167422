//! The policy file: reloaded before every turn if it changed, while the last valid policy stays active otherwise (004
//! §4.8).

use std::{fs, io, path::PathBuf, sync::Arc};

use contracts::{ContentHash, Registry};
use router_core::{Policy, Problem};

use crate::file_stamp::Stamp;

/// The policy of a user without a policy file.
pub const BUILT_IN_POLICY: &str = "schema_version: 1\nglobal_default: sonnet\n";
/// The path of [`BUILT_IN_POLICY`] in events and outputs.
pub const BUILT_IN_PATH: &str = "built-in";

/// A loaded policy with its origin.
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

/// The result of reloading the policy file.
#[derive(Debug)]
pub enum Refresh {
    /// The file has not changed, whether it is valid or not.
    Unchanged,
    /// A new policy is active.
    Loaded,
    /// The file is invalid, and the last valid policy stays active.
    Invalid(Vec<Problem>),
}

/// The error of an invalid policy file without an earlier valid policy.
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

/// A policy file that is followed, with the active policy.
#[derive(Debug)]
pub struct PolicyFile {
    path: PathBuf,
    home: Option<String>,
    registry: Arc<Registry>,
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
}

impl PolicyFile {
    /// Opens the file. Without a file the built-in policy is active.
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
        })
    }

    /// Opens the file as [`PolicyFile::open`] does. If it is invalid, the policy with the text `last_valid` is active,
    /// and the first [`PolicyFile::refresh`] reports the problems.
    ///
    /// # Errors
    /// [`PolicyError`] if the file is invalid and there is no earlier policy, or it does not fit the present models.
    pub fn open_or_last_valid(
        path: PathBuf,
        home: Option<&str>,
        registry: Arc<Registry>,
        last_valid: impl FnOnce() -> Option<String>,
    ) -> Result<Self, PolicyError> {
        let error = match Self::open(path.clone(), home, Arc::clone(&registry)) {
            Ok(file) => return Ok(file),
            Err(error) => error,
        };
        let last_valid_policy =
            last_valid().and_then(|text| load_policy(&text, error.path.clone(), home, &registry).ok());
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
        })
    }

    /// The problems found when the file was opened, unless they were reported.
    pub fn startup_problems(&self) -> Option<&[Problem]> {
        self.startup_problems.as_deref()
    }

    /// The problems of the present content; empty if it is active.
    pub fn problems(&self) -> &[Problem] {
        &self.current_problems
    }

    /// The active policy.
    pub const fn active(&self) -> &ActivePolicy {
        &self.active
    }

    /// The home folder that `~` in its paths is expanded to.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// The path of the file.
    pub const fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Reloads the file if its text has changed. An invalid file is reported once.
    ///
    /// Cheap enough for every turn: the text is read only if the identity, length or times of the file have changed.
    pub fn refresh(&mut self) -> Refresh {
        let refresh = self.reload();
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

    /// Reads the file and activates its policy if it is new and valid.
    fn reload(&mut self) -> Refresh {
        if let Some(problems) = self.startup_problems.take() {
            return Refresh::Invalid(problems);
        }
        let stamp = Stamp::of(&self.path);
        if stamp.is_some() && stamp == self.last_stamp {
            return Refresh::Unchanged;
        }
        // The stamp is that of before the read, so a change during the read is noticed.
        self.last_stamp = stamp;
        let text = match read_text(&self.path) {
            Ok(text) => text,
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
                self.active = active;
                Refresh::Loaded
            }
            Err(problems) => Refresh::Invalid(problems),
        }
    }
}

fn read_text(path: &PathBuf) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Converts the error of reading the file into a problem.
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
    let policy = Policy::load(text, Arc::clone(registry), home)?;
    let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
    Ok(ActivePolicy { policy: Arc::new(policy), text: Arc::from(text), hash, path })
}
