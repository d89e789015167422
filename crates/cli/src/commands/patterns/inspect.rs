//! `patterns inspect`: shows success and cost of each model in a workspace, and the latest outcomes.

use event_bus::TextFiles;
use serde_json::json;

use super::{format_cost, format_score, message_preview, workspace_path};
use crate::{
    arguments::WorkspaceArgument,
    context::{Context, local_time},
    failure::Failure,
    screen::{Table, outln},
};

/// Prints the learned success and cost of each model in a workspace, and its latest `number` outcomes.
pub(super) fn run(context: &Context, workspace: &WorkspaceArgument, number: usize) -> Result<(), Failure> {
    let path = workspace_path(workspace);
    let log = context.log_reader()?;
    let texts = TextFiles::open(context.home.log());
    let state = context.fold_state()?;
    let Some(store) = state.patterns.store(path.as_deref()) else {
        let path = path.unwrap_or_default();
        return context.print(&json!({ "workspace": path, "models": [], "outcomes": [] }), || {
            outln!("Nothing was learned in {path}; `turnwise patterns status` lists where something was.");
        });
    };
    let (models, outcomes) = (store.model_status(), store.row_status());
    let outcomes = &outcomes[..number.min(outcomes.len())];
    let messages: Vec<_> =
        outcomes.iter().map(|row| message_preview(log.as_ref(), &texts, row.turn)).collect::<Result<_, _>>()?;
    context.print(&json!({ "workspace": path, "models": models, "outcomes": outcomes }), || {
        let mut table = Table::new(&["MODEL", ">TURNS", ">SCORED", ">SUCCESS", ">COST"]);
        for row in &models {
            table.add_row([
                row.model.to_string(),
                row.turns.to_string(),
                row.scored.to_string(),
                format_score(row.success),
                format_cost(row.cost.map(|cost| cost.0)),
            ]);
        }
        table.print();
        outln!("\nThe latest outcomes:\n");
        let mut table = Table::new(&["TURN", "CHANGED", "MODEL", ">TURNS", ">SUCCESS", ">COST", "MESSAGE"]);
        for (row, message) in outcomes.iter().zip(messages) {
            table.add_row([
                row.turn.to_string().chars().take(8).collect(),
                local_time(row.changed_at),
                row.model.to_string(),
                row.turns.to_string(),
                format_score(row.success),
                format_cost(row.cost.map(|cost| cost.0)),
                message,
            ]);
        }
        table.print();
    })
}
