//! Runs the official Python SDKs against the gateway: `xtask/clients/sdks.py` in a virtual environment.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    clients::programs,
    failure::{Failure, Outcome},
    passed::Passed,
    program::{execute, shown},
    workspace,
};

const PACKAGES: [&str; 3] = ["anthropic", "openai", "google-genai"];

/// One model of each provider, so that every API is converted to every other.
const MODELS: [&str; 3] = ["claude-opus-4-8", "gpt-5.5", "gemini-3.1-pro-preview"];

/// Requested models are used.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: override }\n";

/// Runs all checks, or those whose name contains `only`. With `provider` they run against the mock provider, which shows
/// that the checks themselves are right. `built` skips the build.
pub(crate) fn run(only: Option<&str>, provider: bool, built: bool) -> Outcome<Passed> {
    let python = match installed(&workspace::target().join("clients/sdks"))? {
        Ok(python) => python,
        Err(why) => {
            println!("skipped: sdks: {why}");
            return Ok(Passed::noting(format!("skipped, {why}")));
        }
    };
    if !built {
        programs::build(!provider)?;
    }
    let home = workspace::temporary()?;
    workspace::write(&home.path().join("routing.yaml"), POLICY)?;
    let mock = programs::mock(&["--keep"])?;
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
        return execute(command.args(["--url", &mock.url, "--provider"])).map(|()| Passed::silently());
    }
    let gateway = programs::gateway(home.path(), &mock)?;
    let done = execute(command.args(["--url", &gateway.url]));
    gateway.stop()?;
    done.map(|()| Passed::silently())
}

/// Returns a Python with the SDKs, installing them if needed, or the reason why there is none.
fn installed(folder: &Path) -> Outcome<Result<PathBuf, String>> {
    let python = folder.join("bin/python");
    let has_all = |python: &Path| {
        let mut command = Command::new(python);
        command.args(["-c", "import anthropic, openai, google.genai"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if has_all(&python) {
        return Ok(Ok(python));
    }
    fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(folder);
    let mut packages = Command::new(&python);
    packages.args(["-m", "pip", "install", "--quiet", "--retries", "1", "--disable-pip-version-check"]).args(PACKAGES);
    for command in [&mut environment, &mut packages] {
        println!("$ {}", shown(command));
        match command.stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                return Ok(Err(format!("{} failed: {}", shown(command), stderr.lines().last().unwrap_or_default())));
            }
            Err(error) => return Ok(Err(format!("{} cannot be started: {error}", shown(command)))),
        }
    }
    if has_all(&python) { Ok(Ok(python)) } else { Err(Failure::new("the SDKs were installed and cannot be imported")) }
}
