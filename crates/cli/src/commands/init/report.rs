//! The output of `init`.

use std::path::Path;

use serde_json::{Value, json};

use super::{dry_run::DryRun, starter::Choice};
use crate::{
    machine::{Client, ClientKind, KeySource, Sample},
    screen::{FAINT, GOOD, HEADING, NOTICE, count_noun, outln, styled},
};

/// The maximum number of models that are listed.
const MAX_MODELS: usize = 4;

/// The result of `init`, to print as text or as JSON: what it found on this machine and which files it wrote.
pub(super) struct Report<'a> {
    /// The path of the policy file that was written.
    pub(super) policy: &'a Path,
    /// The path of the policy's JSON schema that was written.
    pub(super) schema: &'a Path,
    /// Whether a policy file was replaced.
    pub(super) replaced: bool,
    /// The provider whose models the policy uses.
    pub(super) choice: &'a Choice,
    /// The API keys that were found.
    pub(super) keys: &'a [KeySource],
    /// The coding agents that were found.
    pub(super) clients: &'a [Client],
    /// The recorded sessions that were found, and the turns of the newest ones.
    pub(super) sample: &'a Sample,
    /// The models of the sample's turns, each with its number of turns.
    pub(super) models: &'a [(String, usize)],
    /// The result of trying the policy on the sample.
    pub(super) dry_run: &'a DryRun,
}

impl Report<'_> {
    /// Returns the result as a JSON object, for `--json`.
    pub(super) fn json(&self) -> Value {
        let keys: Vec<_> =
            self.keys.iter().map(|key| json!({ "provider": key.provider, "place": key.place })).collect();
        let clients: Vec<_> = self
            .clients
            .iter()
            .map(
                |client| json!({ "client": client.kind.title(), "program": client.program, "login": client.has_login }),
            )
            .collect();
        let sessions: Vec<_> = self
            .sample
            .found
            .iter()
            .map(|found| {
                json!({ "client": found.kind.title(), "folder": found.folder, "files": found.files, "bytes": found.bytes })
            })
            .collect();
        json!({
            "policy": self.policy, "schema": self.schema, "replaced": self.replaced,
            "provider": self.choice.family.provider, "other_providers": self.choice.others.iter().map(|other| other.provider).collect::<Vec<_>>(),
            "because": self.choice.because, "has_access": self.choice.has_access,
            "found": { "keys": keys, "clients": clients, "sessions": sessions, "models": self.models },
            "dry_run": self.dry_run, "next": self.next_steps(),
        })
    }

    /// Prints the result as text, with the commands to run next.
    pub(super) fn print(&self) {
        let provider = self.choice.family.provider;
        let wrote = if self.replaced { "replaced" } else { "wrote" };
        outln!("{} {}", styled(GOOD, wrote), self.policy.display());
        outln!("      with models of {provider}: {}", self.choice.because);
        for other in &self.choice.others {
            outln!("      and of {} for requests that those cannot take", other.provider);
        }
        outln!("{} {}", styled(GOOD, "wrote"), self.schema.display());
        outln!("      for completion in editors");
        self.print_found();
        self.print_dry_run();
        outln!("\n{}", styled(HEADING, "Next"));
        for (command, purpose) in self.next_steps() {
            outln!("  {command:<34} {purpose}");
        }
    }

    /// Prints the keys, coding agents, sessions and models that were found on this machine.
    fn print_found(&self) {
        outln!("\n{}", styled(HEADING, "Found"));
        for key in self.keys {
            outln!("  key       {} in {}", key.provider, key.place);
        }
        for client in self.clients {
            let login = if client.has_login { ", logged in" } else { "" };
            let program =
                client.program.as_ref().map_or_else(|| "not on the PATH".to_owned(), |path| path.display().to_string());
            outln!("  client    {} ({program}{login})", client.kind.title());
        }
        for found in &self.sample.found {
            let files = count_noun(found.files as u64, "session file");
            let size = megabytes(found.bytes);
            outln!("  sessions  {files} of {}, {size}", found.kind.title());
        }
        for (model, turns) in self.models.iter().take(MAX_MODELS) {
            outln!("  model     {model} in {}", count_noun(*turns as u64, "turn"));
        }
        if self.sample.found.is_empty() {
            outln!("  no sessions of Claude Code or Codex");
        }
        if self.keys.is_empty() {
            outln!("  no provider key");
        }
        if !self.choice.has_access {
            let variable = key_variable(self.choice.family.provider);
            let text = format!("To send requests, set {variable}, or use a client that sends its own key.");
            outln!("  {}", styled(NOTICE, &text));
        }
    }

    /// Prints how many messages of the sample each rule decided; nothing without messages.
    fn print_dry_run(&self) {
        if self.dry_run.messages == 0 {
            return;
        }
        let sessions =
            if self.sample.files == 1 { "session".to_owned() } else { format!("{} sessions", self.sample.files) };
        let title = format!("Rules, tried on your newest {sessions}");
        outln!("\n{}", styled(HEADING, &title));
        for (rule, count) in &self.dry_run.rules {
            outln!("  {count:>6}  {rule}");
        }
        let rest = self.dry_run.messages - self.dry_run.decided();
        outln!("  {rest:>6}  {}", styled(FAINT, "no rule: the model that the client asks for"));
        if 0 < self.dry_run.rejected {
            let text = format!("of them {} with a rule whose model could not take it", self.dry_run.rejected);
            outln!("          {}", styled(FAINT, &text));
        }
        outln!("  {:>6}  messages in all", self.dry_run.messages);
    }

    /// Returns the commands that the user can run next, each with its purpose.
    fn next_steps(&self) -> Vec<(String, &'static str)> {
        let mut steps = Vec::new();
        for found in &self.sample.found {
            let (name, purpose) = match found.kind {
                ClientKind::Codex => ("codex", "the decision for every turn of them"),
                _ => ("claude-code", "the decision for every turn of them"),
            };
            steps.push((format!("turnwise import {name}"), purpose));
        }
        if !self.sample.found.is_empty() {
            steps.push(("turnwise backtest".to_owned(), "what they would have cost"));
        }
        steps.push(("turnwise route \"commit this\"".to_owned(), "a decision, with its reasons"));
        steps.push(("turnwise rules check".to_owned(), "after editing the policy"));
        for client in self.clients.iter().filter(|client| client.program.is_some()) {
            match client.kind {
                ClientKind::ClaudeCode => steps.push(("turnwise claude".to_owned(), "Claude Code through the gateway")),
                ClientKind::Codex => steps.push(("turnwise codex".to_owned(), "Codex through the gateway")),
                _ => {}
            }
        }
        steps.push(("turnwise serve".to_owned(), "the gateway for your clients"));
        let has_claude_code = self.clients.iter().any(|client| client.kind == ClientKind::ClaudeCode);
        if has_claude_code {
            steps.push(("turnwise init --claude-code".to_owned(), "a status line: model, reason, cost"));
        }
        steps.push(("turnwise doctor".to_owned(), "checks keys, clients, gateway and log"));
        steps
    }
}

/// Formats a size in bytes: `12 MB`, or `340 kB` below one megabyte.
fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 { format!("{} kB", bytes.div_ceil(1_000)) } else { format!("{} MB", bytes / 1_000_000) }
}

/// Returns the environment variable that contains the API key of a provider.
fn key_variable(provider: &str) -> &'static str {
    match provider {
        "openai" => "OPENAI_API_KEY",
        "google" => "GEMINI_API_KEY",
        _ => "ANTHROPIC_API_KEY",
    }
}
