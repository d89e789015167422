//! The costs by one dimension.

use std::collections::BTreeMap;

use clap::ValueEnum;
use contracts::CallRole;
use costs::{AttributedCall, DecidedBy, Total};
use event_core::Timestamp;
use serde_json::json;

use super::{Period, Row, add_total_row, format_cost, print_unpriced, total_json, totals_table, unpriced_json};
use crate::{
    context::{Context, format_utc},
    failure::Failure,
    screen::{HEADING, Table, count_noun, styled, truncate_start},
};

/// The width of the first column.
const NAME_WIDTH: usize = 34;

/// What costs are grouped by. Times are UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dimension {
    /// The UTC day.
    Day,
    /// The ISO week.
    Week,
    /// The month.
    Month,
    /// The workspace folder.
    Project,
    /// The client.
    Client,
    /// The model.
    Model,
    /// The rule, or another slot of the chain, that chose the model.
    Rule,
    /// Main conversation, sub-agents, auxiliary calls.
    Role,
    /// The session.
    Session,
}

impl Dimension {
    /// The title of the column.
    const fn title(self) -> &'static str {
        match self {
            Self::Day => "DAY (UTC)",
            Self::Week => "WEEK (UTC)",
            Self::Month => "MONTH (UTC)",
            Self::Project => "PROJECT",
            Self::Client => "CLIENT",
            Self::Model => "MODEL",
            Self::Rule => "RULE OR SLOT",
            Self::Role => "ROLE",
            Self::Session => "SESSION",
        }
    }

    /// The name in JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Project => "project",
            Self::Client => "client",
            Self::Model => "model",
            Self::Rule => "rule",
            Self::Role => "role",
            Self::Session => "session",
        }
    }

    const fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month)
    }

    /// Returns the group of a call.
    fn group_of(self, call: &AttributedCall) -> String {
        let time = |at: Timestamp, format: &str| format_utc(at, format);
        match self {
            Self::Day => time(call.at, "%Y-%m-%d"),
            Self::Week => time(call.at, "%G-W%V"),
            Self::Month => time(call.at, "%Y-%m"),
            Self::Project => call.project.clone().unwrap_or_else(|| "(none)".to_owned()),
            Self::Client => call.client.clone().unwrap_or_else(|| "(unknown)".to_owned()),
            Self::Model => call.model.to_string(),
            Self::Rule => match &call.decided_by {
                DecidedBy::Rule(rule) => rule.clone(),
                DecidedBy::Slot(slot) => (*slot).to_owned(),
                DecidedBy::Imported => "(imported: not routed)".to_owned(),
                DecidedBy::Unknown => "(unknown)".to_owned(),
            },
            Self::Role => role_name(call.thread.role()).to_owned(),
            Self::Session => call.session.to_string(),
        }
    }
}

/// The name of a role for people.
pub(super) const fn role_name(role: CallRole) -> &'static str {
    match role {
        CallRole::Planner => "main conversation",
        CallRole::Worker => "workers (sub-agents)",
        CallRole::Auxiliary => "auxiliary calls",
    }
}

/// Sums calls by a dimension: times in order, other groups with the highest cost first.
pub(super) fn group(calls: &[AttributedCall], dimension: Dimension) -> Vec<(String, Total)> {
    let mut groups: BTreeMap<String, Total> = BTreeMap::new();
    for call in calls {
        groups.entry(dimension.group_of(call)).or_default().add(&call.total);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    if !dimension.is_time() {
        groups.sort_by(|(x, a), (y, b)| b.cost.cmp(&a.cost).then(x.cmp(y)));
    }
    groups
}

/// Prints every group of one dimension.
pub(super) fn show(
    context: &Context,
    calls: &[AttributedCall],
    period: Period,
    dimension: Dimension,
) -> Result<(), Failure> {
    let overall: Total = calls.iter().map(|call| &call.total).sum();
    let groups = group(calls, dimension);
    let rows: Vec<_> = groups.iter().map(|(name, total)| Row { name, total: total_json(total) }).collect();
    let json = json!({
        "from": period.from, "to": period.to, "by": dimension.name(), "overall": total_json(&overall),
        "groups": rows, "unpriced": unpriced_json(calls),
    });
    context.print(&json, || {
        print_group(dimension, &groups, usize::MAX);
        let total = format!("Total {} in {}", overall.cost, count_noun(overall.calls, "call"));
        anstream::println!("\n{}", styled(HEADING, &total));
        print_unpriced(calls);
    })
}

/// Prints the first `listed` groups as a table, and the number of the others.
pub(super) fn print_group(dimension: Dimension, groups: &[(String, Total)], listed: usize) {
    if dimension == Dimension::Session {
        // A complete id, which `--session` takes, leaves no room for more columns.
        let mut table = Table::new(&[dimension.title(), ">CALLS", ">COST"]);
        for (name, total) in groups.iter().take(listed) {
            table.add_row([name.clone(), total.calls.to_string(), format_cost(total)]);
        }
        table.print();
    } else {
        let mut table = totals_table(dimension.title());
        for (name, total) in groups.iter().take(listed) {
            add_total_row(&mut table, truncate_start(name, NAME_WIDTH), total);
        }
        table.print();
    }
    if listed < groups.len() {
        let left = groups.len() - listed;
        anstream::println!("and {left} more: turnwise cost --by {}", dimension.name());
    }
}
