//! Every decision can be repeated from the log alone, with equal bytes (decisions D9 and D14).

use contracts::events::{ErrorClass, PolicyLoaded, StopReason};
use engine::TurnInput;
use event_core::EventType as _;
use transcripts::{DEMO_SESSION, claude_code::SessionReader};

use crate::support::{
    Desk,
    again::{Words, all_are_the_same},
    desk::session,
    models::OPUS,
};

/// A policy with every kind of condition.
const POLICY: &str = r#"
rules:
  - {name: commits, when: {message_matches: "(?i)\\bcommit"}, use: haiku}
  - {name: budget, when: {cost_today_exceeds_usd: 0.05}, use: mini}
  - name: rust by day
    when: {file_extensions_in_context: [.rs, .ts, .py], time_of_day_between: ["08:00", "20:00"]}
    use: opus
  - {name: long, when: {any_of: [{estimated_input_tokens_gt: 20000}, {message_contains_any: [why, how]}]}, use: sonnet}
  - {name: here, when: {workspace_path_matches: "shop", not: {has_tool_calls_in_history: true}}, use: gpt}
workspaces:
  ~/shop: {default: opus, pattern: {min_sample_size: 1}}
global_default: haiku
"#;

/// Imports the bundled session under a policy; asserts that all of its lines are usable.
fn demo(policy: &str) -> Desk {
    let mut desk = Desk::with(policy);
    let mut reader = SessionReader::new("demo.jsonl".as_ref(), DEMO_SESSION.as_bytes());
    while let Some(turn) = reader.next() {
        let session = reader.session().unwrap().clone();
        desk.engine.observe_session(&session).unwrap();
        desk.engine.observe_turn(&session, &turn).unwrap();
    }
    assert_eq!(reader.issues(), []);
    desk.engine.commit().unwrap();
    desk
}

/// Returns an engine after live turns with all inputs that a decision depends on: models set by the user, outages,
/// spending, a long text, and an edit of the policy.
fn live() -> Desk {
    let mut desk = Desk::with(POLICY);
    let long = format!("why {}", "is this so long ".repeat(1_000));
    for (number, message) in ["hello", "commit it", "@opus plan it", &long, "\\@opus", "how"].into_iter().enumerate() {
        let mut new = TurnInput::new(session("one"), format!("m{number}"), message);
        new.workspace = Some("/home/dev/shop".to_owned());
        new.skills = ["system_design".to_owned()].into();
        let made = desk.arrive(new).unwrap();
        if number == 1 {
            let sonnet = desk.engine.model_named("sonnet").unwrap();
            desk.engine.select_model(&session("one"), Some(sonnet)).unwrap();
        }
        if made.model().is_some() {
            desk.answer("one", StopReason::EndTurn);
            desk.fail("one", OPUS, ErrorClass::Network);
            desk.end("one");
        }
        desk.pass_secs(20);
        if number == 2 {
            desk.engine.select_model(&session("one"), None).unwrap();
            desk.edit_policy(&format!("{POLICY}\npattern_disagreement: {{surface: true}}\n"));
        }
    }
    desk
}

/// Decisions about imported turns are repeated with equal bytes.
#[test]
fn decisions_of_the_bundled_session_are_made_again_from_the_log() {
    let turns = all_are_the_same(&demo(POLICY), Words::Kept);
    assert!(8 <= turns, "{turns}");
}

/// Decisions about live turns are repeated with equal bytes.
#[test]
fn decisions_of_live_turns_are_made_again_from_the_log() {
    assert_eq!(all_are_the_same(&live(), Words::Kept), 6);
}

/// Without the texts, the recorded matches of text predicates result in the same decisions (D9).
#[test]
fn without_the_words_what_matched_gives_the_same_decisions() {
    all_are_the_same(&demo(POLICY), Words::Purged);
    all_are_the_same(&live(), Words::Purged);
}

/// Decisions are repeated from a log whose policy forbids recording texts.
#[test]
fn a_log_that_never_kept_the_words_gives_the_same_decisions() {
    let desk = demo(&format!("{POLICY}privacy: {{record_text: never}}\n"));
    assert_eq!(desk.all::<contracts::events::TurnTextRecorded>().len(), 0);
    all_are_the_same(&desk, Words::Purged);
}

/// Two imports of the same session result in the same ids and payloads of events.
#[test]
fn two_imports_of_the_same_session_give_the_same_log() {
    let (one, other) = (demo(POLICY), demo(POLICY));
    let told = |desk: &Desk| {
        let events = desk.events().into_iter().filter(|event| event.event.kind != PolicyLoaded::KIND);
        events.map(|event| (event.event.id, event.event.payload)).collect::<Vec<_>>()
    };
    // The path of the policy file differs between desks.
    assert!(told(&one) == told(&other));
}
