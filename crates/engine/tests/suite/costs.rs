//! Costs: by session and role, of workers, and against a daily budget (004 §5.4, §6.7, §10.1 test 16).

use contracts::{
    CallRole, NanoUsd, Usage,
    events::{LlmCallCompleted, StopReason},
};
use event_core::Timestamp;

use crate::support::{
    Desk,
    desk::{START, session},
    models::{HAIKU, MINI, OPUS, SONNET},
    recorded::{call, recorded_session, recorded_turn},
};

/// Returns the usage of a call that costs `cents` on a model of one dollar per million input tokens.
fn cents(cents: u64) -> Usage {
    Usage { input: cents * 10_000, ..Usage::default() }
}

/// A policy that selects the cheap model for a spending of more than five dollars on a day.
const BUDGET: &str = r#"
rules:
  - name: "budget cap"
    when: {cost_today_exceeds_usd: 5.00}
    use: haiku
gateway: {client_model: auto}
global_default: opus
"#;

/// The cost of a session is the sum of its calls, and can be split by role (planner and workers) and by thread.
#[test]
fn a_session_costs_what_its_calls_cost_workers_included() {
    let mut desk = Desk::with("global_default: opus");
    for message in ["plan it", "go on"] {
        desk.start("sess_42", message);
        desk.answer_as("sess_42", OPUS, None, cents(3), StopReason::ToolUse);
        desk.answer_as("sess_42", HAIKU, Some("tu_01HZ_a"), cents(2), StopReason::EndTurn);
        desk.answer_as("sess_42", HAIKU, Some("tu_01HZ_b"), cents(4), StopReason::EndTurn);
        desk.answer_as("sess_42", MINI, Some("tu_01HZ_c"), cents(1), StopReason::EndTurn);
        desk.answer_as("sess_42", OPUS, None, cents(1), StopReason::EndTurn);
        desk.end("sess_42");
    }
    desk.start("another", "hello");
    desk.answer("another", StopReason::EndTurn);

    let calls = desk.all::<LlmCallCompleted>();
    let of_session = calls.iter().filter(|call| call.session == session("sess_42"));
    let sum: NanoUsd = of_session.map(|call| call.cost.unwrap()).sum();
    let costs = &desk.engine.state().costs;
    let spent = costs.session(&session("sess_42")).unwrap();
    assert_eq!((spent.total().calls, spent.total().cost), (10, sum));
    assert_eq!(spent.role(CallRole::Planner).cost.plus(spent.role(CallRole::Worker).cost), sum);
    assert_eq!(spent.role(CallRole::Worker).cost.to_string(), "$0.14");
    let all: NanoUsd = calls.iter().map(|call| call.cost.unwrap()).sum();
    assert_eq!(costs.overall().cost, all);
    assert_eq!(costs.models().map(|(_, total)| total.cost).sum::<NanoUsd>(), all);

    let lines: Vec<_> = spent
        .threads()
        .map(|(thread, costs)| {
            let label = thread.name().unwrap_or("planner");
            format!("{label} → {}: {}, {} calls", costs.main_model().unwrap(), costs.total().cost, costs.total().calls)
        })
        .collect();
    insta::assert_snapshot!(format!("Session sess_42 — total {}\n{}", spent.total().cost, lines.join("\n")));
}

/// The spending of all sessions counts towards the budget. It is exceeded above the amount, not at it, and running
/// turns keep their model.
#[test]
fn a_budget_is_exceeded_by_recorded_calls_of_all_sessions() {
    let mut desk = Desk::with(BUDGET);
    desk.start("one", "first");
    desk.answer_as("one", HAIKU, None, cents(300), StopReason::EndTurn);
    desk.start("two", "second");
    desk.answer_as("two", HAIKU, Some("worker"), cents(200), StopReason::EndTurn);
    assert_eq!(desk.turn("three", "exactly the budget is not more").as_deref(), Some(OPUS));
    desk.answer_as("two", HAIKU, None, cents(42), StopReason::EndTurn);
    let made = desk.start("three", "now it is");
    assert_eq!(made.model().unwrap().as_str(), HAIKU);
    let shown: Vec<_> = made.banners.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(desk.locked_model("one").unwrap().as_str(), OPUS, "running turns go on");
}

/// The spending of a day is reset at midnight UTC, whatever the user's time zone.
#[test]
fn a_budget_is_new_at_midnight_utc() {
    let mut desk = Desk::with(BUDGET);
    desk.start("one", "first");
    desk.answer_as("one", HAIKU, None, cents(600), StopReason::EndTurn);
    let until_midnight = 86_400 - desk.now.0 / 1_000_000 % 86_400;
    desk.pass_secs(until_midnight - 1);
    assert_eq!(desk.turn("two", "one second before midnight").as_deref(), Some(HAIKU));
    desk.pass_secs(1);
    assert_eq!(desk.turn("two", "midnight").as_deref(), Some(OPUS));
    // The user's clock is two hours ahead of UTC: the user's midnight, two hours ago, does not reset the spending.
    desk.answer_as("one", HAIKU, None, cents(501), StopReason::EndTurn);
    assert_eq!(desk.turn("two", "spent again").as_deref(), Some(HAIKU));
}

/// A call of a model without prices counts as unpriced and adds no cost.
#[test]
fn a_call_without_a_price_is_counted_and_not_guessed() {
    let mut desk = Desk::with("global_default: opus");
    desk.start("one", "hello");
    desk.answer_as("one", "acme:unheard-of", None, cents(100), StopReason::EndTurn);
    desk.answer_as("one", SONNET, None, cents(1), StopReason::EndTurn);
    let total = desk.engine.state().costs.session(&session("one")).unwrap().total();
    assert_eq!((total.calls, total.unpriced_calls, total.cost.to_string().as_str()), (2, 1, "$0.03"));
}

/// An imported turn is decided with the spending of the day on which it happened.
#[test]
fn a_recorded_turn_is_measured_by_the_spending_of_its_own_day() {
    let mut desk = Desk::with(BUDGET);
    let yesterday = Timestamp(START.0 - 86_400_000_000);
    let recorded = recorded_session("rec-1", yesterday);
    let turns = [("m1", yesterday), ("m2", yesterday.plus_secs(60)), ("m3", START)].map(|(name, at)| {
        let mut turn = recorded_turn("rec-1", name, "hello", at);
        for number in 0..1_300 {
            // Each costs 0.4 cents.
            turn.steps.push(call(&format!("{name}-{number}"), at, HAIKU));
        }
        let made = desk.engine.observe_turn(&recorded, &turn).unwrap().unwrap();
        made.model().unwrap().to_string()
    });
    assert_eq!(turns, [OPUS, HAIKU, OPUS]);
}
