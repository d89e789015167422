//! Backtests of the bundled session: choices, costs, and turns that cannot be compared.

use contracts::{ModelId, Slot, events::LlmCallCompleted};
use event_core::encode;
use what_if::{Backtest, Baseline, LatestTurns, Range, TurnRow, WhatIfError, backtest_latest, write_csv};

use crate::past::Past;

const COMMITS: &str = r#"
rules:
  - {name: commits, when: {message_matches: "(?i)\\bcommit|typo"}, use: haiku}
global_default: opus
"#;

/// Returns the model of most calls in the bundled session.
fn recorded_model(past: &Past) -> ModelId {
    past.events().iter().find_map(|event| event.read::<LlmCallCompleted>().unwrap()).unwrap().model
}

#[test]
fn a_policy_that_chooses_what_ran_costs_what_was_recorded() {
    let past = Past::under("global_default: sonnet");
    let model = recorded_model(&past);
    let (report, rows) = past.try_on(&[("same", &format!("global_default: \"{model}\""))]);
    let judged: Vec<_> = rows.iter().filter(|row| row.recorded == model.as_str()).collect();
    assert!(!judged.is_empty() && report.turns == rows.len() as u64);
    for row in judged {
        assert_eq!(row.difference(0), 0, "{row:?}");
        assert_eq!((row.new[0].nano_usd, row.parted[0]), (row.recorded_nano_usd, None));
    }
    let sum: i64 = rows.iter().map(|row| row.recorded_nano_usd).sum();
    assert_eq!((report.recorded_nano_usd, report.old.all.nano_usd), (sum, sum));
}

/// Runs a backtest of `policy` over the latest turns. Returns the rows and the lowest position that was read.
fn try_latest(past: &Past, policy: &str, latest: LatestTurns) -> (Vec<TurnRow>, u64) {
    let parameters = Backtest {
        candidates: vec![past.candidate("tried", policy)],
        against: Baseline::Recorded,
        range: Range::default(),
        models: std::sync::Arc::clone(&past.models),
    };
    let (mut rows, mut lowest) = (Vec::new(), u64::MAX);
    let mut add_row = |row: &TurnRow| rows.push(row.clone());
    let mut progress = |position: event_core::Position| {
        lowest = lowest.min(position.0);
        true
    };
    backtest_latest(&*past.log, &*past.texts, &parameters, latest, &mut add_row, &mut progress).unwrap();
    (rows, lowest)
}

/// Attack: a what-if over a long log.
/// Holds: only the part of the log with the latest turns is read.
#[test]
fn the_latest_turns_are_decided_from_the_end_of_the_log_alone() {
    let past = Past::under("global_default: sonnet");
    let (_, all) = past.try_on(&[("opus", "global_default: opus")]);
    let head = past.log.head().unwrap().0;
    let (rows, lowest) = try_latest(&past, "global_default: opus", LatestTurns { turns: 2, events: 100_000 });
    let chosen = |rows: &[TurnRow]| -> Vec<_> {
        rows.iter().map(|row| (row.turn, row.recorded.clone(), row.new[0].model.clone())).collect()
    };
    // Turns that cannot be compared have no row.
    assert!(!rows.is_empty() && rows.len() <= 2 && chosen(&all).ends_with(&chosen(&rows)), "{rows:#?}");
    assert!(1 < lowest, "the start of the log was read");
    // Also limited by the number of events.
    let (rows, lowest) = try_latest(&past, "global_default: opus", LatestTurns { turns: 1_000, events: 20 });
    assert!(rows.len() < all.len() && head - 20 <= lowest, "{lowest} of {head}");
    let (rows, _) = try_latest(&past, "global_default: opus", LatestTurns { turns: 1_000, events: 100_000 });
    assert_eq!(chosen(&rows), chosen(&all));
}

#[test]
fn totals_are_the_sums_of_the_rows_in_every_group() {
    let past = Past::under("global_default: sonnet");
    let (report, rows) = past.try_on(&[("commits", COMMITS), ("opus", "global_default: opus")]);
    assert_eq!(rows.len() as u64, report.turns);
    for compared in &report.new {
        let index = ["commits", "opus"].iter().position(|name| *name == compared.name).unwrap();
        let sum: i64 = rows.iter().map(|row| row.new[index].nano_usd).sum();
        let totals = &compared.totals;
        assert_eq!(totals.all.nano_usd, sum);
        for group in [&totals.by_model, &totals.by_rule, &totals.by_project, &totals.by_day] {
            assert_eq!(group.values().map(|share| share.nano_usd).sum::<i64>(), sum);
            assert_eq!(group.values().map(|share| share.turns).sum::<u64>(), report.turns);
        }
        let changed = rows.iter().filter(|row| row.new[index].model != row.old.model).count() as u64;
        let switched: u64 = compared.switches.values().flat_map(|to| to.values()).map(|(turns, _)| turns).sum();
        assert_eq!((compared.changed, switched), (changed, changed));
    }
    let costs: Vec<_> = report.new.iter().map(|new| new.totals.all.nano_usd).collect();
    assert!(costs.is_sorted(), "the cheapest comes first: {costs:?}");
}

#[test]
fn a_choice_parts_where_the_chains_differ_first() {
    let past = Past::under("global_default: sonnet");
    let old = Baseline::Policy(past.candidate("old", "global_default: opus"));
    let (report, rows) = past.ask(&[("commits", COMMITS)], old, Range::default());
    let changed: Vec<_> = rows.iter().filter(|row| row.new[0].model != row.old.model).collect();
    assert!(!changed.is_empty() && changed.len() < rows.len(), "{} of {}", changed.len(), rows.len());
    for row in changed {
        assert_eq!((row.parted[0], row.new[0].rule.as_str()), (Some(Slot::ConfiguredRules), "commits"));
    }
    assert_eq!(report.against, "old");
}

#[test]
fn without_the_text_only_a_policy_that_needs_it_cannot_be_judged() {
    let past = Past::under("global_default: sonnet").without_text();
    let (report, rows) = past.try_on(&[("commits", COMMITS)]);
    assert_eq!((report.turns, rows.len()), (0, 0));
    let reasons: Vec<_> = report.excluded.keys().map(String::as_str).collect();
    assert_eq!(reasons, ["the text of the message is gone, and `commits` looks at it"]);
    assert_eq!(report.excluded_total().turns, 9);
    assert_eq!(report.excluded_turns.len(), 9);
    let (report, _) = past.try_on(&[("opus", "global_default: opus")]);
    assert!(0 < report.turns);
}

#[test]
fn a_turn_whose_price_nobody_knows_is_listed_and_not_guessed() {
    let mut priced = 0;
    let past = Past::under("global_default: sonnet").with_events(|event| {
        if let Some(mut call) = event.read::<LlmCallCompleted>().unwrap() {
            priced += 1;
            if priced == 1 {
                (call.model, call.cost) = ("acme:unheard-of".try_into().unwrap(), None);
                event.event.payload = encode("llm.call_completed", &call).unwrap().into();
            }
        }
    });
    let (report, rows) = past.try_on(&[("opus", "global_default: opus")]);
    assert_eq!(
        report.excluded.get("the price of `acme:unheard-of` is not known").map(|total| total.turns),
        Some(1),
        "{:?}",
        report.excluded
    );
    assert!(rows.iter().all(|row| row.recorded != "acme:unheard-of"));
}

#[test]
fn a_policy_that_refuses_a_turn_is_told() {
    let past = Past::under("global_default: sonnet");
    let (report, rows) = past.try_on(&[("nothing", "")]);
    // The remaining turns are those whose message named a model.
    assert!(rows.iter().all(|row| row.new[0].rule == "PER_MESSAGE_OVERRIDE"));
    assert_eq!(report.turns + report.excluded_total().turns, 9);
    assert!(report.excluded.contains_key("`nothing` has no model that can take it"), "{:?}", report.excluded);
}

#[test]
fn changing_model_in_mid_session_costs_the_cache_that_is_lost() {
    let past = Past::under("global_default: sonnet");
    let model = recorded_model(&past);
    // Switching to another model of the same price costs a cold cache. Pricing the recorded usage alone would show no
    // difference.
    let (report, rows) = past
        .try_on(&[("commits", &COMMITS.replace("opus", &format!("\"{model}\""))), ("all", "global_default: haiku")]);
    let own = rows.iter().filter(|row| row.new[0].model != row.old.model).count();
    assert!(0 < own, "no turn switches");
    let all = report.new.iter().find(|new| new.name == "all").unwrap();
    assert!(0 < all.totals.all.nano_usd);
}

#[test]
fn what_was_spent_today_follows_the_policy_that_is_tried() {
    let past = Past::under("global_default: sonnet");
    let budget = "rules:\n  - {name: budget, when: {cost_today_exceeds_usd: 0.05}, use: haiku}\nglobal_default: opus\n";
    let (_, dear) = past.try_on(&[("dear", budget)]);
    let (_, cheap) = past.try_on(&[("cheap", &budget.replace("opus", "haiku"))]);
    let within = |rows: &[what_if::TurnRow]| rows.iter().filter(|row| row.new[0].rule == "budget").count();
    assert!(within(&cheap) < within(&dear), "{} and {}", within(&cheap), within(&dear));
}

#[test]
fn asking_twice_gives_the_same_and_stopping_stops() {
    let past = Past::under("global_default: sonnet");
    assert_eq!(past.try_on(&[("commits", COMMITS)]), past.try_on(&[("commits", COMMITS)]));
    let question = what_if::Backtest {
        candidates: vec![past.candidate("commits", COMMITS)],
        against: Baseline::Recorded,
        range: Range::default(),
        models: std::sync::Arc::clone(&past.models),
    };
    let stopped = what_if::backtest(&*past.log, &*past.texts, &question, &mut |_| {}, &mut |position| position.0 < 20);
    assert!(matches!(stopped, Err(WhatIfError::Stopped)));
}

#[test]
fn each_turn_and_policy_is_a_line_of_values() {
    let past = Past::under("global_default: sonnet");
    let (_, rows) = past.try_on(&[("commits", COMMITS), ("opus", "global_default: opus")]);
    let mut out = Vec::new();
    write_csv(&mut out, &["commits".to_owned(), "opus".to_owned()], &rows).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 1 + rows.len() * 2);
    insta::assert_snapshot!(text.lines().take(5).collect::<Vec<_>>().join("\n"));
}
