//! Tests the gateway's web page in a real browser with `xtask/browser/page.test.mjs`.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    clients::{
        installed,
        programs::{self, Environment},
    },
    failure::Outcome,
    passed::Passed,
    program::{capture_all, display_command, execute},
    workspace,
};

/// The path of the browser, unless the variable `CHROMIUM` has another.
const DEFAULT_CHROMIUM: &str = "/usr/bin/chromium";

/// The npm package that drives the browser.
const DRIVER: &str = "playwright-core";

/// A policy with a rule that the page shows. Requested models are used.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\nskills: { triggers: triggers.md }\nbudgets:\n  - {name: each \
                      day, limit_usd: 5, period: day, on_reached: warn}\n  - {limit_usd: 1, scope: session, on_reached: \
                      warn}\nrules:\n  - name: deploys\n    when: {message_matches: \"(?i)deploy\"}\n    use: opus\n";

/// The files of the workspace of all turns: two skills, and a trigger table with a collision and a skill that does not exist.
const WORKSPACE: [(&str, &str); 3] = [
    (
        ".claude/skills/database/SKILL.md",
        "---\nname: database\ndescription: Use for database migrations and schema changes.\nmetadata:\n  routing-keywords: \
         migration\n---\n# Steps\n",
    ),
    (".claude/skills/review/SKILL.md", "---\nname: review\ndescription: Use for reviews of changes.\n---\n# Steps\n"),
    (
        "triggers.md",
        "| Detected Keywords | Negative Keywords | Priority | Compound Triggers | Skill |\n|---|---|---|---|---|\n| lint, code | \
         draft | 1 | -- | `/review` |\n| sql, code | -- | 7 | -- | `/database` |\n| ship it | -- | 9 | -- | `/ship` |\n",
    ),
];

/// Runs the browser tests against a new gateway. They are skipped, with the reason in the note, if browser or driver
/// cannot be installed. `skip_build` uses programs built earlier.
pub(crate) fn run(skip_build: bool) -> Outcome<Passed> {
    let (chromium, driver) = match find_browser()? {
        Ok(found) => found,
        Err(reason) => {
            println!("skipped: browser: {reason}");
            return Ok(Passed::with_note(format!("skipped, {reason}")));
        }
    };
    let Environment { home: _home, mock: _mock, gateway } = programs::start_environment(POLICY, skip_build)?;
    let folder = workspace::root().join("xtask/browser");
    let turn = format!("node '{}' {}", folder.join("turn.mjs").display(), gateway.url);
    let project = workspace::temporary_folder()?;
    for (name, text) in WORKSPACE {
        workspace::write_file_in(project.path(), name, text)?;
    }
    let mut command = Command::new("node");
    command.env("TURN_WORKSPACE", project.path());
    command.arg(folder.join("page.test.mjs")).args([&gateway.url, &turn]);
    command.env("CHROMIUM", chromium).env("PLAYWRIGHT_CORE", driver).stdin(Stdio::null());
    let result = execute(&mut command);
    gateway.stop()?;
    result.map(|()| Passed::without_note())
}

/// Returns the paths of the browser and of the package that drives it, which are installed if possible. The inner error
/// is the reason why one is missing.
fn find_browser() -> Outcome<Result<(PathBuf, PathBuf), String>> {
    let chromium = match chromium() {
        Ok(chromium) => chromium,
        Err(reason) => return Ok(Err(reason)),
    };
    if !can_start(Path::new("node")) {
        return Ok(Err("node does not start".to_owned()));
    }
    let cache = workspace::target_folder().join("clients").join(DRIVER);
    let driver = cache.join("node_modules").join(DRIVER);
    if !driver.join("package.json").exists()
        && let Err(reason) = installed::install_package(&cache, DRIVER)?
    {
        return Ok(Err(reason));
    }
    Ok(Ok((chromium, driver)))
}

/// Returns the path of chromium: that in the variable `CHROMIUM`, or else [`DEFAULT_CHROMIUM`]. If chromium does not
/// start and the user is root, installs it with apt-get. The error is the reason why there is no usable chromium.
fn chromium() -> Result<PathBuf, String> {
    let path = env::var_os("CHROMIUM").map_or_else(|| PathBuf::from(DEFAULT_CHROMIUM), PathBuf::from);
    if can_start(&path) {
        return Ok(path);
    }
    if !capture_all(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0") {
        return Err(format!("no chromium at `{}`", path.display()));
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "chromium"]).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    println!("$ {}", display_command(&install));
    let output = install.output().map_err(|error| format!("no chromium, and apt-get cannot be started: {error}"))?;
    if output.status.success() && can_start(Path::new(DEFAULT_CHROMIUM)) {
        return Ok(DEFAULT_CHROMIUM.into());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("chromium cannot be installed: {}", stderr.lines().last().unwrap_or("it does not start")))
}

/// Returns whether a program can be started with `--version` and exits successfully.
fn can_start(path: &Path) -> bool {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
