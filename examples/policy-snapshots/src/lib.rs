//! Example of tests for a policy: loads a policy and its models the way `turnwise` does, so that tests can try
//! scenarios on it.

use std::{error::Error, fs, path::Path, sync::Arc};

use catalogue::ModelFile;
use router_core::Policy;

/// Loads `routing.yaml` from a folder. If the folder has a `models.yaml`, its models override or extend the built-in
/// ones.
///
/// `home` replaces `~` in the paths of workspaces.
///
/// # Errors
/// A message with every problem of `routing.yaml`, one per line; or the error of a file that cannot be read, or of an
/// invalid `models.yaml`.
pub fn load(folder: &Path, home: &str) -> Result<Policy, Box<dyn Error>> {
    let models = folder.join("models.yaml");
    let own = if models.exists() { Some(fs::read_to_string(models)?) } else { None };
    let registry = catalogue::load_registry(own.as_deref().map(|text| ModelFile { file: "models.yaml", text }))?;
    let text = fs::read_to_string(folder.join("routing.yaml"))?;
    let policy = Policy::load(&text, Arc::new(registry), Some(home));
    Ok(policy.map_err(|problems| {
        let problems: Vec<_> = problems.iter().map(|problem| format!("routing.yaml: {problem}")).collect();
        problems.join("\n")
    })?)
}
