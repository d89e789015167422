//! Checks the coding agents of this machine: their version, and where they send their requests.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    claude_code,
    finding::{Finding, Section, short_path},
    gateway::GatewayState,
};
use crate::{
    context::Context,
    machine::{Client, ClientKind, ConfiguredAddress, configured_addresses},
};

/// The longest time that a client may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// The interval between two checks whether a client that prints its version has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Checks the coding agents that are installed or have a login: their versions, their addresses, and the status line and
/// the hook of Claude Code.
pub(super) fn check_clients(context: &Context, clients: &[Client], gateway: &GatewayState) -> Section {
    if clients.is_empty() {
        let next = "npm install -g @anthropic-ai/claude-code, then turnwise claude";
        return Section::new("clients", vec![Finding::note("no coding agent is on the PATH", next)]);
    }
    // Programs of node take about a second.
    let versions: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> =
            clients.iter().map(|client| scope.spawn(|| client.program.as_deref().and_then(program_version))).collect();
        started.into_iter().map(|version| version.join().ok().flatten()).collect()
    });
    let findings = clients.iter().zip(versions).flat_map(|(client, version)| {
        let mut findings = client_findings(context, client, version.as_deref(), gateway);
        if client.kind == ClientKind::ClaudeCode {
            findings.extend(claude_code::findings(context));
        }
        findings
    });
    Section::new("clients", findings.collect())
}

/// Returns the findings about one client: one for each address that it is configured with, or a single one without an
/// address. `version` is `None` if it is unknown.
fn client_findings(context: &Context, client: &Client, version: Option<&str>, gateway: &GatewayState) -> Vec<Finding> {
    let title = client.kind.title();
    let name = match (&client.program, version) {
        (Some(program), Some(version)) => format!("{title} {version} ({})", short_path(context, program)),
        (Some(program), None) => format!("{title} ({})", short_path(context, program)),
        (None, _) => return vec![Finding::note(format!("{title} has a login and is not on the PATH"), "check PATH")],
    };
    let addresses = configured_addresses(client.kind, context.home.user.as_deref());
    if addresses.is_empty() {
        let next = client.kind.address_setting(&gateway.url);
        return vec![Finding::note(format!("{name}: not configured for the gateway"), next)];
    }
    addresses.iter().map(|address| address_finding(client.kind, &name, address, gateway)).collect()
}

/// Checks the configured address of a client: it must be the address of the gateway, have the path that the client
/// needs, and answer. `name` describes the client.
fn address_finding(kind: ClientKind, name: &str, address: &ConfiguredAddress, gateway: &GatewayState) -> Finding {
    let ConfiguredAddress { place, url } = address;
    let setting = kind.address_setting(&gateway.url);
    if authority(url) != authority(&gateway.url) {
        return Finding::note(format!("{name}: sends to {url}, not to the gateway ({place})"), setting);
    }
    let has_version = url.trim_end_matches('/').ends_with("/v1");
    if has_version != kind.address_has_version() {
        let fault = if has_version { "must not end in /v1" } else { "must end in /v1" };
        return Finding::problem(format!("{name}: the address {url} {fault} ({place})"), format!("correct {place}"));
    }
    if gateway.runs() {
        Finding::ok(format!("{name}: sends to the gateway ({place})"))
    } else {
        Finding::problem(format!("{name}: sends to the gateway ({place}), which does not run"), "turnwise serve")
    }
}

/// Returns the host and port of a URL, for comparisons: all names of this machine, such as `localhost`, become
/// `127.0.0.1`.
fn authority(url: &str) -> String {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    authority.replace("localhost", "127.0.0.1").replace("[::1]", "127.0.0.1").replace("0.0.0.0", "127.0.0.1")
}

/// Runs a program with `--version` and returns the version that it prints; `None` if it prints none within
/// [`VERSION_LIMIT`].
fn program_version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let started = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if VERSION_LIMIT < started.elapsed() {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(POLL_INTERVAL);
    }
    let output = child.wait_with_output().ok()?;
    version_in(&String::from_utf8_lossy(&output.stdout))
}

/// Returns the first word of a text that begins with a digit and has a dot, such as `2.1.197`, without a `v` before it;
/// at most 20 characters.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    let mut words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    words.find(is_version).map(|word| word.chars().take(20).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_the_output_of_each_client() {
        for text in
            ["2.1.197 (Claude Code)", "codex-cli 2.1.197", "v2.1.197\n", "aider 2.1.197", "llm, version 2.1.197"]
        {
            assert_eq!(version_in(text).as_deref(), Some("2.1.197"), "{text}");
        }
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn names_of_this_machine_are_one_address() {
        for url in ["http://localhost:4141", "http://127.0.0.1:4141/v1/", "http://[::1]:4141/v1"] {
            assert_eq!(authority(url), "127.0.0.1:4141", "{url}");
        }
        assert_ne!(authority("http://127.0.0.1:4142"), authority("http://127.0.0.1:4141"));
    }
}
