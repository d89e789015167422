//! Tests the page of the gateway in a real browser with `xtask/browser/page.test.mjs`.

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
    program::{capture_all, execute, shown},
    workspace,
};

/// The usual path of the browser.
const CHROMIUM: &str = "/usr/bin/chromium";

/// The npm package that drives the browser.
const DRIVER: &str = "playwright-core";

/// Has a rule for the page to show. Models that the client requests are used.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\nrules:\n  - name: \
                      deploys\n    when: {message_matches: \"(?i)deploy\"}\n    use: opus\n";

/// Runs the browser tests; skipped with the reason if browser or driver are missing.
pub(crate) fn run(built: bool) -> Outcome<Passed> {
    let (chromium, driver) = match find_browser()? {
        Ok(found) => found,
        Err(why) => {
            println!("skipped: browser: {why}");
            return Ok(Passed::noting(format!("skipped, {why}")));
        }
    };
    let Environment { home: _home, mock: _mock, gateway } = programs::environment(POLICY, built)?;
    let folder = workspace::root().join("xtask/browser");
    let turn = format!("node '{}' {}", folder.join("turn.mjs").display(), gateway.url);
    let mut command = Command::new("node");
    command.arg(folder.join("page.test.mjs")).args([&gateway.url, &turn]);
    command.env("CHROMIUM", chromium).env("PLAYWRIGHT_CORE", driver).stdin(Stdio::null());
    let done = execute(&mut command);
    gateway.stop()?;
    done.map(|()| Passed::silently())
}

/// Returns the paths of browser and driver, or the reason why one is missing.
fn find_browser() -> Outcome<Result<(PathBuf, PathBuf), String>> {
    let chromium = match chromium() {
        Ok(chromium) => chromium,
        Err(why) => return Ok(Err(why)),
    };
    if !starts(Path::new("node")) {
        return Ok(Err("node does not start".to_owned()));
    }
    let cache = workspace::target().join("clients").join(DRIVER);
    let driver = cache.join("node_modules").join(DRIVER);
    if !driver.join("package.json").exists()
        && let Err(why) = installed::package(&cache, DRIVER)?
    {
        return Ok(Err(why));
    }
    Ok(Ok((chromium, driver)))
}

/// Returns the path of chromium, installing it if the user is root, or the reason why it is missing.
fn chromium() -> Result<PathBuf, String> {
    let path = env::var_os("CHROMIUM").map_or_else(|| PathBuf::from(CHROMIUM), PathBuf::from);
    if starts(&path) {
        return Ok(path);
    }
    if !capture_all(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0") {
        return Err(format!("no chromium at `{}`", path.display()));
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "chromium"]).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    println!("$ {}", shown(&install));
    let output = install.output().map_err(|error| format!("no chromium, and apt-get cannot be started: {error}"))?;
    if output.status.success() && starts(Path::new(CHROMIUM)) {
        return Ok(CHROMIUM.into());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("chromium cannot be installed: {}", stderr.lines().last().unwrap_or("it does not start")))
}

fn starts(path: &Path) -> bool {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
