//! Figures agree with each other wherever they are shown: hits of rules, and costs.

use crate::{desk::Desk, gateway::RunningGateway};

const POLICY: &str = "rules:
  - {name: commits, when: {message_matches: \"(?i)commit\"}, use: haiku}
  - {name: typos, when: {message_contains_any: [typo, cent]}, use: haiku}
  - {name: never, when: {message_contains_any: [\"not in any message\"]}, use: opus}
global_default: opus
gateway: {client_model: default}
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.write(".turnwise/routing.yaml", POLICY);
    desk.ok(&["import", "claude-code"]);
    desk
}

#[test]
fn hits_of_a_rule_are_the_same_number_on_the_page_in_rules_show_and_in_the_backtest() {
    let desk = desk();
    let shown = desk.json(&["rules", "show"]);
    let backtest = desk.json(&["backtest"]);
    let gateway = RunningGateway::start(&desk);
    let page = gateway.json("/api/rules");
    let mut imported = 0;
    for (rule, listed) in shown["rules"].as_array().unwrap().iter().zip(page["rules"].as_array().unwrap()) {
        let name = rule["name"].as_str().unwrap();
        assert_eq!(listed["name"], rule["name"]);
        let hits = &rule["hits"];
        assert_eq!((&listed["hits"], &listed["hits_imported"]), (&hits["live"], &hits["imported"]), "{name}");
        let tried = &backtest["report"]["hits"]["rules"][name];
        let count = |field: &str| tried[field].as_u64().unwrap_or(0);
        assert_eq!((count("live"), count("imported")), (0, hits["imported"].as_u64().unwrap()), "{name}");
        // Without a budget the same policy decides the same turns again.
        let turns = backtest["report"]["new"][0]["totals"]["by_rule"][name]["turns"].as_u64().unwrap_or(0);
        assert_eq!(turns, count("imported"), "{name}");
        imported += count("imported");
    }
    assert!(2 <= imported, "{shown}");
}

#[test]
fn every_dimension_of_the_costs_has_the_same_total() {
    let desk = desk();
    let overview = desk.json(&["cost"]);
    let total = &overview["overall"]["cost_nano_usd"];
    assert!(0 < total.as_u64().unwrap());
    for dimension in ["day", "week", "month", "project", "client", "model", "rule", "role", "session", "result"] {
        let by = desk.json(&["cost", "--by", dimension]);
        assert_eq!(&by["overall"]["cost_nano_usd"], total, "{dimension}");
        let groups = by["groups"].as_array().unwrap();
        let sum: u64 = groups.iter().map(|group| group["cost_nano_usd"].as_u64().unwrap()).sum();
        assert_eq!(sum, total.as_u64().unwrap(), "{dimension}");
    }
    let by = desk.json(&["cost", "--by", "model,week"]);
    assert_eq!(by["by"], serde_json::json!(["model", "week"]));
    let models = desk.json(&["cost", "--by", "model"]);
    for model in models["groups"].as_array().unwrap() {
        let weeks = by["groups"].as_array().unwrap().iter().filter(|group| group["model"] == model["name"]);
        let sum: u64 = weeks.map(|group| group["cost_nano_usd"].as_u64().unwrap()).sum();
        assert_eq!(sum, model["cost_nano_usd"].as_u64().unwrap(), "{model}: the weeks add up to the model");
    }
    let backtest = desk.json(&["backtest"]);
    let report = &backtest["report"];
    let excluded: i64 =
        report["excluded"].as_object().unwrap().values().map(|total| total["nano_usd"].as_i64().unwrap()).sum();
    let compared = report["recorded_nano_usd"].as_i64().unwrap() + report["outside"]["nano_usd"].as_i64().unwrap();
    assert_eq!(compared + excluded, total.as_i64().unwrap(), "the backtest accounts for every call");
    let savings = desk.json(&["savings"]);
    assert_eq!(savings["turns"], 0);
    let reasons = savings["excluded"].as_object().unwrap();
    assert_eq!(reasons.keys().collect::<Vec<_>>(), ["imported: it ran on the model that was asked for"]);
    let before = desk.json(&["cost", "--to", "2026-05-19T00:00:00Z"]);
    let after = desk.json(&["cost", "--from", "2026-05-19T00:00:00Z"]);
    let cost = |json: &serde_json::Value| json["overall"]["cost_nano_usd"].as_u64().unwrap();
    assert!(0 < cost(&before) && 0 < cost(&after));
    assert_eq!(cost(&before) + cost(&after), total.as_u64().unwrap());
}

#[test]
fn the_overview_of_costs_reads_well() {
    let desk = desk();
    insta::with_settings!({filters => vec![(r"(?m) +$", "")]}, { insta::assert_snapshot!(desk.ok(&["cost"])) });
}

#[test]
fn combined_dimensions_are_ordered_by_cost_and_by_time() {
    let desk = desk();
    insta::with_settings!({filters => vec![(r"(?m) +$", "")]}, {
        insta::assert_snapshot!(desk.ok(&["cost", "--by", "model,day"]));
    });
}

#[test]
fn calls_without_a_price_are_counted_and_named() {
    let desk = Desk::new();
    let session = transcripts::DEMO_SESSION.replace("claude-haiku-4-5-20251001", "claude-unheard-of");
    desk.write(".claude/projects/shop/demo.jsonl", &session);
    desk.ok(&["import", "claude-code"]);
    let costs = desk.json(&["cost"]);
    assert_eq!(costs["unpriced"][0]["model"], "anthropic:claude-unheard-of");
    assert_eq!(costs["unpriced"][0]["calls"], costs["overall"]["unpriced_calls"]);
    let out = desk.ok(&["cost"]);
    assert!(out.contains("models without a known price: anthropic:claude-unheard-of ("), "{out}");
    assert!(out.contains("unpriced"), "{out}");
}

#[test]
fn the_report_tells_what_was_spent_what_it_would_have_been_and_at_what_risk() {
    let desk = desk();
    desk.ok(&["backtest", "--html", "report.html"]);
    let page = std::fs::read_to_string(desk.path("report.html")).unwrap();
    for part in ["<b>Spent:</b>", "<b>With routing.yaml:</b>", "<b>Risk:</b>", "one cent too high", "not known"] {
        assert!(page.contains(part), "{part}");
    }
    let folder = desk.path("");
    assert!(!page.contains(folder.to_str().unwrap()), "no path of this machine");
    assert!(!page.contains("Decided then"));
}

#[test]
fn costs_of_an_empty_log_and_of_an_empty_period_are_one_sentence_with_the_next_step() {
    let empty = Desk::new();
    for arguments in [&["cost"][..], &["cost", "--by", "day"], &["cost", "--plan", "100"]] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(empty.ok(arguments), @r"
            Nothing was spent yet. `turnwise import claude-code` or `turnwise import codex` reads
            recorded sessions, `turnwise serve` records new ones.
            ");
        }
    }
    assert_eq!(empty.json(&["cost"])["overall"]["calls"], 0);
    insta::assert_snapshot!(desk().ok(&["cost", "--from", "2099-01-01"]), @"Nothing was spent in this period; `turnwise cost --by month` shows when something was.");
}

#[test]
fn wasted_costs_are_those_of_the_results_that_nobody_accepted() {
    let desk = desk();
    let wasted = desk.json(&["cost"])["wasted"]["cost_nano_usd"].as_u64().unwrap();
    let by = desk.json(&["cost", "--by", "result"]);
    let cost = |name: &str| {
        let mut groups = by["groups"].as_array().unwrap().iter();
        groups.find(|group| group["name"] == name).map_or(0, |group| group["cost_nano_usd"].as_u64().unwrap())
    };
    assert_eq!(wasted, cost("failed") + cost("cancelled by the user") + cost("rejected by the user"));
    assert!(0 < cost("completed"), "{by}");
    let before = wasted;
    desk.ok(&["feedback", "down", "c1a69c50"]);
    let after = desk.json(&["cost"])["wasted"]["cost_nano_usd"].as_u64().unwrap();
    assert!(before < after, "a turn that was rated down is wasted: {before}, {after}");
}

#[test]
fn a_subscription_is_compared_with_the_price_of_the_same_calls_by_month() {
    let desk = desk();
    let total = desk.json(&["cost"])["overall"]["cost_nano_usd"].as_i64().unwrap();
    let plan = desk.json(&["cost", "--plan", "0.01"]);
    let months = plan["months"].as_array().unwrap();
    let count = i64::try_from(months.len()).unwrap();
    assert_eq!(plan["value_nano_usd"].as_i64().unwrap(), total - count * 10_000_000);
    let text = desk.ok(&["cost", "--plan", "20.00"]);
    assert!(text.contains("PLAN") && text.contains("$20.00") && text.contains("Value -$"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}
