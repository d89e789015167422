//! The costs by one dimension.

use std::collections::BTreeMap;

use clap::ValueEnum;
use contracts::CallRole;
use costs::{AttributedCall, CostTotal, DecidedBy};
use event_core::Timestamp;
use serde_json::json;

use super::{Period, Row, add_total_row, format_cost, print_unpriced, total_json, totals_table, unpriced_json};
use crate::{
    context::{Context, format_utc},
    failure::Failure,
    screen::{HEADING, Table, count_noun, outln, styled, truncate_start},
};

/// The maximum width of the first column, in terminal columns.
const NAME_WIDTH: usize = 34;

/// The property by which the costs of model calls are grouped. Times are UTC.
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
    /// The result of the turn: completed, failed, cancelled, or rejected by the user's next message or rating.
    Result,
}

impl Dimension {
    /// Returns the title of the table column for this dimension.
    pub(super) const fn title(self) -> &'static str {
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
            Self::Result => "RESULT",
        }
    }

    /// Returns the name of the dimension in JSON and on the command line.
    pub(super) const fn name(self) -> &'static str {
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
            Self::Result => "result",
        }
    }

    /// Returns whether the groups are periods of time, which are printed in their order and not by cost.
    pub(super) const fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month)
    }

    /// Returns the name of the group to which a model call belongs in this dimension.
    pub(super) fn group_of(self, call: &AttributedCall) -> String {
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
                DecidedBy::SkillRouting => "(skill routing)".to_owned(),
                DecidedBy::Unknown => "(unknown)".to_owned(),
            },
            Self::Role => role_name(call.role).to_owned(),
            Self::Session => call.session.as_ref().map_or_else(|| "(removed sessions)".to_owned(), ToString::to_string),
            Self::Result => call.result.name().to_owned(),
        }
    }
}

/// Returns the name of a thread's role that is shown to users.
pub(super) const fn role_name(role: CallRole) -> &'static str {
    match role {
        CallRole::Planner => "main conversation",
        CallRole::Worker => "workers (sub-agents)",
        CallRole::Auxiliary => "auxiliary calls",
        CallRole::SkillRouting => "skill routing",
    }
}

/// Sums the costs of model calls by a dimension. Returns each group with its total: times in chronological order, other
/// groups with the highest cost first.
pub(super) fn group(calls: &[AttributedCall], dimension: Dimension) -> Vec<(String, CostTotal)> {
    let mut groups: BTreeMap<String, CostTotal> = BTreeMap::new();
    for call in calls {
        groups.entry(dimension.group_of(call)).or_default().add(&call.total);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    if !dimension.is_time() {
        groups.sort_by(|(x, a), (y, b)| b.cost.cmp(&a.cost).then(x.cmp(y)));
    }
    groups
}

/// Prints the cost of every group of one dimension. `calls` are the model calls of `period`.
pub(super) fn show_dimension(
    context: &Context,
    calls: &[AttributedCall],
    period: Period,
    dimension: Dimension,
) -> Result<(), Failure> {
    let overall: CostTotal = calls.iter().map(|call| &call.total).sum();
    let groups = group(calls, dimension);
    let rows: Vec<_> = groups.iter().map(|(name, total)| Row { name, total: total_json(total) }).collect();
    let json = json!({
        "from": period.from, "to": period.to, "by": dimension.name(), "overall": total_json(&overall),
        "groups": rows, "unpriced": unpriced_json(calls),
    });
    context.print(&json, || {
        print_group(dimension, &groups, usize::MAX);
        let total = format!("Total {} in {}", overall.cost, count_noun(overall.calls, "call"));
        outln!("\n{}", styled(HEADING, &total));
        print_unpriced(calls);
    })
}

/// Prints the first `listed` groups of costs as a table, and the number of groups that are left out.
pub(super) fn print_group(dimension: Dimension, groups: &[(String, CostTotal)], listed: usize) {
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
        outln!("and {left} more: turnwise cost --by {}", dimension.name());
    }
}
