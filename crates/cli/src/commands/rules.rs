//! `rules`: check, show or test the policy.

mod check;

use std::{path::Path, sync::Arc};

use contracts::ModelId;
use engine::{Hits, Models, PolicyFile, check_expectations};
use router_core::schema_text;
use serde_json::json;

use crate::{
    arguments::RulesCommand,
    context::{Context, read_text},
    failure::Failure,
    screen::{BAD, FAINT, GOOD, Table, styled},
};

pub(super) fn run(context: &Context, command: RulesCommand) -> Result<(), Failure> {
    match command {
        RulesCommand::Check { file, strict } => check::check(context, file.as_deref(), strict),
        RulesCommand::Show => show(context),
        RulesCommand::Test { file } => test(context, &file),
        RulesCommand::Schema => {
            print!("{}", schema_text());
            Ok(())
        }
    }
}

/// Loads the models of the home folder.
fn load_models(context: &Context) -> Result<Models, Failure> {
    Ok(Models::load(&context.home.models())?)
}

/// Opens the active policy.
pub(super) fn open_policy(context: &Context) -> Result<PolicyFile, Failure> {
    let registry = Arc::clone(&load_models(context)?.registry);
    PolicyFile::open(context.home.policy.clone(), context.home.user_text(), registry)
        .map_err(|error| engine::EngineError::from(error).into())
}

fn show(context: &Context) -> Result<(), Failure> {
    let file = open_policy(context)?;
    let active = file.active();
    let policy = &active.policy;
    let rules: Vec<_> = policy.rules().collect();
    let hits = context.fold_state()?.rule_hits;
    let listed: Vec<_> = rules
        .iter()
        .map(|rule| json!({ "workspace": rule.workspace, "name": rule.name, "when": rule.when, "use": rule.models, "line": rule.line, "hits": hits.of(rule.name) }))
        .collect();
    let defaults: Vec<_> = policy.global_defaults().collect();
    let json = json!({ "file": active.path, "hash": active.hash, "global_default": defaults, "rules": listed });
    context.print(&json, || {
        anstream::println!("Policy {} ({})", active.path, &active.hash.to_string()[..12]);
        if !rules.is_empty() {
            anstream::println!();
            let mut table = Table::new(&[">LINE", "RULE", "WHEN", "USE", ">HITS", ">IMPORTED"]);
            for rule in &rules {
                let name = rule.workspace.map_or_else(|| rule.name.to_owned(), |path| format!("{path}: {}", rule.name));
                let Hits { live, imported, .. } = hits.of(rule.name);
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
            anstream::println!("\nEverything else is refused: the policy has no global_default.");
        } else {
            anstream::println!("\nEverything else: {}", join_ids(defaults.iter().copied()));
        }
    })
}

/// Formats models in the order in which they are tried: `a, then b`.
fn join_ids<'a>(models: impl Iterator<Item = &'a ModelId>) -> String {
    models.map(ModelId::as_str).collect::<Vec<_>>().join(", then ")
}

fn test(context: &Context, path: &Path) -> Result<(), Failure> {
    let file = open_policy(context)?;
    let text = read_text(path)?;
    let checked = check_expectations(&path.display().to_string(), &text, &file.active().policy)
        .map_err(|error| Failure::Invalid(error.to_string()))?;
    let failed = checked.iter().filter(|test| !test.differences.is_empty()).count();
    context.print(&json!({ "passed": checked.len() - failed, "failed": failed, "tests": checked }), || {
        for test in &checked {
            if test.differences.is_empty() {
                anstream::println!("{}   {}", styled(GOOD, "ok"), test.name);
                continue;
            }
            anstream::println!("{} {}", styled(BAD, "FAIL"), test.name);
            for difference in &test.differences {
                anstream::println!("       {difference}");
            }
            for line in test.why.lines().filter(|line| !line.is_empty()) {
                anstream::println!("       {}", styled(FAINT, line));
            }
        }
        anstream::println!("{} passed, {failed} failed", checked.len() - failed);
    })?;
    if failed == 0 { Ok(()) } else { Err(Failure::Negative) }
}
