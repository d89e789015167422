//! Importing sessions: decisions and costs.

use std::{fs, sync::Arc};

use contracts::{ClientRequest, WireApi};
use engine::{Engine, Home, Stores, TurnInput};
use event_bus::{MemoryTexts, SledLog, SystemClock};

use crate::desk::{Desk, said};

#[test]
fn importing_twice_changes_nothing() {
    let desk = Desk::new();
    desk.with_session();
    let first = desk.json(&["import", "claude-code"]);
    let before = desk.json(&["events", "verify"]);
    let second = desk.json(&["import", "claude-code"]);
    assert_eq!(second["new_events"], 0);
    assert_eq!(first["turns"], second["turns"]);
    assert_eq!(before["digest"], desk.json(&["events", "verify"])["digest"]);
}

/// A turn of the bundled session comes through the gateway.
fn through_gateway(desk: &Desk) {
    let home = desk.path(".turnwise");
    let home = Home::new(&home, home.parent().map(Into::into));
    let (log, _) = SledLog::open(home.log()).unwrap();
    let stores =
        Stores { log: Arc::new(log), texts: Arc::new(MemoryTexts::new()), clock: Box::new(SystemClock), offset: |_| 0 };
    let mut engine = Engine::open(&home, stores).unwrap();
    let request = ClientRequest {
        api: WireApi::AnthropicMessages,
        client: Some("claude-code".to_owned()),
        model: "turnwise".to_owned(),
        named: None,
        auxiliary: None,
        subagent: false,
        requires: [].into(),
        signed_by: [].into(),
        web_search: false,
        brings_key_of: None,
        imported: false,
    };
    let session = "5b0c6f0e-7a41-4f0b-9d1e-0c9a3d2f8e11".try_into().unwrap();
    engine.refresh_policy().unwrap();
    engine.arrive(TurnInput { request: Some(request), ..TurnInput::new(session, "message", "hello") }).unwrap();
    engine.close().unwrap();
}

#[test]
fn a_session_that_came_through_the_gateway_is_omitted_and_reported() {
    let desk = Desk::new();
    desk.with_session();
    through_gateway(&desk);
    let imported = desk.json(&["import", "claude-code"]);
    assert_eq!((&imported["gateway_sessions"], &imported["gateway_turns"]), (&1.into(), &9.into()), "{imported}");
    assert_eq!(
        (&imported["turns"], &imported["new_events"], &imported["total_cost_nano_usd"]),
        (&0.into(), &0.into(), &0.into())
    );
    let told = desk.ok(&["import", "claude-code"]);
    assert!(told.contains("omitted 9 turns of 1 session that came through the gateway"), "{told}");
}

#[test]
fn where_there_are_no_sessions_the_error_says_what_to_do() {
    let run = Desk::new().run(&["import", "claude-code"]);
    assert!(
        run.code == 2 && run.err.contains(".claude/projects") && run.err.contains("claude-code DIR"),
        "{}",
        said(&run)
    );
}

#[test]
fn two_homes_that_import_the_same_have_the_same_digests() {
    let digests = [(), ()].map(|()| {
        let desk = Desk::new();
        let session = desk.with_session();
        desk.json(&["import", "claude-code", session.to_str().unwrap()]);
        let verified = desk.json(&["events", "verify"]);
        (verified["digest"].clone(), verified["state_digest"].clone())
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn a_broken_line_costs_only_itself_and_is_named() {
    let desk = Desk::new();
    let mut lines: Vec<_> = transcripts::DEMO_SESSION.lines().collect();
    let whole = desk.json(&["import", "claude-code", desk.with_session().to_str().unwrap()])["turns"].clone();
    let cut = &lines[5][..lines[5].len() / 2];
    lines.insert(5, cut);
    let other = Desk::new();
    let file = other.write("broken.jsonl", &lines.join("\n"));
    let imported = other.json(&["import", "claude-code", file.to_str().unwrap()]);
    let issues = imported["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 1);
    assert!(issues[0].as_str().unwrap().contains("broken.jsonl, line 6"), "{issues:?}");
    assert_eq!(imported["turns"], whole);
}

#[test]
fn a_session_file_is_decided_turn_by_turn_without_being_recorded() {
    let desk = Desk::new();
    let file = desk.with_session();
    desk.ok(&["init"]);
    let shown = desk.ok(&["route", "--session", file.to_str().unwrap()]);
    insta::assert_snapshot!(shown);
    assert!(!desk.log().exists());
}

#[test]
fn why_finds_a_turn_by_the_start_of_its_id() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    let last = desk.json(&["why"]);
    let id = last["turn"].as_str().unwrap().to_owned();
    assert_eq!(desk.json(&["why", &id])["turn"], last["turn"]);
    assert_eq!(desk.json(&["why", &id[..10]])["turn"], last["turn"]);
    insta::assert_snapshot!(said(&desk.run(&["why", "ffffffffffff"])));
}

#[test]
fn the_cost_of_a_session_is_divided_by_main_agent_and_workers() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    insta::assert_snapshot!(desk.ok(&["cost", "--session", "last"]));
}

#[test]
fn a_price_list_is_read_and_what_it_leaves_out_is_said() {
    let desk = Desk::new();
    let list = r#"{
        "sample_spec": {"mode": "one of chat, embedding"},
        "acme/word-1": {"litellm_provider": "acme", "mode": "chat", "max_input_tokens": 8000, "max_output_tokens": 1000,
            "input_cost_per_token": 1.5e-06, "output_cost_per_token": 2e-06},
        "acme/embed-1": {"litellm_provider": "acme", "mode": "embedding", "max_input_tokens": 8000}
    }"#;
    let file = desk.write("prices.json", list);
    let said = desk.ok(&["models", "import", file.to_str().unwrap()]);
    assert!(said.contains("1 models written") && said.contains("embedding"), "{said}");
    let models = desk.json(&["models"]);
    let acme = models.as_array().unwrap().iter().find(|model| model["id"] == "acme:word-1").unwrap();
    assert_eq!(acme["prices"]["base"]["input"], 1_500_000);
    assert!(fs::metadata(desk.path(".turnwise/models.yaml")).is_ok());
}

const ROLLOUT: &str = include_str!("../../../transcripts/tests/fixtures/codex/pages.jsonl");
const CALLS: &str = include_str!("../../../transcripts/tests/fixtures/openai-log/calls.jsonl");

#[test]
fn rollouts_of_codex_are_found_where_codex_keeps_them() {
    let desk = Desk::new();
    desk.write(".codex/sessions/2026/11/18/rollout-a.jsonl", ROLLOUT);
    desk.write(".codex/history.jsonl", "{}");
    let first = desk.json(&["import", "codex"]);
    assert_eq!((&first["files"], &first["turns"], &first["calls"]), (&1.into(), &7.into(), &7.into()));
    assert_eq!((&first["unpriced_calls"], &first["issues"]), (&0.into(), &serde_json::json!([])));
    assert_eq!(desk.json(&["import", "codex"])["new_events"], 0);
    let elsewhere = Desk::new();
    elsewhere.write("other/sessions/rollout-b.jsonl", ROLLOUT);
    let mut command = elsewhere.command(&["--json", "import", "codex"]);
    let output = command.env("CODEX_HOME", elsewhere.path("other")).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["new_events"], first["new_events"]);
}

#[test]
fn a_log_of_calls_is_imported_with_all_its_sessions() {
    let desk = Desk::new();
    let file = desk.write("calls.jsonl", CALLS);
    let first = desk.json(&["import", "openai-log", file.to_str().unwrap()]);
    assert_eq!((&first["sessions"], &first["turns"], &first["calls"]), (&2.into(), &4.into(), &5.into()));
    assert_eq!(first["issues"].as_array().unwrap().len(), 2);
    assert_eq!(desk.json(&["import", "openai-log", file.to_str().unwrap()])["new_events"], 0);
    let run = desk.run(&["import", "codex"]);
    assert!(run.code == 2 && run.err.contains(".codex/sessions") && run.err.contains("codex DIR"), "{}", said(&run));
}

/// Returns the text of the bundled session with other ids, so that it is another session for each `number`.
pub(crate) fn numbered_session(number: usize) -> String {
    transcripts::DEMO_SESSION
        .replace("\"sessionId\":\"", &format!("\"sessionId\":\"{number}-"))
        .replace("\"id\":\"msg_", &format!("\"id\":\"msg_{number}_"))
        .replace("\"id\":\"toolu_", &format!("\"id\":\"toolu_{number}_"))
}

#[test]
fn ctrl_c_ends_an_import_between_two_turns_and_the_same_command_goes_on() {
    const FILES: usize = 40;
    let desk = Desk::new();
    for number in 0..FILES {
        desk.write(&format!(".claude/projects/shop/{number}.jsonl"), &numbered_session(number));
    }
    let mut command = desk.command(&["import", "claude-code"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Some sessions are in the log by then; on a quick machine perhaps all of them.
    while std::fs::metadata(desk.log().join("journal")).map_or(0, |journal| journal.len()) < 100_000 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let signalled = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let turns = |desk: &Desk| desk.json(&["events", "verify"])["counts"]["turns"].as_u64().unwrap();
    let before = turns(&desk);
    if output.status.code() != Some(0) {
        assert!(signalled.success() && output.status.code() == Some(3), "{:?} {said}", output.status);
        assert!(said.contains("stopped by Ctrl-C after") && said.contains("the same command continues"), "{said}");
    }
    assert!(0 < before);
    desk.ok(&["import", "claude-code"]);
    assert_eq!(turns(&desk), FILES as u64 * 9);
    let at_once = Desk::new();
    for number in 0..FILES {
        at_once.write(&format!(".claude/projects/shop/{number}.jsonl"), &numbered_session(number));
    }
    at_once.ok(&["import", "claude-code"]);
    assert_eq!(desk.json(&["cost"]), at_once.json(&["cost"]), "in two parts or at once, the sums are the same");
}

#[test]
fn sessions_are_listed_and_one_is_walked_by_the_start_of_its_id() {
    let desk = Desk::new();
    desk.with_session();
    assert!(desk.ok(&["sessions"]).contains("no session yet"));
    desk.ok(&["import", "claude-code"]);
    let listed = desk.ok(&["sessions"]);
    assert!(listed.contains("5b0c6f0e  claude-code  teapot-shop"), "{listed}");
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    let json = desk.json(&["sessions"]);
    assert_eq!((&json[0]["client"], &json[0]["imported"]), (&"claude-code".into(), &true.into()), "{json:#}");
    let walked = desk.ok(&["why", "5b0c6f0e"]);
    assert!(walked.contains(": 9 turns\n") && walked.contains("c1a69c50"), "{walked}");
    assert!(walked.lines().all(|line| line.chars().count() <= 80), "{walked}");
    assert_eq!(desk.json(&["why", "5b0c6f0e"]).as_array().unwrap().len(), 9);
    assert!(desk.run(&["why", "ffffffff"]).err.contains("ffffffff"));
}

#[test]
fn why_shows_the_message_the_result_and_the_cost_of_a_turn() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    let shown = desk.ok(&["why", "c1a69c50"]);
    let mut lines = shown.lines();
    assert!(lines.next().unwrap().starts_with("“The total of the cart"), "{shown}");
    let result = lines.next().unwrap();
    assert!(result.contains("call") && result.contains('$'), "{shown}");
    assert_eq!(desk.json(&["why", "c1a69c50"])["result"]["turn"]["session"], "5b0c6f0e-7a41-4f0b-9d1e-0c9a3d2f8e11");
}
