//! Clients installed from npm into a folder that is kept.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    failure::{Failure, Outcome},
    program::shown,
};

/// Name of the program, and of its package.
const CLIENTS: [(&str, &str); 2] = [("claude", "@anthropic-ai/claude-code"), ("codex", "@openai/codex")];

/// The clients that there are.
pub(super) struct Found {
    /// Name, and where it is.
    pub(super) clients: Vec<(&'static str, PathBuf)>,
    /// Why those that are missing are skipped.
    pub(super) notes: Vec<String>,
}

/// Looks for the clients, and installs those that are not there.
pub(super) fn clients(cache: &Path) -> Outcome<Found> {
    let mut found = Found { clients: Vec::new(), notes: Vec::new() };
    for (name, package) in CLIENTS {
        match client(&cache.join(name), name, package)? {
            Ok((path, version)) => {
                println!("clients: {name} is {version}");
                found.clients.push((name, path));
            }
            Err(why) => {
                println!("skipped: clients: {name}: {why}");
                found.notes.push(format!("{name} skipped, {why}"));
            }
        }
    }
    Ok(found)
}

/// Where a client is, with its version, or why it is not.
fn client(folder: &Path, name: &str, package: &str) -> Outcome<Result<(PathBuf, String), String>> {
    let path = folder.join("node_modules/.bin").join(name);
    if version(&path).is_none()
        && let Err(why) = self::package(folder, package)?
    {
        return Ok(Err(why));
    }
    // One that was installed and does not start is a finding, not a reason to skip it.
    match version(&path) {
        Some(version) => Ok(Ok((path, version))),
        None => Err(Failure::new(format!("`{}` was installed and does not start", path.display()))),
    }
}

/// Installs a package of npm into a folder, or says why it cannot.
pub(crate) fn package(folder: &Path, package: &str) -> Outcome<Result<(), String>> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let mut command = Command::new("npm");
    // Without a network it would try for minutes.
    command.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--prefix"]);
    command.arg(folder).arg(package);
    println!("$ {}", shown(&command));
    let output = match command.current_dir(folder).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return Ok(Err(format!("npm cannot be started: {error}"))),
    };
    if output.status.success() {
        return Ok(Ok(()));
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    Ok(Err(format!("npm install failed: {}", complaints.lines().next().unwrap_or_default())))
}

fn version(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
