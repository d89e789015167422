//! The gateway of a launched client: the running one, or one that is started in the background.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Stdio},
};

use adapters::{create_own_folder, read_own_file, write_own_file};
use control::Connection;
use serde_json::Value;

use super::ending;
use crate::{
    commands::serve::URL_FILE,
    context::Context,
    failure::Failure,
    screen::{self, FAINT, styled},
};

/// The file in the home folder to which a gateway in the background writes its log lines.
const LOG_FILE: &str = "gateway.log";

/// Returns the URL of the gateway that has opened the home folder. If none runs, starts one in the background, which
/// continues to run after the client has ended, and prints its process id.
///
/// # Errors
/// [`Failure::Failed`] if the gateway cannot be started, or if the URL of the running one is unknown.
pub(super) fn gateway_url(context: &Context) -> Result<String, Failure> {
    let home = &context.home.dir;
    let socket = Connection::open(home)
        .map_err(|error| Failure::Failed(format!("cannot connect to the running gateway: {error}")))?;
    if socket.is_none() {
        return start_gateway(context);
    }
    let path = home.join(URL_FILE);
    let url = read_own_file(&path).map_err(|error| Failure::file("read", &path, &error))?;
    Ok(url.trim().to_owned())
}

/// Starts a gateway as a background process and returns its URL once it listens. It has its own process group, so that
/// Ctrl-C in the client does not end it.
fn start_gateway(context: &Context) -> Result<String, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Failed(format!("cannot find the program of the gateway: {error}")))?;
    let home = &context.home.dir;
    create_own_folder(home).map_err(|error| Failure::file("create", home, &error))?;
    let log = home.join(LOG_FILE);
    let stderr = write_own_file(&log, b"").and_then(|()| File::options().append(true).open(&log));
    let stderr = stderr.map_err(|error| Failure::file("create", &log, &error))?;
    let mut command = Command::new(&program);
    command.arg("--home").arg(home).args(["--json", "serve"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).process_group(0);
    let mut gateway = command.spawn().map_err(|error| Failure::file("start", &program, &error))?;
    let mut line = String::new();
    if let Some(stdout) = gateway.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(|error| Failure::file("read", &log, &error))?;
    }
    if let Some(url) = listening_url(&line) {
        let note = format!("started the gateway at {url} (process {}); it keeps running", gateway.id());
        screen::print_error_line(&styled(FAINT, &note));
        return Ok(url);
    }
    let status = gateway.wait().map_err(|error| Failure::file("wait for", &program, &error))?;
    Err(Failure::Failed(format!("the gateway did not start, {}: {}", ending(status), last_words(&line, &log))))
}

/// Returns the URL in the first line that `serve --json` prints; `None` if it is not such a line.
fn listening_url(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    line["listening"].as_str().map(str::to_owned)
}

/// Returns the error message of a gateway that ended at its start: the one in `line`, a JSON object, or else the last
/// line of its log file.
fn last_words(line: &str, log: &Path) -> String {
    let printed: Option<Value> = serde_json::from_str(line).ok();
    if let Some(error) = printed.as_ref().and_then(|line| line["error"].as_str()) {
        return error.to_owned();
    }
    let text = read_own_file(log).unwrap_or_default();
    text.lines().last().map_or_else(|| format!("see `{}`", log.display()), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_line_of_a_listening_gateway_has_a_url() {
        assert_eq!(
            listening_url(r#"{"listening":"http://127.0.0.1:4141","models":3}"#),
            Some("http://127.0.0.1:4141".into())
        );
        assert_eq!(listening_url(r#"{"error":"cannot listen"}"#), None);
        assert_eq!(listening_url(""), None);
        assert_eq!(last_words(r#"{"error":"cannot listen"}"#, Path::new("none")), "cannot listen");
        assert_eq!(last_words("", Path::new("none")), "see `none`");
    }
}
