//! `skills log`: the recorded skill decisions, as a table, Markdown, YAML or JSON Lines.

use skills::{
    SkillHistory,
    routing_log::{RoutingRecord, routing_table, routing_yaml},
};

use super::recorded::RecordedDecisions;
use crate::{
    arguments::RoutingLogFormat,
    context::{Context, local_time},
    failure::Failure,
    screen::{FAINT, Table, count_noun, out, outln, print_json, styled, truncate},
};

/// The number of decisions in the table unless an argument states another.
const DEFAULT_ROWS: usize = 20;
/// The number of characters of an id in the table. They suffice for `skills corrected` in all but the largest logs.
const ID_CHARACTERS: usize = 8;

/// Prints the latest decisions, oldest first. `number` is their maximum; `None` for 20 in the table and all in other formats.
pub(super) fn run(
    context: &Context,
    decisions: &RecordedDecisions,
    format: Option<RoutingLogFormat>,
    number: Option<usize>,
) -> Result<(), Failure> {
    let all = decisions.all_records(context)?;
    let default = if format.is_some() || context.json { all.len() } else { DEFAULT_ROWS };
    let records = &all[all.len().saturating_sub(number.unwrap_or(default))..];
    match format.filter(|_| !context.json) {
        Some(RoutingLogFormat::Md) => out!("{}", routing_table(records)),
        Some(RoutingLogFormat::Yaml) => out!("{}", routing_yaml(records)),
        Some(RoutingLogFormat::Jsonl) => {
            for record in records {
                print_json(&serde_json::to_string(record).map_err(|error| Failure::Failed(error.to_string()))?);
            }
        }
        None => {
            return context.print(&records, || {
                if all.is_empty() {
                    decisions.print_nothing();
                } else {
                    print_table(records, &decisions.history, all.len());
                }
            });
        }
    }
    Ok(())
}

/// Prints a table of 80 columns, and of how many decisions the records are the latest.
fn print_table(records: &[RoutingRecord], history: &SkillHistory, all: usize) {
    let mut table = Table::new(&["TIME", "TURN", "METHOD", "SKILL", "MESSAGE"]);
    for record in records {
        let id = record.turn.map_or(record.event, |turn| turn.0).to_string();
        let skill = match &record.correction {
            Some(correction) => {
                format!("{} → {}", record.outcome, correction.target.as_deref().unwrap_or("no skill"))
            }
            None => record.outcome.to_string(),
        };
        table.add_row([
            local_time(record.at).get(5..16).unwrap_or_default().to_owned(),
            truncate(&id, ID_CHARACTERS).to_owned(),
            record.method().to_owned(),
            truncate(&skill, 22).to_owned(),
            truncate(&record.summary.replace(char::is_whitespace, " "), 18).to_owned(),
        ]);
    }
    table.print();
    let older = history.total().saturating_sub(history.requests().count() as u64);
    let older = if older == 0 { String::new() } else { format!("; {older} older ones are not read") };
    let shown = format!("{} of {}{older}", records.len(), count_noun(all as u64, "decision"));
    outln!("{}", styled(FAINT, &shown));
}
