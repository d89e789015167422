//! `backtest`: estimates the cost of the recorded turns under other policies.

mod show;

use std::{path::Path, sync::Arc};

use engine::Models;
use event_bus::TextFiles;
use router_core::Policy;
use serde_json::json;
use what_if::{Backtest, Baseline, Candidate, Report, TurnRow, backtest, html, write_csv};

use super::range::parse_range;
use crate::{
    arguments::BacktestArguments,
    context::{Context, read_text},
    failure::Failure,
    interrupt::Interrupt,
    screen::{event_bar, print_text},
};

/// Executes `turnwise backtest`: decides recorded turns again under other policies, and prints what that would have
/// cost. Writes the HTML report if a file is named for it.
pub(super) fn run(context: &Context, arguments: &BacktestArguments) -> Result<(), Failure> {
    let models = Models::load(&context.home.models())?.registry;
    let options = Backtest {
        candidates: candidates(context, arguments, &models)?,
        against: match arguments.against.as_str() {
            "recorded" => Baseline::Recorded,
            file => Baseline::Policy(load_candidate(context, Path::new(file), &models)?),
        },
        range: parse_range(&arguments.range)?,
        models,
    };
    let (report, rows) = run_backtest(context, arguments, &options)?;
    if report.turns == 0 && report.excluded.is_empty() {
        let next = "`turnwise import claude-code` brings in sessions";
        return Err(Failure::Invalid(format!("the log has no turn in that range; {next}")));
    }
    if let Some(path) = &arguments.html {
        std::fs::write(path, html(&report)).map_err(|error| Failure::file("write", path, &error))?;
        context.print_note(&format!("the report is in {}", path.display()));
    }
    if arguments.csv {
        let names: Vec<_> = options.candidates.iter().map(|candidate| candidate.name.clone()).collect();
        let mut csv = Vec::new();
        write_csv(&mut csv, &names, &rows)
            .map_err(|error| Failure::Failed(format!("cannot write the table: {error}")))?;
        print_text(&String::from_utf8_lossy(&csv));
        return Ok(());
    }
    context.print(&json!({ "report": report, "turns": rows }), || show::report(&report, &rows, &options, arguments.all))
}

/// Runs a backtest in one pass over the log. Returns the report and the rows of the turns that will be printed.
fn run_backtest(
    context: &Context,
    arguments: &BacktestArguments,
    options: &Backtest,
) -> Result<(Report, Vec<TurnRow>), Failure> {
    let log = context.log_reader()?;
    let texts = TextFiles::open(context.home.log());
    let bar = event_bar(log.head()?.0, "trying");
    if context.json || arguments.csv {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let keeps_all = context.json || arguments.csv || arguments.all;
    let interrupt = Interrupt::listen();
    let mut rows = Vec::new();
    let mut keep_row = |row: &TurnRow| {
        if keeps_all || row.new.iter().any(|new| new.model != row.old.model) {
            rows.push(row.clone());
        }
    };
    let report = backtest(log.as_ref(), &texts, options, &mut keep_row, &mut |position| {
        bar.set_position(position.0);
        !interrupt.was_pressed()
    })?;
    bar.finish_and_clear();
    Ok((report, rows))
}

/// Loads the policies to compare: the files of `--policy`, or else the active policy. With `--sweep`, each is loaded
/// once for every value.
///
/// # Errors
/// [`Failure::Invalid`] if a policy is invalid, or if there is neither an active policy nor `--policy`;
/// [`Failure::Failed`] if a file cannot be read.
fn candidates(
    context: &Context,
    arguments: &BacktestArguments,
    models: &Arc<contracts::Registry>,
) -> Result<Vec<Candidate>, Failure> {
    let own = [context.home.policy.clone()];
    let files = if arguments.policy.is_empty() { &own[..] } else { &arguments.policy[..] };
    if arguments.policy.is_empty() && !context.home.policy.exists() {
        return Err(Failure::Invalid(format!(
            "there is no policy at `{}`: `turnwise init` writes one, `--policy FILE` names another",
            context.home.policy.display()
        )));
    }
    let Some(sweep) = &arguments.sweep else {
        return files.iter().map(|file| load_candidate(context, file, models)).collect();
    };
    let mut candidates = Vec::new();
    for file in files {
        let text = read_text(file)?;
        let invalid = |error: what_if::SweepError| Failure::Invalid(format!("`{}`: {error}", file.display()));
        for (name, text) in sweep.variants(&text).map_err(invalid)? {
            let name = if files.len() == 1 { name } else { format!("{} {name}", file.display()) };
            candidates.push(parse_candidate(context, file, name, &text, models)?);
        }
    }
    Ok(candidates)
}

/// Loads a policy file as a candidate of the backtest, with the path as its name.
fn load_candidate(context: &Context, file: &Path, models: &Arc<contracts::Registry>) -> Result<Candidate, Failure> {
    parse_candidate(context, file, file.display().to_string(), &read_text(file)?, models)
}

/// Parses the text of a policy as a candidate of the backtest. The error lists the problems of the policy.
fn parse_candidate(
    context: &Context,
    file: &Path,
    name: String,
    text: &str,
    models: &Arc<contracts::Registry>,
) -> Result<Candidate, Failure> {
    let user = context.home.user.as_deref().and_then(Path::to_str);
    let policy = Policy::load(text, Arc::clone(models), user).map_err(|problems| {
        let problems: Vec<_> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        Failure::Invalid(format!("`{}` cannot be used:{}", file.display(), problems.concat()))
    })?;
    Ok(Candidate { name, policy: Arc::new(policy) })
}
