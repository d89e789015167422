//! Reads the AGENTS.md files that apply to the files of a request.

use std::{collections::BTreeSet, path::Path};

use skills::{AgentsFile, AgentsFiles, AgentsMd, Finding};

use crate::text_file::read_text_file;

/// The name of the file.
const NAME: &str = "AGENTS.md";

/// Reads the AGENTS.md of a workspace and those of the folders around `files`, which are relative to the workspace. A file
/// that does not exist, or that disappears while it is read, has no rows. Returns the problems of the others.
pub fn read_agents_files(workspace: &Path, files: &[String]) -> (AgentsFiles, Vec<Finding>) {
    let mut folders = BTreeSet::from([Path::new("")]);
    for file in files {
        let is_inside = !file.starts_with('/') && !file.split('/').any(|part| part == "..");
        folders.extend(Path::new(file).ancestors().skip(1).filter(|_| is_inside));
    }
    let (mut found, mut findings) = (Vec::new(), Vec::new());
    for folder in folders {
        let path = folder.join(NAME);
        let file = workspace.join(&path);
        let shown = path.display().to_string();
        if !file.exists() {
            continue;
        }
        match read_text_file(&file, &shown) {
            Ok(text) => found.push(AgentsFile { path: shown, content: AgentsMd::parse(&text) }),
            Err(_) if !file.exists() => {}
            Err(finding) => findings.push(finding),
        }
    }
    (AgentsFiles::new(found), findings)
}
