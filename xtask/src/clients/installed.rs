//! Installation of clients from npm and the Python package index into a cache folder, which later runs reuse.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    failure::{Failure, Outcome},
    program::display_command,
};

/// The registry from which a client is installed.
#[derive(Debug, Clone, Copy)]
enum Registry {
    /// The npm registry.
    Npm,
    /// The Python package index.
    PyPi,
}

/// The program name, the registry, the package and the version of each client. Another version is a change of the tests: a
/// client may send other requests.
const CLIENTS: [(&str, Registry, &str, &str); 6] = [
    ("claude", Registry::Npm, "@anthropic-ai/claude-code", "2.1.197"),
    ("codex", Registry::Npm, "@openai/codex", "0.169.0"),
    ("opencode", Registry::Npm, "opencode-ai", "1.18.33"),
    ("gemini", Registry::Npm, "@google/gemini-cli", "0.61.0"),
    // About a minute and 700 MB.
    ("aider", Registry::PyPi, "aider-chat", "0.86.2"),
    ("llm", Registry::PyPi, "llm", "0.36"),
];

/// The clients that are installed, and the reasons why others are not.
pub(super) struct InstalledClients {
    /// The name and the path of each installed client.
    pub(super) clients: Vec<(&'static str, PathBuf)>,
    /// For every missing client, a note with the reason.
    pub(super) skip_notes: Vec<String>,
}

/// Finds the clients whose name is wanted in the folder `cache`, and installs missing ones.
pub(super) fn install_clients(cache: &Path, is_wanted: impl Fn(&str) -> bool) -> Outcome<InstalledClients> {
    let mut installed_clients = InstalledClients { clients: Vec::new(), skip_notes: Vec::new() };
    for (name, registry, package, wanted) in CLIENTS.into_iter().filter(|(name, ..)| is_wanted(name)) {
        match install_client(&cache.join(name), name, registry, package, wanted)? {
            Ok(path) => {
                println!("clients: {name} is {wanted}");
                installed_clients.clients.push((name, path));
            }
            Err(reason) => {
                println!("skipped: clients: {name}: {reason}");
                installed_clients.skip_notes.push(format!("{name} skipped, {reason}"));
            }
        }
    }
    Ok(installed_clients)
}

/// Returns the path of a client, which is installed if it is missing or has another version. The inner error is the reason
/// why it cannot be installed.
fn install_client(
    folder: &Path,
    name: &str,
    registry: Registry,
    package: &str,
    pinned_version: &str,
) -> Outcome<Result<PathBuf, String>> {
    let (path, package_spec) = match registry {
        Registry::Npm => (folder.join("node_modules/.bin").join(name), format!("{package}@{pinned_version}")),
        Registry::PyPi => (folder.join("bin").join(name), format!("{package}=={pinned_version}")),
    };
    let has_version = || version(&path).is_some_and(|printed| printed.contains(pinned_version));
    if has_version() {
        return Ok(Ok(path));
    }
    let install_result = match registry {
        Registry::Npm => install_package(folder, &package_spec)?,
        Registry::PyPi => install_python_packages(folder, &[&package_spec])?,
    };
    match install_result {
        Err(reason) => Ok(Err(reason)),
        Ok(()) if has_version() => Ok(Ok(path)),
        // An installed client that does not start is a failure, not a reason to skip it.
        Ok(()) => Err(Failure::new(format!("`{}` was installed and does not print {pinned_version}", path.display()))),
    }
}

/// Creates a virtual environment of Python in a folder and installs packages into it. The inner error is the reason why
/// they cannot be installed.
pub(crate) fn install_python_packages(folder: &Path, packages: &[&str]) -> Outcome<Result<(), String>> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let mut create_environment = Command::new("python3");
    create_environment.args(["-m", "venv"]).arg(folder);
    let mut install = Command::new(folder.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet", "--retries", "1", "--disable-pip-version-check"]).args(packages);
    for command in [&mut create_environment, &mut install] {
        println!("$ {}", display_command(command));
        match command.stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                let cause = stderr.lines().last().unwrap_or_default();
                return Ok(Err(format!("{} failed: {cause}", display_command(command))));
            }
            Err(error) => return Ok(Err(format!("{} cannot be started: {error}", display_command(command)))),
        }
    }
    Ok(Ok(()))
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
