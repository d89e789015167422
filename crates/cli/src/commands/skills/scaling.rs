//! `skills scaling`: the phase of the routing architecture, and whether the next one is due.

use catalogue::estimate::estimate_text_tokens;
use contracts::Tokenizer;
use skills::{
    MAX_COLLISIONS, SkillLayers, TriggerTable, collisions_up_to,
    scaling::{RoutingArchitecture, RoutingCounts, ScalingReport, TableSize},
};

use super::{Loaded, recorded::RecordedDecisions};
use crate::{
    context::{Context, read_text},
    failure::Failure,
    screen::{FAINT, count_noun, out, outln, styled},
};

/// Prints the roadmap with the values of the recorded decisions and the trigger table.
pub(super) fn run(context: &Context, loaded: &Loaded, decisions: &RecordedDecisions) -> Result<(), Failure> {
    let records = decisions.measured_records(context)?;
    let text = loaded.table_path.as_deref().map(read_text).transpose()?.unwrap_or_default();
    let table = TableSize {
        skills: loaded.index().skills().len() as u64,
        collisions: collisions_up_to(loaded.index(), &loaded.table, MAX_COLLISIONS).len() as u64,
        tokens: estimate_text_tokens(Tokenizer::default(), &text),
    };
    let settings = &decisions.settings;
    let architecture = architecture(settings.layers, !settings.tree.is_empty(), &loaded.table);
    let report = ScalingReport::new(architecture, table, &RoutingCounts::new(&records), &settings.scaling);
    context.print(&report, || {
        out!("{report}");
        let decided = count_noun(records.len() as u64, "recorded decision");
        outln!("\n{}", styled(FAINT, &format!("Rates are those of {decided} of the workspace.")));
    })
}

/// Returns the parts of the routing architecture that are in use. A tree without rows of its own is not.
fn architecture(layers: SkillLayers, has_tree_rows: bool, table: &TriggerTable) -> RoutingArchitecture {
    let priority = table.rows.first().map(|row| row.priority);
    let enhanced_table = table
        .rows
        .iter()
        .any(|row| !row.negatives.is_empty() || row.compound.is_some() || Some(row.priority) != priority);
    RoutingArchitecture { enhanced_table, tree: layers.tree && has_tree_rows, llm: layers.llm }
}
