//! `backtest`: estimates the cost of the recorded turns under other policies.

mod show;

use std::{
    io::{self, Write as _},
    path::Path,
    sync::Arc,
};

use engine::Models;
use event_bus::TextFiles;
use router_core::Policy;
use serde_json::json;
use what_if::{Backtest, Baseline, Candidate, Report, TurnRow, backtest, html, write_csv};

use super::range::range;
use crate::{
    arguments::BacktestArguments, context::Context, failure::Failure, interrupt::Interrupt, screen::event_bar,
};

pub(super) fn run(context: &Context, arguments: &BacktestArguments) -> Result<(), Failure> {
    let models = Models::load(&context.home.models())?.registry;
    let question = Backtest {
        candidates: candidates(context, arguments, &models)?,
        against: match arguments.against.as_str() {
            "recorded" => Baseline::Recorded,
            file => Baseline::Policy(read(context, Path::new(file), &models)?),
        },
        range: range(&arguments.range)?,
        models,
    };
    let (report, rows) = ask(context, arguments, &question)?;
    if report.turns == 0 && report.unjudged.is_empty() {
        let next = "`turnwise import claude-code` brings in sessions";
        return Err(Failure::Invalid(format!("the log has no turn in that range; {next}")));
    }
    if let Some(path) = &arguments.html {
        std::fs::write(path, html(&report)).map_err(|error| Failure::file("write", path, &error))?;
        context.notice(&format!("the report is in {}", path.display()));
    }
    if arguments.csv {
        let names: Vec<_> = question.candidates.iter().map(|candidate| candidate.name.clone()).collect();
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = write_csv(&mut out, &names, &rows).and_then(|()| out.flush());
        return written.map_err(|error| Failure::Failed(format!("cannot write to the standard output: {error}")));
    }
    context
        .print(&json!({ "report": report, "turns": rows }), || show::report(&report, &rows, &question, arguments.all))
}

/// Runs the backtest in one walk over the log. Returns the report and the rows that will be printed.
fn ask(
    context: &Context,
    arguments: &BacktestArguments,
    question: &Backtest,
) -> Result<(Report, Vec<TurnRow>), Failure> {
    let log = context.read_only()?;
    let texts = TextFiles::open(context.home.log());
    let bar = event_bar(log.head()?.0, "trying");
    if context.json || arguments.csv {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let everything = context.json || arguments.csv || arguments.all;
    let interrupt = Interrupt::listen();
    let mut rows = Vec::new();
    let mut keep = |row: &TurnRow| {
        if everything || row.new.iter().any(|new| new.model != row.old.model) {
            rows.push(row.clone());
        }
    };
    let report = backtest(log.as_ref(), &texts, question, &mut keep, &mut |position| {
        bar.set_position(position.0);
        !interrupt.pressed()
    })?;
    bar.finish_and_clear();
    Ok((report, rows))
}

/// Loads the policies to try: the files of `--policy` or else the active policy, each once per value of `--sweep`.
fn candidates(
    context: &Context,
    arguments: &BacktestArguments,
    models: &Arc<contracts::Registry>,
) -> Result<Vec<Candidate>, Failure> {
    let own = [context.home.policy.clone()];
    let files = if arguments.policy.is_empty() { &own[..] } else { &arguments.policy[..] };
    let Some(sweep) = &arguments.sweep else {
        return files.iter().map(|file| read(context, file, models)).collect();
    };
    let mut candidates = Vec::new();
    for file in files {
        let text = text(file)?;
        let wrong = |error: what_if::SweepError| Failure::Invalid(format!("`{}`: {error}", file.display()));
        for (name, text) in sweep.variants(&text).map_err(wrong)? {
            let name = if files.len() == 1 { name } else { format!("{} {name}", file.display()) };
            candidates.push(parse(context, file, name, &text, models)?);
        }
    }
    Ok(candidates)
}

fn text(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))
}

fn read(context: &Context, file: &Path, models: &Arc<contracts::Registry>) -> Result<Candidate, Failure> {
    parse(context, file, file.display().to_string(), &text(file)?, models)
}

fn parse(
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
