//! The view a person reads: one row for every workspace.

use serde::Serialize;

use crate::Patterns;

/// How much was learned in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkspaceStatus<'a> {
    /// Its path, if the turns had one.
    pub workspace: Option<&'a str>,
    /// Distinct sets of features.
    pub fingerprints: usize,
    /// Pairs of features and model.
    pub rows: usize,
    /// Turns recorded.
    pub samples: u64,
    /// Turns with a score that counts.
    pub scored: u64,
}

impl Patterns {
    /// How much was learned, by workspace.
    pub fn status(&self) -> impl Iterator<Item = WorkspaceStatus<'_>> {
        self.stores.iter().map(|(workspace, store)| {
            let (samples, scored) = store.samples();
            WorkspaceStatus {
                workspace: Some(workspace.as_str()).filter(|path| !path.is_empty()),
                fingerprints: store.fingerprints(),
                rows: store.rows(),
                samples,
                scored,
            }
        })
    }
}
