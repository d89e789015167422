//! The backtest agrees with the gateway: what the gateway recorded under one policy changes under another exactly where the
//! gateway decides otherwise when it runs the same requests under that policy.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{
    Reason, TurnId,
    events::{LlmCallCompleted, RouteDecided, RouteFallback},
};
use event_bus::{Clock as _, SystemClock};
use hyper::Method;
use mock_upstream::Failure;
use router_core::Policy;
use serde_json::{Value, json};
use what_if::{Backtest, Baseline, Candidate, Range, Report, TurnRow, backtest, savings};

use crate::support::{World, message};

/// The model that a client requests keeps its turns, except those of two rules.
const REQUESTED: &str = "schema_version: 1
global_default: sonnet
gateway: {client_model: default}
rules:
  - {name: typos, when: {message_matches: typo}, use: claude-haiku-4-5}
  - {name: sub-agents, when: {thread_is_subagent: true}, use: claude-haiku-4-5}
";
/// Thinking binds a session to the model that signed it.
const STRICT: &str = "schema_version: 1
global_default: sonnet
gateway: {client_model: default, keep_thinking: true}
rules:
  - {name: typos, when: {message_matches: typo}, use: claude-haiku-4-5}
  - {name: thinkers, when: {message_matches: THINK}, use: sonnet}
";
/// Another provider takes what it supports, and a budget that one turn exceeds the rest.
const OTHER: &str = "schema_version: 1
global_default: opus
gateway: {client_model: auto, adapt: []}
rules:
  - {name: cheap, when: {message_matches: \"typo|explore\"}, use: gpt-5-mini}
  - {name: tools, when: {message_matches: TOOLCALL}, use: claude-haiku-4-5}
  - {name: budget, when: {cost_today_exceeds_usd: 0.0000001}, use: sonnet}
";
/// The first turn spends the budgets of its project, its session and its client: the first one that applies decides each later
/// turn. In the second session, which has no project, the client's budget decides until the session's is spent.
const BUDGETS: &str = "schema_version: 1
global_default: sonnet
gateway: {client_model: default}
budgets:
  - {name: shop, scope: project, limit_usd: 0.0000001, period: week, use: claude-haiku-4-5}
  - {name: each session, scope: session, limit_usd: 0.0000002, use: opus}
  - {name: agents, scope: client, client: claude-code, limit_usd: 0.0000003, period: month, use: claude-sonnet-4-5}
";

/// A conversation of Claude Code: sends each message with the whole history, and continues while tools are called.
fn converse(world: &World, headers: &[(&str, &str)], asked: &str, cached: bool, messages: &[&str]) {
    let mut body = message(asked, "");
    body["messages"] = json!([]);
    body["tools"] = json!([{ "name": "Read", "input_schema": { "type": "object" } }]);
    if cached {
        body["system"] = json!([{ "type": "text", "text": "# Environment\n - Primary working directory: /home/dev/shop\n", "cache_control": { "type": "ephemeral" } }]);
    }
    for text in messages {
        let mut content = json!(text);
        loop {
            body["messages"].as_array_mut().unwrap().push(json!({ "role": "user", "content": content }));
            let answer = world.post("/v1/messages", headers, &body);
            assert_eq!(answer.status.as_u16(), 200, "{text}: {}", answer.body);
            let answer = answer.json();
            body["messages"].as_array_mut().unwrap().push(json!({ "role": "assistant", "content": answer["content"] }));
            let calls = answer["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_use");
            let result = |call: &Value| json!({ "type": "tool_result", "tool_use_id": call["id"], "content": "green" });
            let results: Vec<Value> = calls.map(result).collect();
            if results.is_empty() {
                break;
            }
            content = Value::Array(results);
        }
    }
}

/// Runs the same requests under a policy; returns the gateway after all turns have ended.
fn run(policy: &str) -> World {
    let world = World::new(policy);
    let session =
        |id: &'static str| [("x-claude-code-session-id", id), ("user-agent", "claude-cli/2.1.197 (external, cli)")];
    let first = session("11111111-0000-4000-8000-000000000001");
    let thinking = [
        "THINK about it",
        "fix the typo",
        "TOOLCALL:Read:{\"file_path\":\"/home/dev/a.rs\"}",
        "@haiku be quick",
        "and now",
    ];
    converse(&world, &first, "claude-opus-4-8", true, &thinking);
    let second = session("11111111-0000-4000-8000-000000000002");
    converse(&world, &second, "turnwise", false, &["hello", "another typo", "thanks"]);
    let agent = [&second[..], &[("x-claude-code-agent-id", "agent-1")]].concat();
    converse(&world, &agent, "claude-opus-4-8", false, &["explore the code"]);
    world.ended(9);
    world
}

/// Decides the log of a gateway again under a policy.
fn decide_again(world: &World, policy: &str) -> (Report, Vec<TurnRow>) {
    let registry = Arc::clone(&world.registry);
    let policy = Arc::new(Policy::load(policy, Arc::clone(&registry), None).unwrap());
    let candidate = Candidate { name: "tried".to_owned(), policy };
    let (candidates, against) = (vec![candidate], Baseline::Recorded);
    let options = Backtest { candidates, against, range: Range::default(), models: registry };
    let mut rows = Vec::new();
    let mut keep = |row: &TurnRow| rows.push(row.clone());
    let report = backtest(world.log.as_ref(), world.texts.as_ref(), &options, &mut keep, &mut |_| true).unwrap();
    (report, rows)
}

/// Returns the model that each turn ran on.
fn models(world: &World) -> BTreeMap<TurnId, String> {
    let mut models = BTreeMap::new();
    for call in world.events::<LlmCallCompleted>() {
        models.entry(call.turn).or_insert_with(|| call.model.to_string());
    }
    models
}

#[test]
fn under_the_same_policy_no_turn_changes() {
    for policy in [REQUESTED, STRICT, OTHER, BUDGETS] {
        let world = run(policy);
        let (report, rows) = decide_again(&world, policy);
        assert_eq!((report.turns, report.excluded.len(), report.new[0].changed), (9, 0, 0), "{policy}\n{report:#?}");
        for row in &rows {
            assert_eq!((&row.new[0].model, &row.new[0].rule), (&row.old.model, &row.old.rule), "{row:?}");
            assert_eq!(row.new[0].nano_usd, row.recorded_nano_usd, "what ran costs what it cost: {row:?}");
        }
        let hits: u64 = report.hits.iter().map(|(_, hits)| hits.live + hits.imported).sum();
        assert_eq!(hits, rows.iter().filter(|row| report.hits.for_rule(&row.old.rule).live > 0).count() as u64);
    }
}

#[test]
fn under_another_policy_each_turn_changes_as_the_gateway_decides_it() {
    let worlds = [REQUESTED, STRICT, OTHER, BUDGETS].map(|policy| (policy, run(policy)));
    for (recorded_under, world) in &worlds {
        for (policy, other) in &worlds {
            let (report, rows) = decide_again(world, policy);
            assert_eq!(report.turns, 9, "{:?}", report.excluded);
            let ran = models(other);
            for row in rows {
                assert_eq!(
                    row.new[0].model, ran[&row.turn],
                    "{row:?}\nrecorded under {recorded_under}\ntried {policy}"
                );
                assert!(0 < row.new[0].nano_usd, "a provider bills more than nothing: {row:?}");
            }
        }
    }
}

#[test]
fn budgets_of_a_project_a_session_and_a_client_each_decide_a_turn() {
    let world = run(BUDGETS);
    let decided = world.events::<RouteDecided>();
    let budget = |decided: &RouteDecided| match &decided.decision.winner()?.reason {
        Reason::BudgetSpent(budget) => Some(budget.name.clone()),
        _ => None,
    };
    let names: BTreeSet<_> = decided.iter().filter_map(budget).collect();
    let costs: Vec<_> = world.events::<LlmCallCompleted>().iter().map(|call| call.cost).collect();
    assert_eq!(names, BTreeSet::from(["agents", "each session", "shop"].map(str::to_owned)), "{costs:?}");
}

#[test]
fn the_page_shows_the_budgets_as_the_status_does() {
    let world = run(BUDGETS);
    let shown = world.send(&Method::GET, "/api/spend", &[], "").json();
    let now = SystemClock.now();
    let lines = world.run(
        world
            .gateway
            .bus()
            .query(move |engine| json!(engine::budget_lines(&engine.policy().policy, &engine.state().costs, now))),
    );
    assert_eq!(shown["budgets"], lines.unwrap());
    let names: Vec<_> = shown["budgets"].as_array().unwrap().iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["shop", "each session", "each session", "agents"]);
    assert_eq!(
        (&shown["budgets"][0]["subject"], &shown["budgets"][3]["period"]),
        (&json!("/home/dev/shop"), &json!("month"))
    );
}

#[test]
fn the_page_shows_what_savings_computes_and_the_success_of_both_models_of_a_change() {
    let world = run(REQUESTED);
    let range = Range::default();
    let registry = Arc::clone(&world.registry);
    let expected = savings(world.log.as_ref(), world.texts.as_ref(), registry, range, None, &mut |_| true).unwrap();
    let shown = world.send(&Method::GET, "/api/savings", &[], "").json();
    assert!(0 < expected.saved_nano_usd);
    assert_eq!(shown["saved"], expected.saved_nano_usd);
    assert_eq!(shown["saved_without_cache_effects"], expected.saved_without_cache_effects_nano_usd);
    assert_eq!((&shown["spent"], &shown["turns"]), (&json!(expected.spent_nano_usd), &json!(expected.turns)));
    let by_rule: i64 = shown["rules"].as_array().unwrap().iter().map(|rule| rule["saved"].as_i64().unwrap()).sum();
    assert_eq!(by_rule, expected.saved_nano_usd, "the sum over the rules is the total");
    let success = |rule: &str| {
        let rows = world.send(&Method::GET, "/api/turns", &[], "").json();
        let row =
            rows["turns"].as_array().unwrap().iter().find(|row| row["rule"] == rule || row["slot"] == rule).unwrap();
        world.send(&Method::GET, &format!("/turns/{}", row["turn"].as_str().unwrap()), &[], "").json()["success"]
            .clone()
    };
    let changed = success("sub-agents");
    let models: Vec<_> = changed.as_array().unwrap().iter().map(|one| one["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["anthropic:claude-opus-4-8", "anthropic:claude-haiku-4-5"]);
    let is_text = |one: &Value| one["success"] == "not known" || one["success"].as_str().unwrap().contains("n=");
    assert!(changed.as_array().unwrap().iter().all(is_text), "{changed:#}");
    assert_eq!(success("GLOBAL_DEFAULT"), json!([]), "the client left the choice to turnwise");
}

#[test]
fn a_model_that_failed_has_failed_for_the_same_policy_again() {
    let world = World::new(REQUESTED);
    world.mock.fail(Failure::always(Failure::status(529)).for_model("claude-haiku-4-5"));
    converse(&world, &[], "claude-opus-4-8", false, &["fix the typo"]);
    world.ended(1);
    let first = world.events::<RouteDecided>()[0].decision.chosen.clone().unwrap();
    let fallbacks = world.events::<RouteFallback>();
    assert_eq!((first.model(), fallbacks.len()), ("claude-haiku-4-5", 1));
    let (report, rows) = decide_again(&world, REQUESTED);
    assert_eq!((report.turns, report.new[0].changed), (1, 0), "{rows:?}");
    assert_eq!(rows[0].new[0].model, "anthropic:claude-opus-4-8");
}

#[test]
fn savings_are_the_difference_to_the_requested_models_and_leave_out_turns_without_one() {
    let world = run(REQUESTED);
    let (candidates, models) = (Vec::new(), Arc::clone(&world.registry));
    let options = Backtest { candidates, against: Baseline::Requested, range: Range::default(), models };
    let mut rows = Vec::new();
    let mut keep = |row: &TurnRow| rows.push(row.clone());
    let report = backtest(world.log.as_ref(), world.texts.as_ref(), &options, &mut keep, &mut |_| true).unwrap();
    assert_eq!(report.turns, 6, "{:?}", report.excluded);
    let reasons: Vec<_> = report.excluded.iter().map(|(reason, total)| (reason.as_str(), total.turns)).collect();
    assert_eq!(reasons, [("the client left the choice to turnwise, or asked for an unknown model", 3)]);
    assert!(rows.iter().all(|row| row.old.model == "anthropic:claude-opus-4-8"), "{rows:?}");
    let rerouted: Vec<_> = rows.iter().filter(|row| row.recorded != row.old.model).collect();
    let mut rules: Vec<_> = rerouted.iter().map(|row| row.recorded_rule.as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["PER_MESSAGE_OVERRIDE", "sub-agents", "typos"]);
    for row in &rows {
        let is_cheaper = row.recorded_nano_usd < row.old.same_cache_nano_usd;
        assert_eq!(
            is_cheaper,
            row.recorded != row.old.model,
            "a smaller model costs less, the same one the same: {row:?}"
        );
    }
    assert!(report.recorded_nano_usd < report.old_same_cache_nano_usd);
}
