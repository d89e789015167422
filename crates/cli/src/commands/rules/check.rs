//! `rules check`: lists the errors of a policy file, and warns about what has no effect.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use adapters::{Providers, read_own_file};
use catalogue::{load_registry, reassigned_aliases};
use contracts::{ModelSpec, Registry};
use engine::{BUILT_IN_POLICY, EngineError, LostRules, Models, last_policy, parse_policy};
use router_core::{Policy, Problem, Warning, warnings};
use serde_json::json;
use skills::SkillSettings;

use crate::{
    context::Context,
    failure::Failure,
    machine::{Client, find_clients, load_providers},
    screen::{BAD, FAINT, GOOD, NOTICE, count_noun, outln, styled},
};

/// The number of rules that are listed with the cost of their regular expressions.
const NAMED_RULES: usize = 3;

/// The cost of regular expressions is shown from this share of the limit on, as a divisor: a tenth.
const SHOWN_SHARE: u64 = 10;

/// Checks a policy file, the active one if `file` is `None`, and prints its errors and warnings. The result of the
/// command is negative if there are errors, or, with `strict`, warnings.
pub(super) fn check(context: &Context, file: Option<&Path>, strict: bool) -> Result<(), Failure> {
    let path = file.unwrap_or(&context.home.policy);
    let is_built_in = file.is_none() && !path.exists();
    let text = if is_built_in {
        BUILT_IN_POLICY.to_owned()
    } else {
        read_own_file(path).map_err(|error| Failure::file("read", path, &error))?
    };
    let shown = if is_built_in { "the built-in policy".to_owned() } else { path.display().to_string() };
    let providers = load_providers(&context.home)?;
    let registry = Arc::new(registry_with_access(context, &providers)?);
    match parse_policy(&text, Arc::clone(&registry), context.home.user_text()) {
        Ok(policy) => {
            let lost = if file.is_none() { lost_rules(context, &policy, registry)? } else { None };
            if is_built_in && !context.json {
                let path = path.display();
                outln!("There is no {path}: the built-in policy is active.");
                outln!("`turnwise init` writes a policy of your own.");
            }
            let access = Access { providers: &providers, lost };
            print_warnings(context, path, &shown, &policy, &access, strict)
        }
        Err(problems) => {
            print_problems(context, path, &shown, &problems)?;
            Err(Failure::Negative)
        }
    }
}

/// What the warnings about a policy depend on besides its text.
struct Access<'a> {
    providers: &'a Providers,
    /// The loss of rules against the policy that was active last; `None` if few or none were lost.
    lost: Option<LostRules>,
}

/// Compares the number of rules with the last active policy.
fn lost_rules(context: &Context, policy: &Policy, registry: Arc<Registry>) -> Result<Option<LostRules>, Failure> {
    let Some(text) = last_policy(context.log_reader()?.as_ref(), context.texts().as_ref())? else { return Ok(None) };
    let before = Policy::load(&text, registry, context.home.user_text()).ok();
    Ok(before.and_then(|before| LostRules::between(&before, policy)))
}

/// Returns the catalogue of models. Models whose provider has a key, or a client that is logged in, are marked as
/// `configured`.
pub(in crate::commands) fn registry_with_access(context: &Context, providers: &Providers) -> Result<Registry, Failure> {
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

/// Prints the warnings about a valid policy, such as rules that cannot fire. `shown` is the path of the policy for
/// messages.
fn print_warnings(
    context: &Context,
    path: &Path,
    shown: &str,
    policy: &Policy,
    access: &Access<'_>,
    strict: bool,
) -> Result<(), Failure> {
    let Access { providers, lost } = access;
    let rules = policy.rules().count() as u64;
    let of_policy = warnings(policy, Some(&client_names(context)?));
    let of_policy = of_policy.iter().map(|warning| (warning.line(), warning_text(warning, providers)));
    let aliases = reassigned_aliases(&load_registry(None).map_err(EngineError::from)?, policy.registry());
    let lost = lost.iter().map(|lost| (None, lost.to_string()));
    let skills = skill_model_warning(policy).map(|warning| (None, warning));
    let warnings: Vec<_> =
        lost.chain(of_policy).chain(skills).chain(aliases.iter().map(|alias| (None, alias.to_string()))).collect();
    let listed: Vec<_> = warnings.iter().map(|(line, text)| json!({ "line": line, "message": text })).collect();
    let ok = warnings.is_empty() || !strict;
    let cost = policy.text_cost();
    let expensive: Vec<_> = cost.rules.iter().take(NAMED_RULES).collect();
    let matching = json!({
        "micros_per_kib": cost.micros_per_kib, "limit_micros_per_kib": cost.limit_micros_per_kib,
        "rules": expensive.iter().map(|rule| json!({
            "name": rule.name, "line": rule.line, "micros_per_kib": rule.micros_per_kib,
        })).collect::<Vec<_>>(),
    });
    let result = json!({ "ok": ok, "file": path, "rules": rules, "warnings": listed, "matching": matching });
    context.print(&result, || {
        for (_, text) in &warnings {
            outln!("{} {text}", styled(NOTICE, "warning:"));
        }
        let rules = count_noun(rules, "rule");
        if warnings.is_empty() {
            outln!("{} {shown}: {rules}", styled(GOOD, "ok"));
        } else {
            let count = count_noun(warnings.len() as u64, "warning");
            outln!("{shown}: {rules}, {}", styled(NOTICE, &count));
        }
        if cost.limit_micros_per_kib <= cost.micros_per_kib.saturating_mul(SHOWN_SHARE) {
            let milliseconds = |micros: u64| format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100);
            let (most, limit) = (milliseconds(cost.micros_per_kib), milliseconds(cost.limit_micros_per_kib));
            outln!("Matching takes at most {most} per KiB of a message (limit {limit}). Most expensive:");
            for rule in expensive {
                outln!("  {:>8}  {} (line {})", milliseconds(rule.micros_per_kib), rule.name, rule.line);
            }
        }
    })?;
    if ok { Ok(()) } else { Err(Failure::Negative) }
}

/// Returns the warning about a policy that has a model asked which skill fits, although none can be asked; `None` if the layer
/// is off or a model can be asked.
fn skill_model_warning(policy: &Policy) -> Option<String> {
    let settings = SkillSettings::of_policy(policy).ok().filter(|settings| settings.layers.llm)?;
    let obstacle = settings.llm.obstacle(policy)?;
    Some(format!("`skills.layers.llm` is on, but no model is asked: {obstacle}"))
}

/// Returns the names of the clients that are installed on this machine or have turns in the log.
fn client_names(context: &Context) -> Result<BTreeSet<String>, Failure> {
    let installed = find_clients(context.home.user.as_deref());
    let mut names: BTreeSet<_> = installed.iter().map(|client| client.kind.name().to_owned()).collect();
    if context.home.log().exists() {
        names.extend(context.fold_state()?.costs.clients().map(str::to_owned));
    }
    Ok(names)
}

/// Formats a warning about a policy; that about a missing key names the environment variable.
pub(in crate::commands) fn warning_text(warning: &Warning, providers: &Providers) -> String {
    let Warning::NoAccess { provider, .. } = warning else { return warning.to_string() };
    format!("{warning}: {}", key_remedy(providers, provider))
}

/// Returns what gives access to a provider that has no key.
pub(in crate::commands) fn key_remedy(providers: &Providers, provider: &str) -> String {
    let variable = providers.get(provider).and_then(|provider| provider.key_env.as_deref());
    variable.map_or_else(
        || "add the provider to gateway.yaml".to_owned(),
        |variable| format!("set {variable}, or use a client that sends its own key"),
    )
}

/// Prints the errors of an invalid policy, with their lines. `shown` is the path of the policy for messages.
fn print_problems(context: &Context, path: &Path, shown: &str, problems: &[Problem]) -> Result<(), Failure> {
    let listed: Vec<_> = problems
        .iter()
        .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }))
        .collect();
    context.print(&json!({ "ok": false, "file": path, "problems": listed }), || {
        for problem in problems {
            let place = format!("{shown}:{}:{}:", problem.line, problem.column);
            outln!("{} {} {}", styled(FAINT, &place), styled(BAD, "error:"), problem.message);
        }
        let count = count_noun(problems.len() as u64, "error");
        outln!("{count}; a running gateway keeps the last valid policy");
    })
}
