//! `savings`: what routing has saved against the models that the clients requested.

use std::{cmp::Reverse, collections::BTreeMap};

use engine::Models;
use event_bus::TextFiles;
use what_if::{RuleSavings, Savings, dollars, per_cent, savings, signed};

use super::range::parse_range;
use crate::{
    arguments::RangeArguments,
    context::{Context, local_time},
    failure::Failure,
    interrupt::Interrupt,
    screen::{FAINT, HEADING, Table, count_noun, outln, styled, truncate_start},
};

/// Executes `turnwise savings`: compares the cost of the recorded turns with their estimated cost on the models that
/// the clients requested.
pub(super) fn run(context: &Context, arguments: &RangeArguments) -> Result<(), Failure> {
    let models = Models::load(&context.home.models())?.registry;
    let log = context.log_reader()?;
    let texts = TextFiles::open(context.home.log());
    let interrupt = Interrupt::listen();
    let found =
        savings(log.as_ref(), &texts, models, parse_range(arguments)?, None, &mut |_| !interrupt.was_pressed())?;
    context.print(&found, || {
        if found.turns == 0 {
            outln!("No turn can be compared: the gateway has routed no request for a named model.");
            outln!(
                "{}",
                styled(FAINT, "`turnwise serve` routes requests; `turnwise backtest` estimates imported turns")
            );
        } else {
            print_figures(&found);
            print_rules(&found.rules);
        }
        if 0 < found.skill_routing.calls {
            let questions = count_noun(found.skill_routing.calls, "question");
            let cost = dollars(found.skill_routing.nano_usd);
            outln!("\nSkill routing: {cost} in {questions} to a model, in none of the figures above");
        }
        let (turns, nano) = found
            .excluded
            .values()
            .fold((0_u64, 0_i64), |(turns, nano), total| (turns + total.turns, nano.saturating_add(total.nano_usd)));
        if 0 < turns {
            outln!("\nNot compared: {} ({} as recorded)", count_noun(turns, "turn"), dollars(nano));
            for (reason, total) in &found.excluded {
                outln!("  {:>5}  {:>9}  {reason}", total.turns, dollars(total.nano_usd));
            }
        }
    })
}

/// Prints a table with the savings of each rule or other slot of the decision chain, the largest amount first.
fn print_rules(rules: &BTreeMap<String, RuleSavings>) {
    let mut rules: Vec<_> = rules.iter().collect();
    rules.sort_by_key(|(name, rule)| (Reverse(rule.saved_nano_usd()), *name));
    let mut table = Table::new(&["RULE OR SLOT", ">TURNS", ">SPENT", ">REQUESTED", ">SAVED"]);
    for (name, rule) in rules {
        table.add_row([
            truncate_start(name, 34),
            rule.turns.to_string(),
            dollars(rule.spent_nano_usd),
            dollars(rule.requested_nano_usd),
            signed(rule.saved_nano_usd()),
        ]);
    }
    outln!();
    table.print();
}

/// Prints the total spending, the estimated cost of the requested models with and without the effects of the prompt
/// cache, and the differences.
fn print_figures(found: &Savings) {
    let since = found.since.map(local_time).unwrap_or_default();
    let title =
        format!("Since {}: {} of a requested model", &since[..since.len().min(10)], count_noun(found.turns, "turn"));
    outln!("{}", styled(HEADING, &title));
    outln!("{} ran on another model than requested\n", count_noun(found.turns_on_another_model, "turn"));
    let mut table = Table::new(&["", ">COST", ">SAVED", ">"]);
    table.add_row(["spent".to_owned(), dollars(found.spent_nano_usd)]);
    for (name, cost, saved) in [
        ("requested models, with prompt-cache effects", found.requested_nano_usd, found.saved_nano_usd),
        ("requested models, without", found.requested_same_cache_nano_usd, found.saved_without_cache_effects_nano_usd),
    ] {
        table.add_row([name.to_owned(), dollars(cost), signed(saved), per_cent(saved, cost)]);
    }
    table.print();
    let note = format!(
        "An estimate; its calibration error is {}. A change of model loses the\nprompt cache, which the first figure counts and the second does not.",
        found.calibration.total
    );
    outln!("\n{}", styled(FAINT, &note));
}
