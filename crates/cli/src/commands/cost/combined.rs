//! The costs by several dimensions at once, such as each project in each week.

use std::{cmp::Ordering, collections::BTreeMap};

use costs::{AttributedCall, CostTotal};
use serde_json::{Value, json};

use super::{Dimension, Period, format_cost, print_unpriced, total_json, unpriced_json};
use crate::{
    context::Context,
    failure::Failure,
    screen::{HEADING, Table, count_noun, outln, styled, truncate_start},
};

/// The maximum width of the columns with the names of groups, in terminal columns, all together.
const NAMES_WIDTH: usize = 56;

/// Prints the cost of every combination of groups. `calls` are the model calls of `period`.
pub(super) fn show_combined(
    context: &Context,
    calls: &[AttributedCall],
    period: Period,
    dimensions: &[Dimension],
) -> Result<(), Failure> {
    let overall: CostTotal = calls.iter().map(|call| &call.total).sum();
    let groups = combine(calls, dimensions);
    let rows: Vec<_> = groups.iter().map(|(names, total)| row_json(dimensions, names, total)).collect();
    let by: Vec<_> = dimensions.iter().map(|dimension| dimension.name()).collect();
    let json = json!({
        "from": period.from, "to": period.to, "by": by, "overall": total_json(&overall),
        "groups": rows, "unpriced": unpriced_json(calls),
    });
    context.print(&json, || {
        print_groups(dimensions, &groups);
        let total = format!("Total {} in {}", overall.cost, count_noun(overall.calls, "call"));
        outln!("\n{}", styled(HEADING, &total));
        print_unpriced(calls);
    })
}

/// Sums the costs of model calls by several dimensions. Returns the names of each combination of groups, one for each
/// dimension, with its total. Sorted by the first dimension, then by the second, and so on: times in chronological
/// order, other groups with the highest cost first.
fn combine(calls: &[AttributedCall], dimensions: &[Dimension]) -> Vec<(Vec<String>, CostTotal)> {
    // The totals of every prefix of the names: a group of the first dimension, then a pair of groups, and so on.
    let mut totals: BTreeMap<Vec<String>, CostTotal> = BTreeMap::new();
    for call in calls {
        let names: Vec<_> = dimensions.iter().map(|dimension| dimension.group_of(call)).collect();
        for length in 1..=names.len() {
            totals.entry(names[..length].to_vec()).or_default().add(&call.total);
        }
    }
    let cost = |names: &[String]| totals.get(names).map(|total| total.cost);
    let order = |one: &[String], other: &[String]| {
        let differing = (0..dimensions.len()).find(|&index| one[index] != other[index]);
        differing.map_or(Ordering::Equal, |index| {
            let by_name = one[index].cmp(&other[index]);
            if dimensions[index].is_time() {
                by_name
            } else {
                cost(&other[..=index]).cmp(&cost(&one[..=index])).then(by_name)
            }
        })
    };
    let mut groups: Vec<_> = totals.iter().filter(|(names, _)| names.len() == dimensions.len()).collect();
    groups.sort_by(|(one, _), (other, _)| order(one, other));
    groups.into_iter().map(|(names, total)| (names.clone(), *total)).collect()
}

/// Converts a combination of groups to JSON: a field for the name in each dimension, and the fields of the total.
fn row_json(dimensions: &[Dimension], names: &[String], total: &CostTotal) -> Value {
    let mut row = total_json(total);
    for (dimension, name) in dimensions.iter().zip(names) {
        row[dimension.name()] = json!(name);
    }
    row
}

/// Prints the combinations of groups as a table with a column for each dimension.
fn print_groups(dimensions: &[Dimension], groups: &[(Vec<String>, CostTotal)]) {
    let titles: Vec<_> = dimensions.iter().map(|dimension| dimension.title()).chain([">CALLS", ">COST"]).collect();
    let mut table = Table::new(&titles);
    let width = NAMES_WIDTH / dimensions.len().max(1);
    for (names, total) in groups {
        let names = names.iter().map(|name| truncate_start(name, width));
        table.add_row(names.chain([total.calls.to_string(), format_cost(total)]));
    }
    table.print();
}
