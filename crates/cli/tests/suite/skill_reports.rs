//! Reports of `skills` on a log with skill decisions: routing log, telemetry, gaps, audit, roadmap, corrections.

use contracts::{
    ContentHash, Score, SessionId, Thread, TurnId,
    events::{
        SkillInputs, SkillLoaded, SkillModelReply, SkillRouted, SkillRoutingMode, TextBody, TurnEnded, TurnStatus,
        TurnTextRecorded,
    },
};
use event_bus::{EventLog as _, Expected, SledLog};
use event_core::{EventId, EventType, NewEvent, Timestamp};
use serde::Serialize;
use skills::{SkillRequest, SkillRouter, SkillSettings, SkillSources, decide, parse_trigger_table};

use crate::{
    desk::{Desk, said},
    gateway::RunningGateway,
};

/// The trigger table of the workspace.
const TABLE: &str = "| Detected Keywords | Negative Keywords | Priority | Compound Triggers | Skill |\n\
                     |---|---|---|---|---|\n\
                     | review, lint, code | draft | 1 | -- | `/review` |\n\
                     | commit, push | -- | 4 | -- | `/commit` |\n\
                     | sql, schema, code | -- | 7 | -- | `/database` |\n";

/// Messages with the skills that the agent loaded.
const MESSAGES: [(&str, &[&str]); 8] = [
    ("review this module", &["review"]),
    ("commit and push", &["commit"]),
    ("the schema of the orders", &["database"]),
    ("/review the login", &["review"]),
    ("make the tables smaller", &["database"]),
    ("smaller tables please", &["database"]),
    ("push it", &[]),
    ("what is the time", &[]),
];

/// Creates a home with a workspace `shop` that has three skills, and a log of decisions about `messages`, which are used in
/// turn until there are `count` decisions.
fn desk(count: usize) -> Desk {
    let desk = Desk::new();
    for skill in ["review", "commit", "database"] {
        let text = format!("---\nname: {skill}\ndescription: Work with {skill}. Use when asked.\n---\n# Steps\n");
        desk.write(&format!("shop/.claude/skills/{skill}/SKILL.md"), &text);
    }
    desk.write("shop/triggers.md", TABLE);
    let (log, _) = SledLog::open(desk.log()).unwrap();
    let workspace = desk.path("shop").canonicalize().unwrap().display().to_string();
    let (triggers, _) = parse_trigger_table("triggers.md", TABLE);
    let router = SkillRouter::new(SkillSources { triggers, ..SkillSources::default() }, SkillSettings::default());
    let router = router.unwrap();
    for (number, (text, loaded)) in MESSAGES.iter().cycle().take(count).enumerate() {
        record(&log, &router, &workspace, u32::try_from(number).unwrap(), text, loaded);
    }
    desk
}

/// Creates an event of a turn.
fn event<E: EventType + Serialize>(turn: TurnId, at: Timestamp, index: u64, body: &E) -> NewEvent {
    NewEvent::new(turn.0.then(E::KIND, index), at, turn.0, body).unwrap()
}

/// Appends the events of a turn with the message `text` in which the agent loaded skills.
fn record(log: &SledLog, router: &SkillRouter, workspace: &str, number: u32, text: &str, loaded: &[&str]) {
    record_with(log, router, workspace, number, text, loaded, SkillInputs::default());
}

/// Appends the events of [`record`] with other inputs of the decision.
fn record_with(
    log: &SledLog,
    router: &SkillRouter,
    workspace: &str,
    number: u32,
    text: &str,
    loaded: &[&str],
    inputs: SkillInputs,
) {
    let session = SessionId::try_from("s").unwrap();
    let turn = TurnId::derive(&session, &number.to_string());
    let at = Timestamp::from_secs(1_795_000_000 + 60 * u64::from(number));
    let routed = SkillRouted {
        session: session.clone(),
        thread: Thread::Main,
        turn: Some(turn),
        workspace: Some(workspace.to_owned()),
        text: ContentHash([1; 32]),
        text_bytes: text.len() as u64,
        mode: SkillRoutingMode::Observed,
        inputs,
        policy: ContentHash([2; 32]),
        sources: Some(ContentHash([3; 32])),
        decider: 1,
        elapsed_micros: 20,
        omitted: 0,
        decision: decide(&SkillRequest { text, ..SkillRequest::default() }, router),
    };
    let body = TextBody::Inline(text.to_owned());
    let mut events = vec![event(turn, at, 0, &TurnTextRecorded { turn, text: body }), event(turn, at, 0, &routed)];
    for (index, skill) in (0..).zip(loaded) {
        let (session, skill) = (session.clone(), (*skill).to_owned());
        events.push(event(turn, at, index, &SkillLoaded { turn, session, thread: Thread::Main, skill, call: None }));
    }
    events.push(event(
        turn,
        at,
        0,
        &TurnEnded { turn, session, status: TurnStatus::Completed, llm_calls: 1, tool_calls: 1 },
    ));
    log.append(Expected::Any, at, &events).unwrap();
}

/// Checks that no line is longer than a terminal of 80 columns.
#[track_caller]
fn assert_narrow(text: &str) {
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// SK-90: the table has the latest decisions, with the skill of a correction.
#[test]
fn decisions_are_listed_as_a_table() {
    let desk = desk(8);
    desk.ok(&["skills", "corrected", "last", "/review"]);
    let table = desk.ok(&["skills", "log"]);
    assert_narrow(&table);
    insta::assert_snapshot!(table);
    assert_eq!(desk.ok(&["skills", "log", "-n", "1"]).lines().count(), 3);
}

/// SK-86, SK-87, SK-88, SK-90: the other formats have every decision.
#[test]
fn decisions_are_listed_in_other_formats() {
    let desk = desk(24);
    let lines = |format| desk.ok(&["skills", "log", "--format", format]);
    assert_eq!(lines("md").lines().count(), 4 + 24);
    assert_eq!(lines("yaml").matches("routing_record:").count(), 24);
    assert_eq!(lines("jsonl").lines().filter(|line| line.starts_with('{')).count(), 24);
    insta::assert_snapshot!(desk.ok(&["skills", "log", "--format", "yaml", "-n", "1"]));
    insta::assert_snapshot!(desk.ok(&["skills", "log", "--format", "md", "-n", "5"]));
    assert_eq!(desk.json(&["skills", "log"]).as_array().unwrap().len(), 24);
}

/// SC-45, SC-46, SC-47, SC-48, SC-49, SC-50: the metrics of the latest 100 tasks and of each complete window.
#[test]
fn telemetry_compares_the_tasks_with_the_targets() {
    let desk = desk(216);
    let report = desk.ok(&["skills", "telemetry"]);
    assert_narrow(&report);
    insta::assert_snapshot!(report);
    let json = desk.json(&["skills", "telemetry", "--workspace", "shop"]);
    assert_eq!((json["windows"].as_array().unwrap().len(), &json["labels"]["loaded"]), (2, &100.into()), "{json:#}");
}

/// SK-91: requests that the keywords do not cover are a gap with the words to add.
#[test]
fn gaps_name_the_words_to_add() {
    let desk = desk(8);
    for (turn, skill) in [(4, "database"), (5, "database")] {
        let id = desk.json(&["skills", "log"])[turn]["turn"].as_str().unwrap().to_owned();
        desk.ok(&["skills", "corrected", &id, skill]);
    }
    let report = desk.ok(&["skills", "gaps"]);
    assert_narrow(&report);
    insta::assert_snapshot!(report);
    let words = desk.json(&["skills", "gaps"])["gaps"].to_string();
    assert!(words.contains("\"word\":\"smaller\""), "{words}");
}

/// An audit lists anti-patterns with the events that prove them.
#[test]
fn an_audit_names_the_events_that_prove_a_finding() {
    let desk = desk(6);
    let arguments = ["skills", "audit", "--workspace", "shop", "--table", "shop/triggers.md"];
    let report = desk.ok(&arguments);
    assert_narrow(&report);
    insta::assert_snapshot!(report);
    let json = desk.json(&arguments);
    let detection = json["detections"].as_array().unwrap().iter().find(|found| found["pattern"] == "APD-01").unwrap();
    let event = detection["events"][0].as_str().unwrap().to_owned();
    assert!(desk.ok(&["events", "tail", "-n", "100", "--json"]).contains(&event), "{event}");
}

/// SK-79, SK-85: the roadmap shows the values of the workspace's decisions.
#[test]
fn the_roadmap_shows_the_values_of_the_workspace() {
    let desk = desk(16);
    let report = desk.ok(&["skills", "scaling", "--workspace", "shop", "--table", "shop/triggers.md"]);
    assert_narrow(&report);
    insta::assert_snapshot!(report);
}

/// The page of a gateway and the commands have the same figures: number of decisions, telemetry, gaps, and findings.
#[test]
fn the_page_and_the_commands_have_the_same_figures() {
    let desk = desk(216);
    desk.ok(&["skills", "corrected", "last", "review"]);
    let commands = ["log", "telemetry", "gaps"].map(|report| desk.json(&["skills", report]));
    let [log, telemetry, gaps] = &commands;
    let lint = desk.json(&["skills", "lint", "--workspace", "shop"]);
    let gateway = RunningGateway::start(&desk);
    let page = gateway.json("/api/skills");
    assert_eq!(page["decisions"], log.as_array().unwrap().len());
    assert_eq!(page["rows"][0]["event"], log[215]["event"]);
    assert_eq!(page["rows"][0]["right_skill"], "review");
    let shown = &page["telemetry"];
    for field in ["tasks", "labels"] {
        assert_eq!(shown[field], telemetry[field], "{field}");
    }
    let printed = desk.ok(&["skills", "telemetry"]);
    for metric in shown["latest"]["metrics"].as_array().unwrap() {
        let [name, value, verdict] = ["name", "value", "verdict"].map(|field| metric[field].as_str().unwrap());
        let line = printed.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line.contains(value) && line.ends_with(verdict), "{line:?} and {metric}");
    }
    let summary = |gap: &serde_json::Value| (gap["signal"].clone(), gap["words"].clone());
    let of = |gaps: &serde_json::Value| gaps.as_array().unwrap().iter().map(summary).collect::<Vec<_>>();
    assert_eq!(of(&page["gaps"]), of(&gaps["gaps"]));
    let id = page["workspaces"][0]["id"].as_str().unwrap();
    let workspace = gateway.json(&format!("/api/skills/workspace?workspace={id}"));
    assert_eq!(workspace["counts"], lint["counts"]);
    assert_eq!(workspace["skills"], lint["skills"]);
}

/// A correction is printed with what was decided, and unknown ids and names are errors of the arguments.
#[test]
fn a_correction_names_what_was_decided() {
    let desk = desk(8);
    insta::assert_snapshot!(desk.ok(&["skills", "corrected", "last", "none"]), @"Corrected: no skill, where no skill was decided.");
    let corrected = desk.json(&["skills", "corrected", "last", "review"]);
    assert_eq!((&corrected["skill"], &corrected["session"]), (&"review".into(), &"s".into()));
    for (arguments, message) in [
        (["skills", "corrected", "ffffffff", "review"], "no skill decision about a turn `ffffffff` is in the log"),
        (["skills", "corrected", "", "review"], "`` is the start of several ids"),
        (["skills", "corrected", "last", ""], "`` is not the name of a skill"),
    ] {
        let run = desk.run(&arguments);
        assert!(run.code == 2 && run.err.contains(message), "{}", said(&run));
    }
    let id = EventId::default().to_string();
    assert_eq!(desk.run(&["skills", "corrected", &id, "review"]).code, 2);
}

/// A log without decisions is one sentence and the next step.
#[test]
fn a_log_without_decisions_is_told_with_the_next_step() {
    let desk = Desk::new();
    desk.write("shop/.claude/skills/review/SKILL.md", "---\nname: review\ndescription: Reviews.\n---\n");
    let reports = ["log", "telemetry", "calibrate", "gaps"].map(|report| desk.ok(&["skills", report]));
    assert!(reports.iter().all(|report| *report == reports[0]), "{reports:?}");
    insta::assert_snapshot!(reports[0]);
    let audit = desk.ok(&["skills", "audit", "--workspace", "shop"]);
    assert_narrow(&reports[0]);
    assert_narrow(&audit);
    insta::assert_snapshot!(audit);
    assert_eq!(desk.run(&["skills", "corrected", "last", "review"]).code, 2);
}

/// SK-41: labelled replies of the model are a recommended threshold with their number; fewer than 50 are none.
#[test]
fn labelled_replies_recommend_a_threshold() {
    let desk = desk(1);
    let report = desk.ok(&["skills", "calibrate"]);
    assert!(report.starts_with("0 labelled replies of the model; a calibration needs 50."), "{report}");
    let (log, _) = SledLog::open(desk.log()).unwrap();
    let router = SkillRouter::new(SkillSources::default(), SkillSettings::default()).unwrap();
    for number in 1..61 {
        // Below 0.60 the agent loads another skill than the model named.
        let loaded: &[&str] = if number < 11 { &["commit"] } else { &["review"] };
        let reply = SkillModelReply::Skill {
            skill: "review".to_owned(),
            secondary: Vec::new(),
            confidence: Score::ratio(u64::from(number - 1) / 2 + 55, 100),
            reasoning: "r".to_owned(),
        };
        let inputs = SkillInputs { model_reply: Some(reply), ..SkillInputs::default() };
        record_with(&log, &router, "/shop", number, "look at it", loaded, inputs);
    }
    drop(log);
    let report = desk.ok(&["skills", "calibrate"]);
    assert_narrow(&report);
    insta::assert_snapshot!(report);
    let json = desk.json(&["skills", "calibrate"]);
    assert_eq!((&json["labelled_replies"], &json["recommended"]), (&60.into(), &"0.60".into()), "{json:#}");
}
