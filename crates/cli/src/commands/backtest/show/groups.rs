//! The tables of a backtest by project, week, rule, model and change.

use std::collections::BTreeMap;

use what_if::{GroupTotal, PolicyResult, Report, dollars, signed, success_text};

use crate::screen::{HEADING, Table, count_noun, outln, styled, truncate_start};

/// The maximum number of rows that are printed of a group without `--all`.
const MAX_LISTED: usize = 10;
/// The maximum width of the first column, in terminal columns.
const NAME_WIDTH: usize = 34;

/// The totals of a dimension, by the name of the project, week, rule or model.
type Group = BTreeMap<String, GroupTotal>;

/// Prints the groups of a backtest for one policy: by project, week, rule, model and change of model.
pub(super) fn print(report: &Report, new: &PolicyResult, all: bool) {
    let (old, totals) = (&report.old, &new.totals);
    print_group("PROJECT", &old.by_project, &totals.by_project, all);
    print_group("WEEK (UTC)", &old.by_week, &totals.by_week, all);
    print_rules(report, new, all);
    print_group("MODEL", &old.by_model, &totals.by_model, all);
    print_changes(report, new, all);
}

/// Prints a table of turns and cost by group, under the old and the new policy. Weeks are in chronological order, other
/// groups by cost.
fn print_group(title: &'static str, old: &Group, new: &Group, all: bool) {
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    let share = |group: &Group, name: &String| group.get(name).copied().unwrap_or_default();
    if !title.starts_with("WEEK") {
        names.sort_by_key(|name| std::cmp::Reverse(share(old, name).nano_usd.max(share(new, name).nano_usd)));
    }
    let listed = if all { names.len() } else { MAX_LISTED };
    let mut table = Table::new(&[title, ">TURNS", ">COST", ">NEW TURNS", ">NEW COST"]);
    for name in names.iter().take(listed) {
        let (old, new) = (share(old, name), share(new, name));
        table.add_row([
            truncate_start(name, NAME_WIDTH),
            old.turns.to_string(),
            dollars(old.nano_usd),
            new.turns.to_string(),
            dollars(new.nano_usd),
        ]);
    }
    outln!();
    table.print();
    print_more(names.len().saturating_sub(listed));
}

/// Prints how many turns each rule, or other slot of the decision chain, decides under the new policy, beside the
/// number that the log has for the rule.
fn print_rules(report: &Report, new: &PolicyResult, all: bool) {
    let mut rules: Vec<_> = new.totals.by_rule.iter().collect();
    rules.sort_by_key(|(name, total)| (std::cmp::Reverse(total.nano_usd), *name));
    let listed = if all { rules.len() } else { MAX_LISTED };
    let mut table = Table::new(&["RULE OR SLOT", ">NEW TURNS", ">NEW COST", ">HITS", ">IMPORTED"]);
    for (name, total) in rules.iter().take(listed) {
        let hits = report.hits.for_rule(name);
        let is_rule = report.hits.iter().any(|(rule, _)| rule == name.as_str());
        let count = |hits: u64| if is_rule { hits.to_string() } else { String::new() };
        table.add_row([
            truncate_start(name, NAME_WIDTH),
            total.turns.to_string(),
            dollars(total.nano_usd),
            count(hits.live),
            count(hits.imported),
        ]);
    }
    outln!();
    table.print();
    print_more(rules.len().saturating_sub(listed));
}

/// Prints how many turns change from one model to another, with the known success of both models in the project.
fn print_changes(report: &Report, new: &PolicyResult, all: bool) {
    if new.changes.is_empty() {
        outln!("\nNo turn changes model.");
        return;
    }
    outln!("\n{}", styled(HEADING, "CHANGES AND THEIR RISK (success of scored turns, 95 % interval)"));
    let mut changes: Vec<_> = new.changes.iter().collect();
    changes.sort_by_key(|change| std::cmp::Reverse(change.old_nano_usd.saturating_sub(change.new_nano_usd).abs()));
    let listed = if all { changes.len() } else { MAX_LISTED };
    for change in changes.iter().take(listed) {
        let difference = signed(change.new_nano_usd.saturating_sub(change.old_nano_usd));
        let success = |model: &str| success_text(report.success.in_project(&change.project, model));
        outln!("{}: {}, {difference}", truncate_start(&change.project, 50), count_noun(change.turns, "turn"));
        outln!("    from {:<36} {}", short(&change.from), success(&change.from));
        outln!("    to   {:<36} {}", short(&change.to), success(&change.to));
    }
    print_more(changes.len().saturating_sub(listed));
}

/// Returns the name of a model without its provider, cut to 36 characters.
fn short(model: &str) -> String {
    let name = model.split_once(':').map_or(model, |(_, name)| name);
    name.chars().take(36).collect()
}

/// Prints the number of table rows that were left out; nothing if it is 0.
fn print_more(left: usize) {
    if 0 < left {
        outln!("and {left} more (--all)");
    }
}
