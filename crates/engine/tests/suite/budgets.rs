//! Budgets over the events of the log: what was spent, what is in flight, and what parallel turns may pass (decision D46).

use std::collections::BTreeSet;

use catalogue::estimate::PromptShape;
use contracts::{
    ClientRequest, NanoUsd, ResponseSummary, Thread, ThreadId, Usage,
    events::{ErrorClass, RouteDecided, StopReason, TurnStarted, TurnStatus},
};
use engine::{Call, CallFailure, TurnInput, TurnOutcome, budget_lines};

use crate::support::{
    Desk,
    desk::{client_request, session},
    models::{OPUS, model_id},
};

/// Opus costs $5 per million tokens of input and $25 of output, so that a call is estimated at $0.525.
const POLICY: &str = "global_default: opus\nbudgets: [{name: today, limit_usd: 2, period: day}]\n";
const PROMPT: PromptShape =
    PromptShape { recorded_tokens: 100_000, characters: 0, messages: 0, images: 0, tools: 0, tool_characters: 0 };
const ESTIMATE: NanoUsd = NanoUsd(525_000_000);

/// Returns a request of a sub-agent of one session.
fn sub_agent(name: &str) -> TurnInput {
    let request = ClientRequest { subagent: true, ..client_request() };
    TurnInput {
        thread: Thread::SubAgent(ThreadId::try_from(name).unwrap()),
        workspace: Some("/shop".to_owned()),
        prompt: PROMPT,
        request: Some(request),
        ..TurnInput::new(session("one"), name, "look around")
    }
}

/// Decides a turn and, as the gateway does in the same command, records its call; `None` if the turn was refused.
fn send(desk: &mut Desk, input: TurnInput) -> (TurnOutcome, Option<Call>) {
    let outcome = desk.arrive(input).unwrap();
    let model = outcome.model().cloned();
    let call = model.map(|model| desk.engine.record_call(&outcome, &model, &BTreeSet::new()).unwrap());
    desk.engine.commit().unwrap();
    (outcome, call)
}

/// Records the response of a call with this number of output tokens, which cost $0.025 per thousand.
fn answer(desk: &mut Desk, call: &Call, output: u64) {
    let response = ResponseSummary {
        usage: Some(Usage { output, ..Usage::default() }),
        stop_reason: StopReason::EndTurn,
        ..ResponseSummary::default()
    };
    desk.engine.record_response(call, &response, None, desk.now).unwrap();
    desk.engine.commit().unwrap();
}

fn in_flight(desk: &Desk) -> NanoUsd {
    desk.engine.state().costs.in_flight(costs::CostScope::All)
}

#[test]
fn d46_ten_parallel_sub_agents_do_not_all_pass_a_budget() {
    let mut desk = Desk::with(POLICY);
    let sent: Vec<_> = (0..10).map(|number| send(&mut desk, sub_agent(&format!("agent-{number}")))).collect();
    let passed: Vec<bool> = sent.iter().map(|(_, call)| call.is_some()).collect();
    // Three calls reserve $1.575, the fourth passes with the rest and reserves more than it.
    assert_eq!(passed, [true, true, true, true, false, false, false, false, false, false]);
    assert_eq!(in_flight(&desk), NanoUsd(4 * ESTIMATE.0));
    let refused = &sent[4].0;
    let banner = refused.banners[0].to_string();
    assert!(
        banner.contains("Budget \"today\" for all sessions: $0.00 of $2.00 per day spent and $2.10 in flight"),
        "{banner}"
    );
    assert!(banner.contains("resets 2026-05-09 00:00 UTC"), "{banner}");
    assert!(!banner.contains("Nothing was tried"), "{banner}");
    desk.stands_where_the_log_says();

    // Responses release the estimates, so others pass.
    for call in sent.iter().filter_map(|(_, call)| call.as_ref()) {
        answer(&mut desk, call, 1_000);
    }
    assert_eq!(in_flight(&desk), NanoUsd(0));
    let (next, call) = send(&mut desk, sub_agent("agent-11"));
    assert_eq!(next.model(), Some(&model_id(OPUS)));
    let started = desk.all::<TurnStarted>().pop().unwrap();
    assert_eq!((started.spent_today, started.spending.in_flight.all), (NanoUsd(100_000_000), NanoUsd(0)));
    assert_eq!((started.spending.session, started.spending.project.week), (NanoUsd(100_000_000), NanoUsd(100_000_000)));
    assert_eq!(started.spending.client.month, NanoUsd(100_000_000));
    answer(&mut desk, &call.unwrap(), 100_000);
    let (refused, _) = send(&mut desk, sub_agent("agent-12"));
    assert_eq!(refused.model(), None, "$2.60 are spent");
    desk.stands_where_the_log_says();
}

#[test]
fn d46_a_call_that_fails_or_a_turn_that_ends_releases_its_estimate() {
    let mut desk = Desk::with(POLICY);
    let (_, call) = send(&mut desk, sub_agent("agent-1"));
    assert_eq!(in_flight(&desk), ESTIMATE);
    let failure = CallFailure {
        class: ErrorClass::Overloaded,
        status: Some(529),
        retries: 0,
        usage: None,
        raw_usage: None,
        key: None,
    };
    desk.engine.record_call_failure(&call.unwrap(), &failure).unwrap();
    assert_eq!(in_flight(&desk), NanoUsd(0));
    let (outcome, _) = send(&mut desk, sub_agent("agent-2"));
    assert_eq!(in_flight(&desk), ESTIMATE);
    desk.engine.end_turn(&session("one"), outcome.turn, TurnStatus::Cancelled).unwrap();
    assert_eq!(in_flight(&desk), NanoUsd(0));
    desk.engine.commit().unwrap();
    desk.stands_where_the_log_says();
}

#[test]
fn d46_a_budget_resets_at_midnight_and_its_state_can_be_read() {
    let mut desk = Desk::with(POLICY);
    let (_, call) = send(&mut desk, sub_agent("agent-1"));
    answer(&mut desk, &call.unwrap(), 100_000);
    let policy = &desk.engine.policy().policy;
    let [line] = budget_lines(policy, &desk.engine.state().costs, desk.now).try_into().unwrap();
    assert_eq!((line.spent, line.remaining, line.percent), (NanoUsd(2_500_000_000), NanoUsd(0), 125));
    assert_eq!(
        (line.name.as_str(), line.scope, line.period, line.on_reached.as_str()),
        ("today", "all", "day", "refuse")
    );
    let resets_at = line.resets_at.unwrap();
    assert_eq!(send(&mut desk, sub_agent("agent-2")).0.model(), None);
    let until_midnight = resets_at.secs() - desk.now.secs();
    desk.pass_secs(until_midnight);
    assert_eq!(send(&mut desk, sub_agent("agent-3")).0.model(), Some(&model_id(OPUS)));
}

#[test]
fn d46_a_budget_of_each_session_has_a_line_for_those_that_spent_most() {
    let mut desk = Desk::with("global_default: opus\nbudgets: [{limit_usd: 2, scope: session}]\n");
    for number in 1..=7_u64 {
        let input = TurnInput { session: session(&format!("session-{number}")), ..sub_agent("agent-1") };
        let (_, call) = send(&mut desk, input);
        answer(&mut desk, &call.unwrap(), number * 1_000);
    }
    let lines = budget_lines(&desk.engine.policy().policy, &desk.engine.state().costs, desk.now);
    let subjects: Vec<_> = lines.iter().filter_map(|line| line.subject.as_deref()).collect();
    assert_eq!(subjects, ["session-7", "session-6", "session-5", "session-4", "session-3"]);
    assert!(lines.iter().all(|line| line.resets_at.is_none()));
    // Each session has the limit for itself.
    let input = |name: &str| TurnInput { session: session(name), ..sub_agent("agent-2") };
    let (_, call) = send(&mut desk, input("session-7"));
    answer(&mut desk, &call.unwrap(), 80_000);
    assert_eq!(send(&mut desk, TurnInput { name: "again".to_owned(), ..input("session-7") }).0.model(), None);
    assert_eq!(send(&mut desk, input("session-6")).0.model(), Some(&model_id(OPUS)));
}

#[test]
fn d46_a_decision_by_a_budget_is_repeated_from_the_log() {
    let mut desk = Desk::with(POLICY);
    for number in 0..6 {
        send(&mut desk, sub_agent(&format!("agent-{number}")));
    }
    let recorded = desk.all::<RouteDecided>();
    let started = desk.all::<TurnStarted>();
    assert_eq!(recorded.iter().filter(|decided| decided.decision.chosen.is_none()).count(), 2);
    for (decided, started) in recorded.iter().zip(&started) {
        let turn = contracts::Turn::new(started, desk.now, contracts::MessageText::Present("look around"));
        let state = engine::DecisionState::default();
        let (policy, views) = (&desk.engine.policy().policy, engine::ReplacedViews::default());
        let repeated = engine::repeat_decision(decided, &turn, policy, &state, views).unwrap();
        assert_eq!(&repeated, decided);
    }
}

#[test]
fn a_project_has_one_budget_however_its_client_writes_the_path() {
    let mut desk = Desk::with(
        "global_default: opus\nbudgets: [{name: shop, limit_usd: 2, period: day, scope: project, project: /shop}]\n",
    );
    let input = |name: &str, path: &str| TurnInput { workspace: Some(path.to_owned()), ..sub_agent(name) };
    let (_, call) = send(&mut desk, input("agent-1", "/shop/"));
    answer(&mut desk, &call.unwrap(), 100_000);
    assert_eq!(send(&mut desk, input("agent-2", "/other")).0.model(), Some(&model_id(OPUS)));
    for (index, path) in ["/shop", "/shop/", "/other/..//shop/."].into_iter().enumerate() {
        let outcome = send(&mut desk, input(&format!("agent-{}", index + 3), path)).0;
        assert_eq!(outcome.model(), None, "{path}");
        assert_eq!(desk.all::<TurnStarted>().pop().unwrap().workspace.as_deref(), Some("/shop"));
    }
    let (_, windows) = send(&mut desk, input("agent-9", "C:\\shop"));
    assert!(windows.is_some());
    assert_eq!(desk.all::<TurnStarted>().pop().unwrap().workspace.as_deref(), Some("C:\\shop"));
}
