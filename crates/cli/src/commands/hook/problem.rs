//! The last problem of a hook, which `turnwise doctor` reports.

use std::path::Path;

use adapters::read_own_file;
use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::quick_file::replace_quickly;

/// The file in the home folder.
const FILE: &str = "hook-problem.json";

/// The maximum length of a recorded message in characters.
const MAX_CHARACTERS: usize = 2_000;

/// A problem of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedProblem {
    /// The time of the hook.
    pub(crate) at: Timestamp,
    /// What did not work, without any text of the user.
    pub(crate) message: String,
}

/// Records a problem of a hook in the home folder. It replaces the earlier one.
pub(super) fn record_problem(home: &Path, message: &str) {
    let message = message.chars().take(MAX_CHARACTERS).collect();
    let problem = RecordedProblem { at: SystemClock.now(), message };
    let Ok(bytes) = serde_json::to_vec(&problem) else { return };
    // Without a home folder that can be written there is no place for a report.
    let _ = replace_quickly(&home.join(FILE), &bytes);
}

/// Returns the last problem of a hook with the home folder `home`; `None` if there was none, or its file is damaged.
pub(crate) fn last_problem(home: &Path) -> Option<RecordedProblem> {
    serde_json::from_str(&read_own_file(&home.join(FILE)).ok()?).ok()
}
