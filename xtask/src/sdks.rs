//! Runs the official Python SDKs against the gateway: `xtask/clients/sdks.py` in a virtual environment.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    clients::{installed::install_python_packages, programs},
    failure::{Failure, Outcome},
    passed::Passed,
    program::execute,
    workspace,
};

/// The Python packages of the SDKs.
const PACKAGES: [&str; 3] = ["anthropic", "openai", "google-genai"];

/// One model of each provider, so that every API is converted to every other.
const MODELS: [&str; 3] = ["claude-opus-4-8", "gpt-5.5", "gemini-3.1-pro-preview"];

/// A policy by which requested models are used.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: override }\n";

/// Runs all checks of the SDKs, or those whose name contains `only`, against a new gateway. With `provider` they run
/// against the mock provider itself, to test the checks. They are skipped, with the reason in the note, if the SDKs
/// cannot be installed. `skip_build` uses programs built earlier.
pub(crate) fn run(only: Option<&str>, provider: bool, skip_build: bool) -> Outcome<Passed> {
    let python = match install_sdks(&workspace::target_folder().join("clients/sdks"))? {
        Ok(python) => python,
        Err(reason) => {
            println!("skipped: sdks: {reason}");
            return Ok(Passed::with_note(format!("skipped, {reason}")));
        }
    };
    if !skip_build {
        programs::build(!provider)?;
    }
    let home = workspace::temporary_folder()?;
    workspace::write_file(&home.path().join("routing.yaml"), POLICY)?;
    let mock = programs::start_mock(&["--keep"])?;
    let mut command = Command::new(python);
    command.arg(workspace::root().join("xtask/clients/sdks.py")).args(["--control", &mock.url]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    for model in MODELS {
        command.args(["--model", model]);
    }
    if let Some(only) = only {
        command.args(["--only", only]);
    }
    if provider {
        return execute(command.args(["--url", &mock.url, "--provider"])).map(|()| Passed::without_note());
    }
    let gateway = programs::start_gateway(home.path(), &mock)?;
    let result = execute(command.args(["--url", &gateway.url]));
    gateway.stop()?;
    result.map(|()| Passed::without_note())
}

/// Installs the SDKs into a virtual environment in `folder`, unless they are there. Returns the path of its Python; the
/// inner error is the reason why they cannot be installed.
fn install_sdks(folder: &Path) -> Outcome<Result<PathBuf, String>> {
    let python = folder.join("bin/python");
    let has_all = |python: &Path| {
        let mut command = Command::new(python);
        command.args(["-c", "import anthropic, openai, google.genai"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if has_all(&python) {
        return Ok(Ok(python));
    }
    if let Err(reason) = install_python_packages(folder, &PACKAGES)? {
        return Ok(Err(reason));
    }
    if has_all(&python) { Ok(Ok(python)) } else { Err(Failure::new("the SDKs were installed and cannot be imported")) }
}
