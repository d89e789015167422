//! `savings`: what routing has saved against the models that the clients requested.

use std::{cmp::Reverse, collections::BTreeMap};

use engine::Models;
use event_bus::TextFiles;
use serde::Serialize;
use serde_json::json;
use what_if::{Backtest, Baseline, Report, backtest, dollars, per_cent, signed};

use super::range::parse_range;
use crate::{
    arguments::RangeArguments,
    context::{Context, local_time},
    failure::Failure,
    interrupt::Interrupt,
    screen::{FAINT, HEADING, Table, count_noun, styled, truncate_start},
};

pub(super) fn run(context: &Context, arguments: &RangeArguments) -> Result<(), Failure> {
    let options = Backtest {
        candidates: Vec::new(),
        against: Baseline::Requested,
        range: parse_range(arguments)?,
        models: Models::load(&context.home.models())?.registry,
    };
    let log = context.log_reader()?;
    let texts = TextFiles::open(context.home.log());
    let interrupt = Interrupt::listen();
    let (mut rerouted, mut rules) = (0_u64, BTreeMap::<String, RuleSavings>::new());
    let mut count_row = |row: &what_if::TurnRow| {
        rerouted += u64::from(row.old.model != row.recorded);
        let rule = rules.entry(row.recorded_rule.clone()).or_default();
        rule.turns += 1;
        rule.spent_nano_usd = rule.spent_nano_usd.saturating_add(row.recorded_nano_usd);
        rule.requested_nano_usd = rule.requested_nano_usd.saturating_add(row.old.nano_usd);
    };
    let report = backtest(log.as_ref(), &texts, &options, &mut count_row, &mut |_| !interrupt.was_pressed())?;
    let spent = report.recorded_nano_usd;
    let requested = report.old.all.nano_usd;
    let same_cache = report.old_same_cache_nano_usd;
    let excluded = report.excluded_total();
    let json = json!({
        "since": report.period.map(|(first, _)| first),
        "until": report.period.map(|(_, last)| last),
        "turns": report.turns,
        "turns_on_another_model": rerouted,
        "spent_nano_usd": spent,
        "requested_nano_usd": requested,
        "saved_nano_usd": requested.saturating_sub(spent),
        "requested_same_cache_nano_usd": same_cache,
        "saved_without_cache_effects_nano_usd": same_cache.saturating_sub(spent),
        "rules": rules,
        "calibration": report.calibration,
        "excluded": report.excluded,
        "outside": report.outside,
    });
    context.print(&json, || {
        if report.turns == 0 {
            anstream::println!("No turn can be compared: the gateway has routed no request for a named model.");
            anstream::println!(
                "{}",
                styled(FAINT, "`turnwise serve` routes requests; `turnwise backtest` estimates imported turns")
            );
        } else {
            print_figures(&report, rerouted);
            print_rules(&rules);
        }
        if 0 < excluded.turns {
            let turns = count_noun(excluded.turns, "turn");
            anstream::println!("\nNot compared: {turns} ({} as recorded)", dollars(excluded.nano_usd));
            for (reason, total) in &report.excluded {
                anstream::println!("  {:>5}  {:>9}  {reason}", total.turns, dollars(total.nano_usd));
            }
        }
    })
}

/// What the turns of a rule cost, and what they would have cost on the requested models.
#[derive(Debug, Default, Serialize)]
struct RuleSavings {
    turns: u64,
    spent_nano_usd: i64,
    requested_nano_usd: i64,
}

/// Prints what each rule or slot has saved, the largest amount first.
fn print_rules(rules: &BTreeMap<String, RuleSavings>) {
    let saved = |rule: &RuleSavings| rule.requested_nano_usd.saturating_sub(rule.spent_nano_usd);
    let mut rules: Vec<_> = rules.iter().collect();
    rules.sort_by_key(|(name, rule)| (Reverse(saved(rule)), *name));
    let mut table = Table::new(&["RULE OR SLOT", ">TURNS", ">SPENT", ">REQUESTED", ">SAVED"]);
    for (name, rule) in rules {
        table.add_row([
            truncate_start(name, 34),
            rule.turns.to_string(),
            dollars(rule.spent_nano_usd),
            dollars(rule.requested_nano_usd),
            signed(saved(rule)),
        ]);
    }
    anstream::println!();
    table.print();
}

/// Prints what was spent, what the requested models would have cost, and the difference.
fn print_figures(report: &Report, rerouted: u64) {
    let since = report.period.map(|(first, _)| local_time(first)).unwrap_or_default();
    let title =
        format!("Since {}: {} of a requested model", &since[..since.len().min(10)], count_noun(report.turns, "turn"));
    anstream::println!("{}", styled(HEADING, &title));
    anstream::println!("{} ran on another model than requested\n", count_noun(rerouted, "turn"));
    let (spent, requested, same_cache) =
        (report.recorded_nano_usd, report.old.all.nano_usd, report.old_same_cache_nano_usd);
    let mut table = Table::new(&["", ">COST", ">SAVED", ">"]);
    table.add_row(["spent".to_owned(), dollars(spent)]);
    for (name, cost) in
        [("requested models, with prompt-cache effects", requested), ("requested models, without", same_cache)]
    {
        let saved = cost.saturating_sub(spent);
        table.add_row([name.to_owned(), dollars(cost), signed(saved), per_cent(saved, cost)]);
    }
    table.print();
    let note = format!(
        "An estimate; its calibration error is {}. A change of model loses the prompt cache,\nwhich the first figure counts and the second does not.",
        report.calibration.total
    );
    anstream::println!("\n{}", styled(FAINT, &note));
}
