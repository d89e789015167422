//! `patterns`: shows, clears, embeds and evaluates the patterns learned from past turns.

mod clear;
mod embed;
mod evaluate;
mod explain;
mod inspect;

use patterns::{HARD_CAP, SOFT_CAP, WorkspaceStatus};

use crate::{
    arguments::{PatternsCommand, WorkspaceArgument},
    context::Context,
    failure::Failure,
    screen::{Table, outln, truncate},
};

/// Executes a subcommand of `turnwise patterns`, which shows and manages what was learned from past turns.
pub(super) fn run(context: &Context, command: PatternsCommand) -> Result<(), Failure> {
    match command {
        PatternsCommand::Status => show_status(context),
        PatternsCommand::Inspect { workspace, number } => inspect::run(context, &workspace, number),
        PatternsCommand::Explain { turn, number } => explain::run(context, &turn, number),
        PatternsCommand::Clear { workspace, all, yes } => clear::run(context, &workspace, all, yes),
        PatternsCommand::Embed => embed::run(context),
        PatternsCommand::Evaluate { rubric } => evaluate::run(context, rubric),
    }
}

/// Prints for each workspace from how many turns and outcomes model choices were learned.
fn show_status(context: &Context) -> Result<(), Failure> {
    let state = context.fold_state()?;
    let rows: Vec<WorkspaceStatus<'_>> = state.patterns.status().collect();
    context.print(&rows, || {
        if rows.is_empty() {
            outln!("Nothing was learned yet: turns are learned when they end, here or by `turnwise import`.");
            return;
        }
        let mut table = Table::new(&["WORKSPACE", ">TURNS", ">SCORED", ">DISTINCT", ">OUTCOMES", "CAPACITY"]);
        for row in &rows {
            let filling = if row.rows > SOFT_CAP as usize { ", filling" } else { "" };
            table.add_row([
                row.workspace.unwrap_or("(none)").to_owned(),
                row.samples.to_string(),
                row.scored.to_string(),
                row.fingerprints.to_string(),
                row.rows.to_string(),
                format!("of {HARD_CAP}{filling}"),
            ]);
        }
        table.print();
    })
}

/// Returns the absolute path of the workspace in the arguments, or of the current folder; `None` if that cannot be
/// determined or the path is empty.
fn workspace_path(argument: &WorkspaceArgument) -> Option<String> {
    let given = argument.workspace.clone().or_else(|| std::env::current_dir().ok())?;
    Some(std::path::absolute(given).ok()?.display().to_string())
}

/// Formats the score of a turn; `-` if it is unknown.
fn format_score(score: Option<contracts::Score>) -> String {
    score.map_or_else(|| "-".to_owned(), |score| score.to_string())
}

/// Formats a cost in nano-dollars as dollars; `-` if it is unknown.
fn format_cost(cost: Option<u64>) -> String {
    cost.map_or_else(|| "-".to_owned(), |cost| what_if::dollars(i64::try_from(cost).unwrap_or(i64::MAX)))
}

/// Returns the first line of a turn's message that is not blank, cut to 44 columns; empty if the log does not contain
/// the text.
fn message_preview(
    log: &dyn event_bus::EventLog,
    texts: &dyn event_bus::TextStore,
    turn: contracts::TurnId,
) -> Result<String, Failure> {
    /// The width of the preview in terminal columns.
    const COLUMNS: usize = 44;
    let text = engine::find_message(log, texts, turn)?.unwrap_or_default();
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let start = truncate(line, COLUMNS);
    Ok(if start.len() < line.len() { format!("{start}…") } else { start.to_owned() })
}
