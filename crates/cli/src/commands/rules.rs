//! `rules`: check, show or test the policy.

mod check;

pub(super) use check::{key_remedy, registry_with_access, warning_text};

use std::{path::Path, sync::Arc};

use contracts::ModelId;
use control::{PolicyState, RefreshPolicy, Writer};
use engine::{Hits, Models, PolicyFile, check_expectations};
use router_core::schema_text;
use serde_json::json;

use crate::{
    arguments::RulesCommand,
    context::{Context, read_text},
    failure::Failure,
    screen::{BAD, FAINT, GOOD, Table, count_noun, out, outln, styled},
};

/// Executes a subcommand of `turnwise rules`, which checks, prints or tests the policy, or prints its JSON schema.
pub(super) fn run(context: &Context, command: RulesCommand) -> Result<(), Failure> {
    match command {
        RulesCommand::Check { file, strict } => check::check(context, file.as_deref(), strict),
        RulesCommand::Show => show_rules(context),
        RulesCommand::Reload => reload(context),
        RulesCommand::Test { file } => test(context, &file),
        RulesCommand::Schema => {
            out!("{}", schema_text());
            Ok(())
        }
    }
}

/// Reads the policy file again, in the running gateway if there is one, and prints which policy is active. Errors of the file
/// are a negative result.
fn reload(context: &Context) -> Result<(), Failure> {
    let mut writer = context.writer()?;
    let is_gateway = matches!(writer, Writer::Gateway(_));
    let state = writer.execute(RefreshPolicy {})?;
    writer.close()?;
    context.print(&state, || {
        let PolicyState { path, hash, rules, problems, .. } = &state;
        let active = format!("{}: {}", &hash[..12.min(hash.len())], count_noun(*rules, "rule"));
        if problems.is_empty() {
            outln!("{} {path} is active ({active})", styled(GOOD, "ok"));
            outln!("{}", styled(FAINT, "An edited policy is also read at the next turn."));
            if is_gateway {
                let text = "The gateway has also read `keys`, `models.yaml` and its providers again.";
                outln!("{}", styled(FAINT, text));
            }
            return;
        }
        for problem in problems {
            outln!("{path}: {problem}");
        }
        let count = count_noun(problems.len() as u64, "error");
        outln!("{}; the last valid policy stays active ({active})", styled(BAD, &count));
    })?;
    if state.problems.is_empty() { Ok(()) } else { Err(Failure::Negative) }
}

/// Loads the catalogue of models of the home folder.
fn load_models(context: &Context) -> Result<Models, Failure> {
    Ok(Models::load(&context.home.models())?)
}

/// Opens the active policy file.
pub(super) fn open_policy(context: &Context) -> Result<PolicyFile, Failure> {
    let registry = Arc::clone(&load_models(context)?.registry);
    PolicyFile::open(context.home.policy.clone(), context.home.user_text(), registry)
        .map_err(|error| engine::EngineError::from(error).into())
}

/// Prints the active policy: its rules with the number of turns that each decided, and its default models.
fn show_rules(context: &Context) -> Result<(), Failure> {
    let file = open_policy(context)?;
    let active = file.active();
    let policy = &active.policy;
    let rules: Vec<_> = policy.rules().collect();
    let hits = context.fold_state()?.rule_hits;
    let listed: Vec<_> = rules
        .iter()
        .map(|rule| json!({ "workspace": rule.workspace, "name": rule.name, "when": rule.when, "use": rule.models, "line": rule.line, "hits": hits.for_rule(rule.name) }))
        .collect();
    let defaults: Vec<_> = policy.global_defaults().collect();
    let json = json!({ "file": active.path, "hash": active.hash, "global_default": defaults, "rules": listed });
    context.print(&json, || {
        outln!("Policy {} ({})", active.path, &active.hash.to_string()[..12]);
        if !rules.is_empty() {
            outln!();
            let mut table = Table::new(&[">LINE", "RULE", "WHEN", "USE", ">HITS", ">IMPORTED"]);
            for rule in &rules {
                let name = rule.workspace.map_or_else(|| rule.name.to_owned(), |path| format!("{path}: {}", rule.name));
                let Hits { live, imported, .. } = hits.for_rule(rule.name);
                table.add_row([
                    rule.line.to_string(),
                    name,
                    rule.when.clone(),
                    join_ids(rule.models.iter().copied()),
                    live.to_string(),
                    imported.to_string(),
                ]);
            }
            table.print();
        }
        if defaults.is_empty() {
            outln!("\nEverything else is refused: the policy has no global_default.");
        } else {
            outln!("\nEverything else: {}", join_ids(defaults.iter().copied()));
        }
    })
}

/// Formats models in the order in which they are tried: `a, then b`.
fn join_ids<'a>(models: impl Iterator<Item = &'a ModelId>) -> String {
    models.map(ModelId::as_str).collect::<Vec<_>>().join(", then ")
}

/// Runs the tests of a policy in a YAML file, and prints the result of each. Fails if a test fails.
fn test(context: &Context, path: &Path) -> Result<(), Failure> {
    let file = open_policy(context)?;
    let text = read_text(path)?;
    let checked = check_expectations(&path.display().to_string(), &text, &file.active().policy)
        .map_err(|error| Failure::Invalid(error.to_string()))?;
    let failed = checked.iter().filter(|test| !test.differences.is_empty()).count();
    context.print(&json!({ "passed": checked.len() - failed, "failed": failed, "tests": checked }), || {
        for test in &checked {
            if test.differences.is_empty() {
                outln!("{}   {}", styled(GOOD, "ok"), test.name);
                continue;
            }
            outln!("{} {}", styled(BAD, "FAIL"), test.name);
            for difference in &test.differences {
                outln!("       {difference}");
            }
            for line in test.why.lines().filter(|line| !line.is_empty()) {
                outln!("       {}", styled(FAINT, line));
            }
        }
        outln!("{} passed, {failed} failed", checked.len() - failed);
    })?;
    if failed == 0 { Ok(()) } else { Err(Failure::Negative) }
}
