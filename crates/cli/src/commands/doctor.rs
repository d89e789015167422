//! `doctor`: checks policy, keys, clients, gateway, outages, log and machine, with the next step for each problem.

mod claude_code;
mod clients;
mod finding;
mod gateway;
mod keys;
mod log;
mod machine;
mod outages;
mod policy;

use serde_json::json;

use crate::{
    context::Context,
    failure::Failure,
    machine::{find_clients, load_providers},
    screen::{BAD, GOOD, HEADING, count_noun, escape_line, outln, styled, wrap},
};
use finding::{COLUMNS, Level};
use gateway::GatewayState;

/// Executes `turnwise doctor`: checks policy, keys, clients, gateway, outages, log and machine, and prints the findings. With
/// `online`, sends a request to each provider that has a key.
///
/// # Errors
/// [`Failure::Negative`] if there is a problem, after the findings were printed.
pub(super) fn run(context: &Context, online: bool) -> Result<(), Failure> {
    let providers = load_providers(&context.home);
    let installed = find_clients(context.home.user.as_deref());
    let gateway = GatewayState::find(context);
    let sections = [
        policy::check_policy(context, providers.as_ref().ok()),
        keys::check_keys(context, &providers, &installed, &gateway, online),
        clients::check_clients(context, &installed, &gateway),
        gateway::check_gateway(context, &gateway),
        outages::check_outages(context),
        log::check_log(context),
        machine::check_machine(context),
    ];
    let problems = sections.iter().map(|section| section.count(Level::Problem)).sum::<usize>();
    let version = env!("CARGO_PKG_VERSION");
    let json = json!({
        "ok": problems == 0, "version": version, "home": context.home.dir, "online": online, "sections": sections,
    });
    context.print(&json, || {
        let home = finding::short_path(context, &context.home.dir);
        let lines = wrap(&escape_line(&format!("{version}, home {home}")), COLUMNS - "turnwise ".len());
        outln!("{} {}\n", styled(HEADING, "turnwise"), lines.join("\n         "));
        for section in &sections {
            section.print();
        }
        outln!();
        if problems == 0 {
            outln!("{}", styled(GOOD, "no problem found"));
        } else {
            outln!("{}", styled(BAD, &count_noun(problems as u64, "problem")));
        }
        if !online {
            outln!("`turnwise doctor --online` also asks the providers whether they accept the keys.");
        }
    })?;
    if problems == 0 { Ok(()) } else { Err(Failure::Negative) }
}
