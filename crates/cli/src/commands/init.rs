//! `init`: writes a starter policy for the keys, clients and sessions of this machine, and tries its rules on them.

mod claude_code;
mod dry_run;
mod own_command;
mod prompt_hook;
mod report;
mod starter;
mod status_line;

use std::path::PathBuf;

use adapters::{create_own_folder, write_own_file};
use router_core::schema_text;

use crate::{
    context::Context,
    failure::Failure,
    machine::{Sample, find_clients, find_keys, load_providers},
};
pub(super) use claude_code::{SettingsScope, install, remove, user_has_hook, user_settings};
use dry_run::DryRun;
pub(super) use own_command::program_of;
pub(super) use prompt_hook::find_prompt_hooks;
use report::Report;
pub(crate) use starter::FAMILIES;
use starter::choose;
pub(crate) use starter::starter_policy;
pub(super) use status_line::{find_status_line, is_own_status_line};

/// Executes `turnwise init`: writes a starter policy that fits the API keys and coding agents of this machine, and
/// tries it on recorded sessions. An existing policy is only replaced with `force`.
pub(super) fn run(context: &Context, force: bool) -> Result<(), Failure> {
    let home = &context.home;
    let exists = home.policy.exists();
    if exists && !force {
        let path = home.policy.display();
        return Err(Failure::Invalid(format!(
            "`{path}` exists already; `init --force` replaces it, `turnwise rules check` checks it"
        )));
    }
    let keys = find_keys(home, &load_providers(home)?);
    let clients = find_clients(home.user.as_deref());
    let sample = Sample::read(home.user.as_deref());
    let models = sample.models();
    let choice = choose(&keys, &clients, &models);
    create_own_folder(&home.dir).map_err(|error| Failure::file("create", &home.dir, &error))?;
    let write = |path: &PathBuf, text: &str| {
        write_own_file(path, text.as_bytes()).map_err(|error| Failure::file("write", path, &error))
    };
    write(&home.policy, &starter_policy(choice.family, &choice.others))?;
    write(&home.schema(), &schema_text())?;
    let dry_run = DryRun::of(&sample, home)?;
    let report = Report {
        policy: &home.policy,
        schema: &home.schema(),
        replaced: exists,
        choice: &choice,
        keys: &keys,
        clients: &clients,
        sample: &sample,
        models: &models,
        dry_run: &dry_run,
    };
    context.print(&report.json(), || report.print())
}
