//! The commands `replay` and `backtest`, and the cost of a lost cache in `why`.

use crate::desk::{Desk, said};

/// Creates a home with the bundled session imported and the policy files `new.yaml` and `old.yaml`.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    desk.write(
        "new.yaml",
        "gateway: {client_model: auto}\nrules:\n  - {name: typos, when: {message_contains_any: [typo]}, use: haiku}\nglobal_default: opus\n",
    );
    desk.write("old.yaml", "gateway: {client_model: auto}\nglobal_default: sonnet\n");
    desk
}

#[test]
fn every_decision_is_made_again_and_the_digest_is_the_same_on_every_machine() {
    let (one, other) = (desk(), desk());
    let replayed = one.json(&["replay"]);
    assert_eq!((&replayed["decisions"], &replayed["divergence"]), (&9.into(), &serde_json::Value::Null));
    assert_eq!(replayed["digest"], other.json(&["replay"])["digest"]);
    assert!(one.ok(&["replay"]).contains("9 decisions made again from the log, byte for byte"));
    one.ok(&["events", "purge", "--text", "--yes"]);
    assert_eq!(one.json(&["replay"])["digest"], replayed["digest"], "without the text, by what had matched it");
    assert_eq!(one.json(&["replay", "--from", "2030-01-01"])["decisions"], 0);
    assert_eq!(one.run(&["replay", "--from", "soon"]).code, 2);
}

#[test]
fn a_backtest_reads_well_and_says_how_far_to_trust_it() {
    let desk = desk();
    let out = desk.ok(&["backtest", "--policy", "new.yaml", "--against", "old.yaml"]);
    insta::with_settings!({filters => vec![(r"(?m) +$", "")]}, { insta::assert_snapshot!(out) });
}

#[test]
fn a_backtest_without_a_policy_names_the_next_step() {
    let refused = desk().run(&["backtest"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("there is no policy at") && refused.err.contains("turnwise init"), "{}", refused.err);
}

#[test]
fn policies_are_ranked_and_a_number_is_swept() {
    let desk = desk();
    let report = &desk.json(&["backtest", "--policy", "new.yaml", "old.yaml"])["report"];
    let costs: Vec<_> = report["new"]
        .as_array()
        .unwrap()
        .iter()
        .map(|new| new["totals"]["all"]["nano_usd"].as_i64().unwrap())
        .collect();
    assert!(costs.len() == 2 && costs[0] <= costs[1], "{costs:?}");
    let swept = &desk.json(&["backtest", "--policy", "new.yaml", "--sweep", "pattern.cost_weight=0:0.2:0.1"])["report"];
    let mut names: Vec<_> =
        swept["new"].as_array().unwrap().iter().map(|new| new["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["pattern.cost_weight=0.0", "pattern.cost_weight=0.1", "pattern.cost_weight=0.2"]);
    let wrong = desk.run(&["backtest", "--policy", "new.yaml", "--sweep", "pattern.cost_weight=9:1:1"]);
    assert!(wrong.code == 2 && wrong.err.contains("pattern.cost_weight=0:0.3:0.05"), "{}", said(&wrong));
}

/// `--csv` prints a header and a line per turn, and `--html` writes a page.
#[test]
fn values_and_a_page_are_written() {
    let desk = desk();
    let csv = desk.ok(&["backtest", "--policy", "new.yaml", "--csv"]);
    assert_eq!(csv.lines().count(), 1 + 8);
    desk.ok(&["backtest", "--policy", "new.yaml", "--html", "report.html"]);
    let page = std::fs::read_to_string(desk.path("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
}

/// An invalid policy, a missing policy file and an empty log are errors that name the file or the next step.
#[test]
fn a_policy_that_cannot_be_used_and_a_log_without_turns_are_told() {
    let desk = desk();
    desk.write("bad.yaml", "rules: 7\n");
    let bad = desk.run(&["backtest", "--policy", "bad.yaml"]);
    assert!(bad.code == 2 && bad.err.contains("bad.yaml") && bad.err.contains("line 1"), "{}", said(&bad));
    let missing = desk.run(&["backtest", "--policy", "nowhere.yaml"]);
    assert!(missing.code == 3 && missing.err.contains("nowhere.yaml"), "{}", said(&missing));
    let empty = Desk::new();
    empty.write("new.yaml", "global_default: opus\n");
    let nothing = empty.run(&["backtest", "--policy", "new.yaml"]);
    assert!(nothing.code == 2 && nothing.err.contains("turnwise import claude-code"), "{}", said(&nothing));
}

/// `why` prints the cost of the cache that a change of the model loses.
#[test]
fn why_says_what_a_change_of_model_costs_in_lost_cache() {
    let desk = desk();
    let why = desk.json(&["why"]);
    let cache = &why["cache"];
    assert!(0 < cache["warm"].as_u64().unwrap(), "{why}");
    assert!(desk.ok(&["why"]).contains("Cache: "));
}
