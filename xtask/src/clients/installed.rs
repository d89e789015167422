//! Installation of clients from npm into a cache folder, which later runs reuse.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    failure::{Failure, Outcome},
    program::display_command,
};

/// The program name and the npm package of each client.
const CLIENTS: [(&str, &str); 2] = [("claude", "@anthropic-ai/claude-code"), ("codex", "@openai/codex")];

/// The clients that are installed, and the reasons why others are not.
pub(super) struct InstalledClients {
    /// The name and the path of each installed client.
    pub(super) clients: Vec<(&'static str, PathBuf)>,
    /// For every missing client, a note with the reason.
    pub(super) skip_notes: Vec<String>,
}

/// Finds the clients in `cache` and installs missing ones.
pub(super) fn install_clients(cache: &Path) -> Outcome<InstalledClients> {
    let mut found = InstalledClients { clients: Vec::new(), skip_notes: Vec::new() };
    for (name, package) in CLIENTS {
        match install_client(&cache.join(name), name, package)? {
            Ok((path, version)) => {
                println!("clients: {name} is {version}");
                found.clients.push((name, path));
            }
            Err(reason) => {
                println!("skipped: clients: {name}: {reason}");
                found.skip_notes.push(format!("{name} skipped, {reason}"));
            }
        }
    }
    Ok(found)
}

/// Returns path and version of a client, which is installed if it is missing. The inner error is the reason why it
/// cannot be installed.
fn install_client(folder: &Path, name: &str, package: &str) -> Outcome<Result<(PathBuf, String), String>> {
    let path = folder.join("node_modules/.bin").join(name);
    if version(&path).is_none()
        && let Err(reason) = install_package(folder, package)?
    {
        return Ok(Err(reason));
    }
    // An installed client that does not start is a failure, not a reason to skip it.
    match version(&path) {
        Some(version) => Ok(Ok((path, version))),
        None => Err(Failure::new(format!("`{}` was installed and does not start", path.display()))),
    }
}

/// Installs an npm package into a folder, which is created if it is missing. The inner error is the reason why it
/// cannot be installed.
pub(crate) fn install_package(folder: &Path, package: &str) -> Outcome<Result<(), String>> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let mut command = Command::new("npm");
    // Without a network, npm retries for minutes.
    command.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--prefix"]);
    command.arg(folder).arg(package);
    println!("$ {}", display_command(&command));
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

/// Returns the version that a program prints; `None` if it does not start.
fn version(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
