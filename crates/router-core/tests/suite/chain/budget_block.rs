//! The block `budgets`: limits by period and scope, their consequences, and their banners (decision D46).

use contracts::{
    ClientRequest, InFlight, NanoUsd, PeriodAmounts, Slot, Spending, Verdict,
    views::{NoPatterns, Outages, Views},
};
use event_core::Timestamp;
use router_core::{NoticeContext, Outcome, Policy, Scenario, TurnStage, decide as decide_turn};

use crate::support::{chosen, decide, explain, live_request, load_over, policy, registry};

const DOLLAR: u64 = 1_000_000_000;

fn dollars(cents: u64) -> NanoUsd {
    NanoUsd(cents * DOLLAR / 100)
}

/// A policy with one budget and a default.
fn with_budget(budget: &str) -> Policy {
    policy(&format!(
        "budgets: [{{{budget}}}]\nrules: [{{name: deep, when: {{message_matches: deep}}, use: opus}}]\nglobal_default: sonnet"
    ))
}

fn in_month(cents: u64) -> Scenario {
    Scenario::message("hello").spending(Spending { month: dollars(cents), ..Spending::default() })
}

const MONTH: &str = "name: month, limit_usd: 10, period: month";

#[test]
fn d46_a_spent_budget_refuses_every_turn_even_with_an_explicit_choice() {
    let policy = with_budget(MONTH);
    assert_eq!(chosen(&in_month(999), &policy), "GLOBAL_DEFAULT claude-sonnet-4-6");
    for scenario in [in_month(1_000), in_month(5_000), in_month(1_000).sticky("haiku")] {
        let decision = decide(&scenario, &policy);
        assert_eq!((decision.chosen.as_ref(), decision.chain.len()), (None, 1));
        let entry = decision.entry(Slot::Budget).unwrap();
        assert_eq!((entry.verdict, &entry.candidate), (Verdict::Rejected, &None));
    }
    insta::assert_snapshot!(explain(&in_month(1_050), &policy));
}

#[test]
fn d46_a_spent_budget_may_select_the_model_of_every_turn() {
    let policy = with_budget(&format!("{MONTH}, use: [haiku, mini]"));
    assert_eq!(chosen(&in_month(999), &policy), "GLOBAL_DEFAULT claude-sonnet-4-6");
    assert_eq!(chosen(&in_month(1_000), &policy), "BUDGET claude-haiku-4-5");
    assert_eq!(chosen(&in_month(1_000).sticky("opus"), &policy), "BUDGET claude-haiku-4-5");
    assert_eq!(chosen(&in_month(1_000).model_out("haiku"), &policy), "BUDGET gpt-5-mini");
    let none_left = in_month(1_000).model_out("haiku").model_out("mini");
    assert_eq!(chosen(&none_left, &policy), "refused");
    insta::assert_snapshot!(explain(&in_month(1_000).model_out("haiku"), &policy));
    insta::assert_snapshot!(explain(&none_left, &policy));
}

#[test]
fn d46_a_warning_changes_no_model_and_is_shown_from_80_percent() {
    let policy = with_budget(&format!("{MONTH}, on_reached: warn"));
    let shown = |cents| explain(&in_month(cents), &policy).split_once("Shown: ").map(|(_, banner)| banner.to_owned());
    assert_eq!(shown(799), None);
    assert_eq!(
        shown(800).unwrap().trim_end(),
        "Budget \"month\" for all sessions: $8.00 of $10.00 per month spent, $2.00 left; resets 1970-02-01 00:00 UTC."
    );
    assert!(shown(1_200).unwrap().contains("$12.00 of $10.00 per month spent, $0.00 left"));
    assert_eq!(chosen(&in_month(1_200), &policy), "GLOBAL_DEFAULT claude-sonnet-4-6");
}

#[test]
fn d46_calls_in_flight_count_until_they_end() {
    let policy = with_budget(MONTH);
    let scenario = |in_flight| {
        let in_flight = InFlight { all: dollars(in_flight), ..InFlight::default() };
        Scenario::message("hello").spending(Spending { month: dollars(700), in_flight, ..Spending::default() })
    };
    assert_eq!(chosen(&scenario(299), &policy), "GLOBAL_DEFAULT claude-sonnet-4-6");
    assert_eq!(chosen(&scenario(300), &policy), "refused");
    assert!(
        explain(&scenario(300), &policy).contains("$7.00 of $10.00 per month spent and $3.00 in flight, $3.00 left")
    );
}

/// The slot that decides a turn of a session in `/shop`, whose client is Codex.
fn decided_by(policy: &Policy, spent_today: u64, spending: Spending) -> &'static str {
    let mut turn = Scenario::message("hello").workspace("/shop").spending(spending).turn(policy).unwrap();
    turn.started.spent_today = dollars(spent_today);
    turn.started.request = Some(ClientRequest { client: Some("codex".to_owned()), ..live_request() });
    let decision =
        decide_turn(&turn.turn(), policy, &Views { outages: &Outages::default(), patterns: &NoPatterns }).decision;
    if decision.chosen.is_none() { "refused" } else { "served" }
}

#[test]
fn d46_each_scope_and_period_counts_its_own_amount() {
    let spent = dollars(100);
    let none = Spending::default();
    let week = PeriodAmounts { week: spent, ..PeriodAmounts::default() };
    let day = PeriodAmounts { day: spent, ..PeriodAmounts::default() };
    let cases: [(&str, u64, Spending); 8] = [
        ("period: day", 100, none),
        ("period: week", 0, Spending { week: spent, ..none }),
        ("period: month", 0, Spending { month: spent, ..none }),
        ("period: week, scope: project", 0, Spending { project: week, ..none }),
        ("period: week, scope: project, project: /shop/", 0, Spending { project: week, ..none }),
        ("period: day, scope: client", 0, Spending { client: day, ..none }),
        ("period: day, client: Codex", 0, Spending { client: day, ..none }),
        ("scope: session", 0, Spending { session: spent, ..none }),
    ];
    for (budget, today, spending) in &cases {
        let limited = with_budget(&format!("limit_usd: 1, {budget}"));
        assert_eq!(decided_by(&limited, *today, *spending), "refused", "{budget}");
        let larger = with_budget(&format!("limit_usd: 1.01, {budget}"));
        assert_eq!(decided_by(&larger, *today, *spending), "served", "{budget}");
        for (other, today, spending) in
            cases.iter().filter(|(_, others_today, others)| (others_today, others) != (today, spending))
        {
            assert_eq!(decided_by(&limited, *today, *spending), "served", "{budget} with the amounts of {other}");
        }
    }
    let elsewhere = with_budget("limit_usd: 1, period: week, scope: project, project: /other");
    assert_eq!(decided_by(&elsewhere, 0, Spending { project: week, ..none }), "served");
}

#[test]
fn d46_a_budget_that_refuses_comes_before_one_that_names_a_model() {
    let policy = policy(
        "budgets: [{limit_usd: 1, period: month, use: haiku}, {limit_usd: 2, period: month}]\nglobal_default: sonnet",
    );
    assert_eq!(chosen(&in_month(150), &policy), "BUDGET claude-haiku-4-5");
    assert_eq!(chosen(&in_month(200), &policy), "refused");
}

#[test]
fn a_decision_by_a_budget_is_explained_from_the_chain_alone() {
    let policy = with_budget(MONTH);
    let turn = in_month(1_050).turn(&policy).unwrap();
    let decision =
        decide_turn(&turn.turn(), &policy, &Views { outages: &Outages::default(), patterns: &NoPatterns }).decision;
    let context =
        NoticeContext { policy: None, spent_today: turn.started.spent_today, turn: None, stage: TurnStage::Ended };
    let outcome: Outcome = Outcome::new(decision, &context);
    let banner = outcome.banners[0].to_string();
    assert!(banner.contains("Budget \"month\": $10.50 of $10.00 per month spent, $0.00 left; resets"), "{banner}");
    assert!(outcome.why.contains("[0] BUDGET"), "{}", outcome.why);
    assert!(outcome.why.contains("$10.50 spent, resets 1970-02-01 00:00 UTC"), "{}", outcome.why);
    assert_eq!(turn.at.utc_day(), Timestamp::from_secs(86_400).utc_day());
}

#[test]
fn rules_may_compare_the_week_the_month_and_the_session() {
    let spent = |key: &str, spending: Spending| {
        let policy = policy(&format!("rules: [{{when: {{{key}: 1.00}}, use: haiku}}]\nglobal_default: sonnet"));
        chosen(&Scenario::message("hello").spending(spending), &policy).starts_with("CONFIGURED_RULES")
    };
    let none = Spending::default();
    for (key, amount) in [
        (
            "cost_this_week_exceeds_usd",
            (|cents| Spending { week: dollars(cents), ..Spending::default() }) as fn(u64) -> Spending,
        ),
        ("cost_this_month_exceeds_usd", |cents| Spending { month: dollars(cents), ..Spending::default() }),
        ("cost_of_session_exceeds_usd", |cents| Spending { session: dollars(cents), ..Spending::default() }),
    ] {
        assert!(spent(key, amount(101)) && !spent(key, amount(100)) && !spent(key, none), "{key}");
    }
    let policy = policy("rules: [{name: saver, when: {cost_this_week_exceeds_usd: 1}, use: haiku}]");
    let scenario = Scenario::message("hello").spending(Spending { week: dollars(150), ..none });
    insta::assert_snapshot!(explain(&scenario, &policy));
}

#[test]
fn invalid_budgets_are_reported_with_their_place() {
    let text = "budgets:
  - {period: day}
  - {limit_usd: 0, period: day}
  - {limit_usd: 5}
  - {limit_usd: 5, period: year}
  - {limit_usd: 5, scope: session, period: day}
  - {limit_usd: 5, period: day, project: /shop, scope: all}
  - {limit_usd: 5, period: day, project: shop}
  - {limit_usd: 5, period: day, on_reached: refuse, use: haiku}
  - {limit_usd: 5, period: day, use: hiaku}
  - {name: a, limit_usd: 5, period: day}
  - {name: a, limit_usd: 6, period: day}
";
    let problems = load_over(text, registry()).unwrap_err();
    insta::assert_snapshot!(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}
