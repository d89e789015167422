//! The paths of turnwise's files.

use std::path::{Path, PathBuf};

/// The paths of the files in a user's folder with policy, models and log, `~/.turnwise` by default (decision D17).
/// Neither the folder nor its files need to exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The path of the folder.
    pub dir: PathBuf,
    /// The path of the policy file.
    pub policy: PathBuf,
    /// The user's home folder, which `~` in a policy is expanded to; `None` if unknown.
    pub user: Option<PathBuf>,
}

impl Home {
    /// Creates a home in `dir` with the policy `routing.yaml`.
    pub fn new(dir: impl Into<PathBuf>, user: Option<PathBuf>) -> Self {
        let dir = dir.into();
        Self { policy: dir.join("routing.yaml"), dir, user }
    }

    /// Replaces the path of the policy file, if one is given.
    #[must_use]
    pub fn with_policy(self, policy: Option<PathBuf>) -> Self {
        Self { policy: policy.unwrap_or(self.policy), ..self }
    }

    /// Returns the path of the file with the user's models, `models.yaml`.
    pub fn models(&self) -> PathBuf {
        self.dir.join("models.yaml")
    }

    /// Returns the path of the folder of the log, `log`.
    pub fn log(&self) -> PathBuf {
        self.dir.join("log")
    }

    /// Returns the path of the JSON Schema of the policy, `routing.schema.json`, which editors use.
    pub fn schema(&self) -> PathBuf {
        self.dir.join("routing.schema.json")
    }

    /// Returns the user's home folder as text; `None` if it is unknown or not UTF-8.
    pub fn user_text(&self) -> Option<&str> {
        self.user.as_deref().and_then(Path::to_str)
    }
}
