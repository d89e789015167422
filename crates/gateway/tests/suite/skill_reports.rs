//! What the page shows about skills: decisions, one decision, and the skills of a workspace.

use std::path::Path;

use hyper::Method;
use serde_json::{Value, json};

use crate::{
    skills::write_skill,
    support::{SESSION, World, message},
};

/// A policy with a trigger table in the workspace.
const POLICY: &str = "global_default: haiku\nskills: {triggers: triggers.md}\n";

/// A trigger table with two skills that share a keyword, of which one is installed.
const TABLE: &str = "| Detected Keywords | Negative Keywords | Priority | Compound Triggers | Skill |\n\
                     |---|---|---|---|---|\n\
                     | migration, schema | -- | 1 | -- | `/database` |\n\
                     | schema | -- | 9 | -- | `/review` |\n";

/// Returns the JSON of an endpoint.
fn get(world: &World, path: &str) -> Value {
    let answer = world.send(&Method::GET, path, &[], "");
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    answer.json()
}

/// Sends a message of Claude Code from a workspace.
fn ask(world: &World, workspace: &Path, text: &str) {
    let mut body = message("claude-opus-4-8", text);
    let folder = workspace.display();
    body["system"] = json!(format!("You are Claude Code.\n\n# Environment\n - Primary working directory: {folder}\n"));
    assert_eq!(world.post("/v1/messages", &SESSION, &body).status, 200);
}

/// A gateway with decisions about two messages in a workspace with one skill.
fn decided() -> (World, tempfile::TempDir) {
    let (world, workspace) = (World::new(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path());
    std::fs::write(workspace.path().join("triggers.md"), TABLE).unwrap();
    ask(&world, workspace.path(), "write the migration <b>now</b>");
    ask(&world, workspace.path(), "what is the time");
    world.ended(2);
    (world, workspace)
}

/// Without a decision the reports are empty, and no workspace can be read.
#[test]
fn a_log_without_decisions_has_an_empty_report() {
    let world = World::new(POLICY);
    let overview = get(&world, "/api/skills");
    assert_eq!((&overview["decisions"], &overview["rows"], &overview["gaps"]), (&json!(0), &json!([]), &json!([])));
    assert_eq!(overview["telemetry"]["latest"]["metrics"][0]["verdict"], "unknown");
    for path in ["/api/skills/workspace?workspace=unknown", "/api/skills/workspace", "/api/skills/decisions/00"] {
        assert_eq!(world.send(&Method::GET, path, &[], "").status, 404, "{path}");
    }
}

/// The latest decision is first, and its chain is that of the turn.
#[test]
fn decisions_are_listed_with_their_chains() {
    let (world, workspace) = decided();
    let overview = get(&world, "/api/skills");
    assert_eq!((&overview["decisions"], &overview["measured"]), (&json!(2), &json!(2)), "{overview:#}");
    let rows = overview["rows"].as_array().unwrap();
    let skills: Vec<_> = rows.iter().map(|row| (&row["message"], &row["skills"])).collect();
    assert_eq!(
        skills,
        [(&json!("what is the time"), &json!([])), (&json!("write the migration <b>now</b>"), &json!(["database"]))]
    );
    let decision = get(&world, &format!("/api/skills/decisions/{}", rows[1]["event"].as_str().unwrap()));
    assert_eq!((&decision["outcome"], &decision["row"]), (&json!("routed"), &rows[1]), "{decision:#}");
    let chose = decision["chain"].as_array().unwrap().iter().find(|entry| entry["verdict"] == "chose").unwrap();
    assert_eq!(chose["slot"], "KEYWORD");
    let turn = get(&world, &format!("/turns/{}", decision["turn"].as_str().unwrap()));
    assert_eq!(turn["skills"]["chain"], decision["chain"]);
    assert_eq!(overview["workspaces"][0]["path"], json!(workspace.path()));
}

/// The skills of a workspace are reported with the findings and the collisions of their keywords, and again when a file has
/// changed. Only workspaces of recorded decisions are read.
#[test]
fn the_skills_of_a_workspace_are_reported() {
    let (world, workspace) = decided();
    let id = get(&world, "/api/skills")["workspaces"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/skills/workspace?workspace={id}");
    let report = get(&world, &path);
    assert_eq!((&report["skills"], &report["listed"][0]["name"]), (&json!(1), &json!("database")), "{report:#}");
    assert_eq!((&report["table"]["rows"], &report["table"]["keywords"]), (&json!(2), &json!(3)));
    assert_eq!(report["collisions"]["number"], 1);
    assert_eq!(report["collisions"]["listed"][0]["keyword"], "schema");
    assert!(
        report["counts"]["warnings"].as_u64().unwrap() > 0,
        "the table names a skill that does not exist: {report:#}"
    );
    assert_eq!(get(&world, &path), report);

    std::fs::remove_file(workspace.path().join("triggers.md")).unwrap();
    // The files of a workspace are checked once in a second.
    std::thread::sleep(std::time::Duration::from_millis(1_050));
    let changed = get(&world, &path);
    assert!(changed["findings"].to_string().contains("triggers.md"), "{changed:#}");
    let unknown = blake3::hash(b"/").to_hex();
    let unknown = format!("/api/skills/workspace?workspace={unknown}");
    assert_eq!(world.send(&Method::GET, &unknown, &[], "").status, 404);
}
