//! Prints a backtest: totals, changes, and the error of the simulation.

use contracts::ChainSlot as _;
use what_if::{Backtest, Baseline, GroupTotal, PolicyResult, Report, TurnRow, dollars, per_cent, signed};

use crate::{
    context::local_time,
    screen::{FAINT, HEADING, Table, count_noun, styled},
};

/// The most rows of a group table.
const MAX_LISTED: usize = 12;

pub(super) fn report(report: &Report, rows: &[TurnRow], options: &Backtest, all: bool) {
    print_turns(rows, options, all);
    let turns = count_noun(report.turns, "turn");
    anstream::println!("{}", styled(HEADING, &format!("{turns} judged, against {}", report.against)));
    let mut table = Table::new(&["POLICY", ">CHANGED", ">COST", ">DIFFERENCE", ">"]);
    table.add_row([
        report.against.clone(),
        String::new(),
        dollars(report.old.all.nano_usd),
        String::new(),
        String::new(),
    ]);
    for new in &report.new {
        let (old, new_cost) = (report.old.all.nano_usd, new.totals.all.nano_usd);
        let difference = new_cost.saturating_sub(old);
        table.add_row([
            new.name.clone(),
            new.changed.to_string(),
            dollars(new_cost),
            signed(difference),
            per_cent(difference, old),
        ]);
    }
    table.print();
    if let [only] = report.new.as_slice() {
        print_group("MODEL", &report.old.by_model, &only.totals.by_model);
        print_group("RULE", &report.old.by_rule, &only.totals.by_rule);
        print_group("WORKSPACE", &report.old.by_workspace, &only.totals.by_workspace);
        print_group("DAY (UTC)", &report.old.by_day, &only.totals.by_day);
        print_switches(only);
    } else {
        anstream::println!("\n--json has the totals by model, rule, workspace and day for each policy");
    }
    print_unjudged(report);
    print_accuracy(report);
}

/// Prints each turn with its choices. With several policies, only if `all` is set.
fn print_turns(rows: &[TurnRow], options: &Backtest, all: bool) {
    let several = 1 < options.candidates.len();
    if rows.is_empty() || (several && !all) {
        return;
    }
    let mut titles = vec!["STARTED", "TURN", "RECORDED"];
    let recorded = matches!(options.against, Baseline::Recorded);
    if !recorded {
        titles.push("OLD");
    }
    titles.extend(["NEW", ">OLD COST", ">NEW COST", ">DIFFERENCE", "PARTS AT", "WHY"]);
    let mut table = Table::new(&titles);
    for row in rows {
        for (index, new) in row.new.iter().enumerate() {
            let id = row.turn.to_string();
            let mut cells = vec![local_time(row.at), id[..8].to_owned(), model_name(&row.recorded)];
            if !recorded {
                cells.push(model_name(&row.old.model));
            }
            let parting_slot = row.parted.get(index).copied().flatten().map(contracts::Slot::name).unwrap_or_default();
            cells.extend([
                model_name(&new.model),
                dollars(row.old.nano_usd),
                dollars(new.nano_usd),
                signed(row.difference(index)),
                parting_slot.to_owned(),
                new.why.clone(),
            ]);
            table.add_row(cells);
        }
    }
    table.print();
    anstream::println!();
}

/// Returns the name of a model without its provider.
fn model_name(model: &str) -> String {
    model.split_once(':').map_or(model, |(_, name)| name).to_owned()
}

type Group = std::collections::BTreeMap<String, GroupTotal>;

/// Prints turns and cost by group, before and after.
fn print_group(title: &'static str, old: &Group, new: &Group) {
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    let share = |group: &Group, name: &String| group.get(name).copied().unwrap_or_default();
    // Highest cost first, but days in order.
    if !title.starts_with("DAY") {
        names.sort_by_key(|name| std::cmp::Reverse(share(old, name).nano_usd.max(share(new, name).nano_usd)));
    }
    let mut table = Table::new(&[title, ">TURNS", ">COST", ">NEW TURNS", ">NEW COST"]);
    for name in names.iter().take(MAX_LISTED) {
        let (old, new) = (share(old, name), share(new, name));
        table.add_row([
            (*name).clone(),
            old.turns.to_string(),
            dollars(old.nano_usd),
            new.turns.to_string(),
            dollars(new.nano_usd),
        ]);
    }
    anstream::println!();
    table.print();
    if MAX_LISTED < names.len() {
        anstream::println!("and {} more; --json has all", names.len() - MAX_LISTED);
    }
}

/// Prints how many turns moved from one model to another, with the difference in cost.
fn print_switches(compared: &PolicyResult) {
    if compared.switches.is_empty() {
        return;
    }
    let mut table = Table::new(&["FROM", "TO", ">TURNS", ">DIFFERENCE"]);
    for (from, targets) in &compared.switches {
        for (to, (turns, difference)) in targets {
            table.add_row([from.clone(), to.clone(), turns.to_string(), signed(*difference)]);
        }
    }
    anstream::println!();
    table.print();
}

/// Prints the number of turns that were not judged, by reason.
fn print_unjudged(report: &Report) {
    if report.unjudged.is_empty() {
        return;
    }
    let count: u64 = report.unjudged.values().sum();
    let cost = dollars(report.unjudged_nano_usd);
    anstream::println!("\n{} without a judgement ({cost} as recorded), in no total:", count_noun(count, "turn"));
    for (reason, count) in &report.unjudged {
        anstream::println!("  {count:>5}  {reason}");
    }
}

/// Prints the error of the simulation and the assumptions of the estimates.
fn print_accuracy(report: &Report) {
    let identity = &report.identity;
    anstream::println!(
        "\nSimulating what really happened gives {} for {}. identity: total {}, median {} of {} \
         (what a thread's first call read is given; predicted as well: total {}, median {})",
        dollars(identity.simulated_nano_usd),
        dollars(identity.recorded_nano_usd),
        identity.total,
        identity.median,
        count_noun(identity.sessions, "session"),
        identity.predicted_total,
        identity.predicted_median,
    );
    for assumption in &report.assumptions {
        anstream::println!("{}", styled(FAINT, &format!("  {assumption}")));
    }
}
