//! Where turnwise keeps its files.

use std::path::{Path, PathBuf};

/// The folder of a user's policy, models and log: `~/.turnwise`, unless told otherwise (decision D17).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The folder.
    pub dir: PathBuf,
    /// The policy file.
    pub policy: PathBuf,
    /// What `~` stands for in a policy.
    pub user: Option<PathBuf>,
}

impl Home {
    /// A home in `dir`.
    pub fn new(dir: impl Into<PathBuf>, user: Option<PathBuf>) -> Self {
        let dir = dir.into();
        Self { policy: dir.join("routing.yaml"), dir, user }
    }

    /// The same home with its policy in another file.
    #[must_use]
    pub fn with_policy(self, policy: Option<PathBuf>) -> Self {
        Self { policy: policy.unwrap_or(self.policy), ..self }
    }

    /// The user's file of models.
    pub fn models(&self) -> PathBuf {
        self.dir.join("models.yaml")
    }

    /// The folder of the log.
    pub fn log(&self) -> PathBuf {
        self.dir.join("log")
    }

    /// The schema that editors complete the policy by.
    pub fn schema(&self) -> PathBuf {
        self.dir.join("routing.schema.json")
    }

    /// What `~` stands for, as text.
    pub fn user_text(&self) -> Option<&str> {
        self.user.as_deref().and_then(Path::to_str)
    }
}
