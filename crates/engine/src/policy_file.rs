//! The policy active: read afresh at the start of every turn, the last good one kept (004 §4.8).

use std::{fs, io, path::PathBuf, sync::Arc};

use contracts::{ContentHash, Registry};
use router_core::{Policy, Problem};

/// The policy of a user who has written none.
pub const BUILT_IN_POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: {client_model: default}\n";
/// What stands in for the path of [`BUILT_IN_POLICY`].
pub const BUILT_IN_PATH: &str = "built-in";

/// A policy that came into force.
#[derive(Debug, Clone)]
pub struct ActivePolicy {
    /// The checked policy.
    pub policy: Arc<Policy>,
    /// Its text.
    pub text: Arc<str>,
    /// The hash of its text.
    pub hash: ContentHash,
    /// The file it was read from, or [`BUILT_IN_PATH`].
    pub path: String,
}

/// What a look at the file found.
#[derive(Debug)]
pub enum Refresh {
    /// The same as before, good or bad.
    Unchanged,
    /// A new policy came into force.
    Loaded,
    /// The file cannot be used; an earlier policy stays active.
    Invalid(Vec<Problem>),
}

/// A policy file that cannot be used, with no earlier one to fall back on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy `{path}` cannot be used:{}", listed(.problems))]
pub struct PolicyError {
    /// The file.
    pub path: String,
    /// Everything that is wrong with it.
    pub problems: Vec<Problem>,
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |text, problem| text + "\n  " + &problem.to_string())
}

/// Follows a policy file.
#[derive(Debug)]
pub struct PolicyFile {
    path: PathBuf,
    home: Option<String>,
    registry: Arc<Registry>,
    active: ActivePolicy,
    /// What the file last held, good or bad: `None` when it could not be read.
    seen: Option<String>,
    /// Whether the last look failed, so that the same failure is reported once.
    unreadable: bool,
    /// What was wrong with the file when it was first read, until the first look reports it.
    trouble: Option<Vec<Problem>>,
    /// What is wrong with the file as it stands, reported or not.
    standing: Vec<Problem>,
}

impl PolicyFile {
    /// Reads the file for the first time. Without a file the built-in policy holds.
    ///
    /// # Errors
    /// [`PolicyError`] when there is a file and it cannot be used.
    pub fn open(path: PathBuf, home: Option<&str>, registry: Arc<Registry>) -> Result<Self, PolicyError> {
        let shown = path.display().to_string();
        let (text, name) = match read(&path) {
            Ok(text) => (text, shown),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (BUILT_IN_POLICY.to_owned(), BUILT_IN_PATH.to_owned())
            }
            Err(error) => return Err(PolicyError { path: shown, problems: vec![unreadable(&error)] }),
        };
        let active = check(&text, name.clone(), home, &registry)
            .map_err(|problems| PolicyError { path: name.clone(), problems })?;
        let seen = (name != BUILT_IN_PATH).then_some(text);
        Ok(Self {
            path,
            home: home.map(str::to_owned),
            registry,
            active,
            seen,
            unreadable: false,
            trouble: None,
            standing: Vec::new(),
        })
    }

    /// As [`PolicyFile::open`], but a file that cannot be used gives way to an earlier policy, by its text. What is
    /// wrong with the file is reported by the first [`PolicyFile::refresh`].
    ///
    /// # Errors
    /// [`PolicyError`] when there is no earlier policy, or it does not fit the models of today.
    pub fn open_or_last_good(
        path: PathBuf,
        home: Option<&str>,
        registry: Arc<Registry>,
        last_good: impl FnOnce() -> Option<String>,
    ) -> Result<Self, PolicyError> {
        let refused = match Self::open(path.clone(), home, Arc::clone(&registry)) {
            Ok(file) => return Ok(file),
            Err(refused) => refused,
        };
        let earlier = last_good().and_then(|text| check(&text, refused.path.clone(), home, &registry).ok());
        let Some(active) = earlier else { return Err(refused) };
        let seen = read(&path).ok();
        let unreadable = seen.is_none();
        let home = home.map(str::to_owned);
        let standing = refused.problems.clone();
        Ok(Self { path, home, registry, active, seen, unreadable, trouble: Some(refused.problems), standing })
    }

    /// What was wrong with the file when it was first read, if that was not reported yet.
    pub fn trouble(&self) -> Option<&[Problem]> {
        self.trouble.as_deref()
    }

    /// What is wrong with the file as it stands, while an earlier policy stands in for it.
    pub fn standing_trouble(&self) -> &[Problem] {
        &self.standing
    }

    /// The policy active.
    pub const fn active(&self) -> &ActivePolicy {
        &self.active
    }

    /// What `~` in its paths stands for.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// The file followed.
    pub const fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Looks at the file again. Its whole text is compared, so no change is missed; it is parsed only when the
    /// text is new. A bad file is reported once.
    pub fn refresh(&mut self) -> Refresh {
        let refreshed = self.look();
        match &refreshed {
            Refresh::Invalid(problems) => self.standing.clone_from(problems),
            Refresh::Loaded => self.standing.clear(),
            // The text of before may be back.
            Refresh::Unchanged if self.seen.as_deref() == Some(&*self.active.text) => self.standing.clear(),
            Refresh::Unchanged => {}
        }
        refreshed
    }

    fn look(&mut self) -> Refresh {
        if let Some(problems) = self.trouble.take() {
            return Refresh::Invalid(problems);
        }
        let text = match read(&self.path) {
            Ok(text) => text,
            Err(_) if self.unreadable => return Refresh::Unchanged,
            // Never written: the built-in policy holds.
            Err(error) if self.seen.is_none() && error.kind() == io::ErrorKind::NotFound => return Refresh::Unchanged,
            Err(error) => {
                self.seen = None;
                self.unreadable = true;
                return Refresh::Invalid(vec![unreadable(&error)]);
            }
        };
        self.unreadable = false;
        if self.seen.as_ref() == Some(&text) {
            return Refresh::Unchanged;
        }
        let name = self.path.display().to_string();
        let checked = check(&text, name, self.home.as_deref(), &self.registry);
        self.seen = Some(text);
        match checked {
            // The same text as before a bad one, or before the file vanished: nothing new came into force.
            Ok(active) if active.hash == self.active.hash => Refresh::Unchanged,
            Ok(active) => {
                self.active = active;
                Refresh::Loaded
            }
            Err(problems) => Refresh::Invalid(problems),
        }
    }
}

fn read(path: &PathBuf) -> io::Result<String> {
    fs::read_to_string(path)
}

fn unreadable(error: &io::Error) -> Problem {
    Problem { line: 1, column: 1, message: format!("the file cannot be read: {error}") }
}

fn check(text: &str, path: String, home: Option<&str>, registry: &Arc<Registry>) -> Result<ActivePolicy, Vec<Problem>> {
    let policy = Policy::load(text, Arc::clone(registry), home)?;
    let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
    Ok(ActivePolicy { policy: Arc::new(policy), text: Arc::from(text), hash, path })
}
