//! Installs clients from npm into a folder that is kept between runs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    failure::{Failure, Outcome},
    program::shown,
};

/// Program name and npm package.
const CLIENTS: [(&str, &str); 2] = [("claude", "@anthropic-ai/claude-code"), ("codex", "@openai/codex")];

/// The installed clients.
pub(super) struct Found {
    /// Name and path.
    pub(super) clients: Vec<(&'static str, PathBuf)>,
    /// The reason for every client that is missing.
    pub(super) notes: Vec<String>,
}

/// Finds the clients in the folder `cache`, and installs missing ones from npm.
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

/// Returns path and version of a client, or the reason why it cannot be installed.
fn client(folder: &Path, name: &str, package: &str) -> Outcome<Result<(PathBuf, String), String>> {
    let path = folder.join("node_modules/.bin").join(name);
    if version(&path).is_none()
        && let Err(why) = self::package(folder, package)?
    {
        return Ok(Err(why));
    }
    // An installed client that does not start is a failure, not a reason to skip it.
    match version(&path) {
        Some(version) => Ok(Ok((path, version))),
        None => Err(Failure::new(format!("`{}` was installed and does not start", path.display()))),
    }
}

/// Installs an npm package into a folder; the inner error is the reason why it cannot be installed.
pub(crate) fn package(folder: &Path, package: &str) -> Outcome<Result<(), String>> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let mut command = Command::new("npm");
    // Without a network, npm retries for minutes.
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
    let stderr = String::from_utf8_lossy(&output.stderr);
    Ok(Err(format!("npm install failed: {}", stderr.lines().next().unwrap_or_default())))
}

fn version(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
