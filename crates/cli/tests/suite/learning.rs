//! The `patterns` commands: inspect, explain, clear, evaluate.

use crate::desk::Desk;

/// Creates a home with the bundled session imported, whose turns are all in one workspace.
fn desk_that_has_learned() -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    desk
}

/// Returns the path of the workspace with patterns.
fn workspace(desk: &Desk) -> String {
    desk.json(&["patterns", "status"])[0]["workspace"].as_str().unwrap().to_owned()
}

/// Without patterns, the command prints how turns are learned.
#[test]
fn before_anything_is_learned_it_says_how_that_comes_about() {
    let desk = Desk::new();
    insta::assert_snapshot!(desk.ok(&["patterns", "status"]));
    assert_eq!(desk.json(&["patterns", "status"]), serde_json::json!([]));
}

#[test]
fn what_was_learned_is_shown_by_workspace_by_model_and_by_outcome() {
    let desk = desk_that_has_learned();
    let status = desk.ok(&["patterns", "status"]);
    let inspected = desk.ok(&["patterns", "inspect", "--workspace", &workspace(&desk), "-n", "3"]);
    insta::assert_snapshot!(format!("{status}\n{inspected}"));
}

#[test]
fn a_decision_is_explained_by_its_neighbours_and_by_what_would_change_it() {
    let desk = desk_that_has_learned();
    insta::assert_snapshot!(desk.ok(&["patterns", "explain", "-n", "2"]));
    let explained = desk.json(&["patterns", "explain"]);
    let models = explained["explanation"]["models"].as_array().unwrap();
    for model in models {
        let terms = &model["terms"];
        // The contributions of the neighbours add up to their total, except for rounding.
        let whole = terms["from_neighbours"].as_i64().unwrap();
        let near = model["neighbours"].as_array().unwrap();
        let sum: i64 = near.iter().map(|near| near["contribution"].as_i64().unwrap()).sum();
        assert!((whole - sum).unsigned_abs() <= near.len() as u64, "{whole} {sum}");
    }
}

/// Without `--yes` nothing is cleared; with it, the patterns of one workspace.
#[test]
fn clearing_asks_first_and_then_forgets_one_workspace() {
    let desk = desk_that_has_learned();
    let workspace = workspace(&desk);
    let asked = desk.ok(&["patterns", "clear", "--workspace", &workspace]);
    assert!(asked.contains("Nothing was done"), "{asked}");
    let cleared = desk.json(&["patterns", "clear", "--workspace", &workspace, "--yes"]);
    assert!(0 < cleared["rows"].as_u64().unwrap(), "{cleared}");
    assert_eq!(desk.json(&["patterns", "status"]), serde_json::json!([]));
    // Only one event was added to the log, and earlier decisions are repeated without a difference.
    assert!(desk.ok(&["replay"]).contains("byte for byte"));
    assert!(desk.ok(&["patterns", "clear", "--all", "--yes"]).contains("Nothing was learned"));
}

/// The turns are evaluated again under a rubric from a file; an invalid rubric is an error that names the unknown
/// field.
#[test]
fn a_log_is_judged_anew_by_a_rubric_of_the_users_own() {
    let desk = desk_that_has_learned();
    let again = desk.json(&["patterns", "evaluate"]);
    assert_eq!(again["recorded"], 0, "{again}");
    assert!(0 < again["judged"].as_u64().unwrap());
    let rubric = desk.write("strict.yaml", "name: strict\nversion: 1\nweights: {tools: 90}\n");
    let strict = desk.json(&["patterns", "evaluate", "--rubric", rubric.to_str().unwrap()]);
    assert_eq!(strict["rubric"], "strict");
    assert!(0 < strict["recorded"].as_u64().unwrap(), "{strict}");
    let wrong = desk.write("wrong.yaml", "name: wrong\nversion: 1\nweights: {toolz: 90}\n");
    let refused = desk.run(&["patterns", "evaluate", "--rubric", wrong.to_str().unwrap()]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("toolz"), "{}", refused.err);
}
