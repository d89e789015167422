//! The output of `init`.

use std::path::Path;

use serde_json::{Value, json};

use super::{dry_run::DryRun, starter::Choice};
use crate::{
    machine::{Client, ClientKind, KeySource, Sample},
    screen::{FAINT, GOOD, HEADING, NOTICE, count_noun, styled},
};

/// The most models that are listed.
const MAX_MODELS: usize = 4;

/// Everything that `init` found and did.
pub(super) struct Report<'a> {
    pub(super) policy: &'a Path,
    pub(super) schema: &'a Path,
    /// Whether a policy file was replaced.
    pub(super) replaced: bool,
    pub(super) choice: &'a Choice,
    pub(super) keys: &'a [KeySource],
    pub(super) clients: &'a [Client],
    pub(super) sample: &'a Sample,
    pub(super) models: &'a [(String, usize)],
    pub(super) dry_run: &'a DryRun,
}

impl Report<'_> {
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

    pub(super) fn print(&self) {
        let provider = self.choice.family.provider;
        let wrote = if self.replaced { "replaced" } else { "wrote" };
        anstream::println!("{} {}", styled(GOOD, wrote), self.policy.display());
        anstream::println!("      with models of {provider}: {}", self.choice.because);
        for other in &self.choice.others {
            anstream::println!("      and of {} for requests that those cannot take", other.provider);
        }
        anstream::println!("{} {}", styled(GOOD, "wrote"), self.schema.display());
        anstream::println!("      for completion in editors");
        self.print_found();
        self.print_dry_run();
        anstream::println!("\n{}", styled(HEADING, "Next"));
        for (command, purpose) in self.next_steps() {
            anstream::println!("  {command:<34} {purpose}");
        }
    }

    fn print_found(&self) {
        anstream::println!("\n{}", styled(HEADING, "Found"));
        for key in self.keys {
            anstream::println!("  key       {} in {}", key.provider, key.place);
        }
        for client in self.clients {
            let login = if client.has_login { ", logged in" } else { "" };
            let program =
                client.program.as_ref().map_or_else(|| "not on the PATH".to_owned(), |path| path.display().to_string());
            anstream::println!("  client    {} ({program}{login})", client.kind.title());
        }
        for found in &self.sample.found {
            let files = count_noun(found.files as u64, "session file");
            let size = megabytes(found.bytes);
            anstream::println!("  sessions  {files} of {}, {size}", found.kind.title());
        }
        for (model, turns) in self.models.iter().take(MAX_MODELS) {
            anstream::println!("  model     {model} in {}", count_noun(*turns as u64, "turn"));
        }
        if self.sample.found.is_empty() {
            anstream::println!("  no sessions of Claude Code or Codex");
        }
        if self.keys.is_empty() {
            anstream::println!("  no provider key");
        }
        if !self.choice.has_access {
            let variable = key_variable(self.choice.family.provider);
            let text = format!("To send requests, set {variable}, or use a client that sends its own key.");
            anstream::println!("  {}", styled(NOTICE, &text));
        }
    }

    fn print_dry_run(&self) {
        if self.dry_run.messages == 0 {
            return;
        }
        let sessions =
            if self.sample.files == 1 { "session".to_owned() } else { format!("{} sessions", self.sample.files) };
        let title = format!("Rules, tried on your newest {sessions}");
        anstream::println!("\n{}", styled(HEADING, &title));
        for (rule, count) in &self.dry_run.rules {
            anstream::println!("  {count:>6}  {rule}");
        }
        let rest = self.dry_run.messages - self.dry_run.decided();
        anstream::println!("  {rest:>6}  {}", styled(FAINT, "no rule: the model that the client asks for"));
        if 0 < self.dry_run.rejected {
            let text = format!("of them {} with a rule whose model could not take it", self.dry_run.rejected);
            anstream::println!("          {}", styled(FAINT, &text));
        }
        anstream::println!("  {:>6}  messages in all", self.dry_run.messages);
    }

    /// Returns the commands to run next, each with its purpose.
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
        steps
    }
}

/// Formats a size: `12 MB`, or `340 kB` below one megabyte.
fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 { format!("{} kB", bytes.div_ceil(1_000)) } else { format!("{} MB", bytes / 1_000_000) }
}

/// Returns the environment variable of a provider's key.
fn key_variable(provider: &str) -> &'static str {
    match provider {
        "openai" => "OPENAI_API_KEY",
        "google" => "GEMINI_API_KEY",
        _ => "ANTHROPIC_API_KEY",
    }
}
