//! `rules check`: lists the errors of a policy file, and warns about what has no effect.

use std::{path::Path, sync::Arc};

use adapters::Providers;
use contracts::{ModelSpec, Registry};
use engine::{BUILT_IN_POLICY, Models};
use router_core::{Policy, Problem, Warning, warnings};
use serde_json::json;

use crate::{
    context::{Context, read_text},
    failure::Failure,
    machine::{Client, find_clients, load_providers},
    screen::{BAD, FAINT, GOOD, NOTICE, count_noun, styled},
};

/// Checks a policy file, the active one if `file` is `None`. Errors are a negative result; warnings are one if `strict`.
pub(super) fn check(context: &Context, file: Option<&Path>, strict: bool) -> Result<(), Failure> {
    let path = file.unwrap_or(&context.home.policy);
    let is_built_in = file.is_none() && !path.exists();
    let text = if is_built_in { BUILT_IN_POLICY.to_owned() } else { read_text(path)? };
    let shown = if is_built_in { "the built-in policy".to_owned() } else { path.display().to_string() };
    let providers = load_providers(&context.home)?;
    match Policy::load(&text, Arc::new(registry_with_access(context, &providers)?), context.home.user_text()) {
        Ok(policy) => {
            if is_built_in && !context.json {
                let path = path.display();
                anstream::println!("There is no {path}: the built-in policy is active.");
                anstream::println!("`turnwise init` writes a policy of your own.");
            }
            print_warnings(context, path, &shown, &policy, &providers, strict)
        }
        Err(problems) => {
            print_problems(context, path, &shown, &problems)?;
            Err(Failure::Negative)
        }
    }
}

/// Returns the models, of which those with a key are `configured`, and those of providers whose client is logged in.
fn registry_with_access(context: &Context, providers: &Providers) -> Result<Registry, Failure> {
    let registry = Models::load(&context.home.models())?.registry;
    let clients = find_clients(context.home.user.as_deref());
    let logins: Vec<_> =
        clients.iter().filter(|client| client.has_login).filter_map(|client: &Client| client.kind.provider()).collect();
    let with_keys = providers.apply(&registry);
    let models: Vec<_> = with_keys
        .iter()
        .cloned()
        .map(|model| ModelSpec { configured: model.configured || logins.contains(&model.provider.as_str()), ..model })
        .collect();
    // No name has changed, so each still belongs to one model and the error cannot occur.
    Ok(Registry::new(models).unwrap_or(with_keys))
}

/// Prints the warnings about a valid policy.
fn print_warnings(
    context: &Context,
    path: &Path,
    shown: &str,
    policy: &Policy,
    providers: &Providers,
    strict: bool,
) -> Result<(), Failure> {
    let (rules, warnings) = (policy.rules().count() as u64, warnings(policy));
    let texts: Vec<_> = warnings.iter().map(|warning| warning_text(warning, providers)).collect();
    let listed: Vec<_> =
        warnings.iter().zip(&texts).map(|(warning, text)| json!({ "line": warning.line(), "message": text })).collect();
    let ok = warnings.is_empty() || !strict;
    context.print(&json!({ "ok": ok, "file": path, "rules": rules, "warnings": listed }), || {
        for text in &texts {
            anstream::println!("{} {text}", styled(NOTICE, "warning:"));
        }
        let rules = count_noun(rules, "rule");
        if warnings.is_empty() {
            anstream::println!("{} {shown}: {rules}", styled(GOOD, "ok"));
        } else {
            let count = count_noun(warnings.len() as u64, "warning");
            anstream::println!("{shown}: {rules}, {}", styled(NOTICE, &count));
        }
    })?;
    if ok { Ok(()) } else { Err(Failure::Negative) }
}

/// Formats a warning, with the variable of a missing key.
fn warning_text(warning: &Warning, providers: &Providers) -> String {
    let Warning::NoAccess { provider, .. } = warning else { return warning.to_string() };
    let variable = providers.get(provider).and_then(|provider| provider.key_env.as_deref());
    let remedy = variable.map_or_else(
        || "add the provider to gateway.yaml".to_owned(),
        |variable| format!("set {variable}, or use a client that sends its own key"),
    );
    format!("{warning}: {remedy}")
}

/// Prints the errors of an invalid policy.
fn print_problems(context: &Context, path: &Path, shown: &str, problems: &[Problem]) -> Result<(), Failure> {
    let listed: Vec<_> = problems
        .iter()
        .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }))
        .collect();
    context.print(&json!({ "ok": false, "file": path, "problems": listed }), || {
        for problem in problems {
            let place = format!("{shown}:{}:{}:", problem.line, problem.column);
            anstream::println!("{} {} {}", styled(FAINT, &place), styled(BAD, "error:"), problem.message);
        }
        let count = count_noun(problems.len() as u64, "error");
        anstream::println!("{count}; a running gateway keeps the last valid policy");
    })
}
