//! `init`: writes a starter policy, and reports the sessions and keys found on this machine.

use std::{env, fs, path::PathBuf};

use router_core::schema_text;
use serde_json::json;
use transcripts::claude_code;

use crate::{
    context::Context,
    failure::Failure,
    screen::{GOOD, count_noun, styled},
};

/// The starter policy: valid and commented.
pub(crate) const STARTER_POLICY: &str = include_str!("starter_routing.yaml");

/// Environment variables that hold keys, with their provider. Only their presence is checked.
const KEYS: [(&str, &str); 4] = [
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("openai", "OPENAI_API_KEY"),
    ("google", "GEMINI_API_KEY"),
    ("google", "GOOGLE_API_KEY"),
];

pub(super) fn run(context: &Context, force: bool) -> Result<(), Failure> {
    let home = &context.home;
    let exists = home.policy.exists();
    if exists && !force {
        let path = home.policy.display();
        return Err(Failure::Invalid(format!(
            "`{path}` is there already; --force replaces it, `turnwise rules check` checks it"
        )));
    }
    fs::create_dir_all(&home.dir).map_err(|error| Failure::file("create", &home.dir, &error))?;
    let write =
        |path: &PathBuf, text: &str| fs::write(path, text).map_err(|error| Failure::file("write", path, &error));
    write(&home.policy, STARTER_POLICY)?;
    write(&home.schema(), &schema_text())?;
    let keys: Vec<_> = KEYS.iter().filter(|(_, name)| env::var_os(name).is_some()).collect();
    let folder = home.user.as_deref().map(claude_sessions);
    let sessions = folder.as_ref().and_then(|folder| claude_code::discover(folder).ok());
    let bytes: u64 = sessions.iter().flatten().map(|file| file.bytes).sum();
    let count = sessions.as_ref().map_or(0, Vec::len);
    let json = json!({
        "policy": home.policy, "schema": home.schema(), "replaced": exists,
        "found": { "claude_code_sessions": count, "claude_code_bytes": bytes, "keys": keys.iter().map(|(_, name)| name).collect::<Vec<_>>() },
    });
    context.print(&json, || {
        anstream::println!("{} {}", styled(GOOD, "wrote"), home.policy.display());
        anstream::println!("{} {} (editors complete the policy by it)", styled(GOOD, "wrote"), home.schema().display());
        match (&folder, count) {
            (Some(folder), 1..) => {
                let megabytes = bytes.div_ceil(1_000_000);
                let files = count_noun(count as u64, "Claude Code session file");
                anstream::println!("found {files} ({megabytes} MB) in {}", folder.display());
            }
            _ => anstream::println!("found no Claude Code sessions"),
        }
        if keys.is_empty() {
            anstream::println!("found no provider key in the environment; none is needed to decide and explain");
        }
        for (provider, name) in &keys {
            anstream::println!("found a key for {provider} in {name}");
        }
        anstream::println!("\nNext:");
        anstream::println!("  turnwise rules check                 check the policy after editing it");
        anstream::println!("  turnwise route \"/commit fix the bug\"  see what would be decided, and why");
        if 0 < count {
            anstream::println!("  turnwise import claude-code          decide every turn of your own sessions");
        }
    })
}

/// Returns the folder with the session files of Claude Code.
pub(super) fn claude_sessions(user: &std::path::Path) -> PathBuf {
    user.join(".claude").join("projects")
}
