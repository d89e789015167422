//! Skill decisions of turns, of hooks and of imports: recorded once, before the decision about the model, and repeatable
//! from the log alone.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use contracts::{
    AuxiliaryCall, SkillOutcome, SkillSlot, Thread,
    events::{
        RouteDecided, SkillClarificationRequested, SkillIndexInvalid, SkillIndexed, SkillLoaded, SkillPromptRecorded,
        SkillReused, SkillRouted, SkillRoutingMode, StopReason,
    },
};
use engine::{HookPrompt, OfferedSkill, PreparedSkills, SkillReplay, TurnInput};
use event_core::EventType as _;
use transcripts::{
    observed::{ObservedTool, Step},
    tool_call::classify_tool_call,
};

use crate::support::{
    Desk,
    again::{Words, all_are_the_same},
    desk::{START, client_request, session},
    models::{HAIKU, OPUS},
    recorded::{call, completed, recorded_session, recorded_turn},
};

/// A policy under which the selected skill determines the model.
const POLICY: &str =
    "global_default: haiku\nrules: [{name: databases, when: {skill_selected_in: database}, use: opus}]\n";

/// Writes a skill into the folder of a workspace.
fn write_skill(workspace: &Path, name: &str, keywords: &str) {
    let folder = workspace.join(".claude/skills").join(name);
    fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "---\nname: {name}\ndescription: Use for {keywords}\nmetadata:\n  routing-keywords: {keywords}\n---\nText.\n"
    );
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

/// Reads the skills of a workspace.
fn prepare(desk: &Desk, workspace: &Path) -> Option<Arc<PreparedSkills>> {
    desk.engine.skill_library().prepare(workspace.to_str(), &[])
}

/// Starts a turn of a client in a workspace.
fn start(desk: &mut Desk, workspace: &Path, name: &str, message: &str) {
    let input = TurnInput {
        workspace: workspace.to_str().map(str::to_owned),
        prepared_skills: prepare(desk, workspace),
        request: Some(client_request()),
        ..TurnInput::new(session("one"), name, message)
    };
    desk.arrive(input).unwrap();
}

/// Returns the names of the skills that each decision of the log loads.
fn selected(desk: &Desk) -> Vec<Vec<String>> {
    let decided = desk.all::<SkillRouted>();
    decided.iter().map(|routed| routed.decision.chosen.as_ref().unwrap().loaded().to_vec()).collect()
}

/// Repeats all skill decisions from the log and its texts, and compares them. Returns their number.
fn repeat_all(desk: &Desk, messages: &[&str]) -> usize {
    let policy = &desk.engine.policy().policy;
    let mut replay = SkillReplay::default();
    let decided = desk.all::<SkillRouted>();
    assert_eq!(decided.len(), messages.len());
    for (routed, message) in decided.iter().zip(messages) {
        assert_eq!(replay.repeat(routed, message, policy, desk.texts.as_ref()).unwrap(), *routed);
    }
    decided.len()
}

/// SK-01: a message without any known skill has a small decision as well, without any skill.
#[test]
fn a_message_without_known_skills_has_one_small_decision() {
    let mut desk = Desk::with("global_default: haiku");
    desk.turn("one", "fix the login");
    let events = desk.events();
    let routed: Vec<_> = events.iter().filter(|event| event.event.kind == SkillRouted::KIND).collect();
    assert_eq!(routed.len(), 1);
    assert!(routed[0].event.payload.len() <= 200, "{} bytes", routed[0].event.payload.len());
    let body = routed[0].read::<SkillRouted>().unwrap().unwrap();
    assert_eq!((body.sources, body.decision.chosen), (None, Some(SkillOutcome::None)));
    assert_eq!(desk.all::<SkillIndexed>(), []);
    assert_eq!(repeat_all(&desk, &["fix the login"]), 1);
}

/// The skills of the folder decide before the model: the rule reads the selected skill. The files are recorded once, and the
/// decisions are repeated after the files were deleted.
#[test]
fn skills_of_the_workspace_decide_and_can_be_deleted_afterwards() {
    let (mut desk, workspace) = (Desk::with(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path(), "database", "migration, schema");
    start(&mut desk, workspace.path(), "1", "write the migration for orders");
    desk.end("one");
    start(&mut desk, workspace.path(), "2", "thank you");
    desk.end("one");
    assert_eq!(selected(&desk), [vec!["database".to_owned()], Vec::new()]);
    let models: Vec<_> = desk.all::<RouteDecided>().into_iter().map(|decided| decided.decision.chosen).collect();
    assert_eq!(models, [Some(OPUS.try_into().unwrap()), Some(HAIKU.try_into().unwrap())]);
    assert_eq!(desk.all::<SkillRouted>()[1].inputs.prior_skill.as_deref(), Some("database"));
    let indexed = desk.all::<SkillIndexed>();
    assert_eq!((indexed.len(), indexed[0].skills, indexed[0].offered_only), (1, 1, 0));
    assert_eq!(desk.all::<SkillRouted>()[0].sources, Some(indexed[0].sources));

    drop(workspace);
    assert_eq!(repeat_all(&desk, &["write the migration for orders", "thank you"]), 2);
    assert_eq!(all_are_the_same(&desk, Words::Kept), 2);
    assert_eq!(all_are_the_same(&desk, Words::Purged), 2);
    // Another run of the program records the same skills no second time.
    let mut desk = desk.restarted();
    desk.turn("one", "hello");
    assert_eq!(desk.all::<SkillIndexed>().len(), 1);
}

/// A changed file is another index for the next decision. An invalid file is an event with its place, and its last valid
/// version remains in use.
#[test]
fn a_changed_file_is_read_and_an_invalid_one_is_recorded() {
    let (mut desk, workspace) = (Desk::with(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path(), "database", "migration");
    start(&mut desk, workspace.path(), "1", "write the migration");
    desk.end("one");
    let before = prepare(&desk, workspace.path()).unwrap().hash();
    write_skill(workspace.path(), "testing", "storybook");
    fs::write(workspace.path().join(".claude/skills/database/SKILL.md"), "---\nname: database\n").unwrap();
    // The library checks the files of a workspace once in a second.
    let deadline = Instant::now() + Duration::from_mins(1);
    while prepare(&desk, workspace.path()).unwrap().hash() == before && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    start(&mut desk, workspace.path(), "2", "repair the storybook and then run the migration");
    assert_eq!(selected(&desk)[1], ["testing", "database"]);
    assert_eq!(desk.all::<SkillIndexed>().iter().map(|indexed| indexed.skills).collect::<Vec<_>>(), [1, 2]);
    let invalid = desk.all::<SkillIndexInvalid>();
    let place = &invalid[0].findings[0];
    assert_eq!((invalid.len(), place.path.as_str()), (1, ".claude/skills/database/SKILL.md"));
    assert_eq!((place.line, place.code.as_str()), (Some(1), "unclosed-front-matter"));
}

/// Skills that only the client lists count as well, and a request that lists others has another index.
#[test]
fn skills_that_a_client_lists_are_chosen() {
    let mut desk = Desk::with(POLICY);
    let offered =
        |name: &str, description: &str| OfferedSkill { name: name.to_owned(), description: description.to_owned() };
    let list = [offered("database", "database migrations"), offered("review", "reviews of changes")];
    for (number, list) in [&list[..], &list[..], &list[..1]].into_iter().enumerate() {
        let prepared = desk.engine.skill_library().prepare(None, list);
        let new = TurnInput::new(session("one"), number.to_string(), "use the database skill for the orders");
        desk.arrive(TurnInput { prepared_skills: prepared, request: Some(client_request()), ..new }).unwrap();
    }
    assert_eq!(selected(&desk), [["database"]; 3]);
    let indexed: Vec<_> =
        desk.all::<SkillIndexed>().iter().map(|indexed| (indexed.skills, indexed.offered_only)).collect();
    assert_eq!(indexed, [(2, 2), (1, 1)]);
}

/// A turn whose message a hook has asked about refers to the decision of the hook. The model's decision reads it.
#[test]
fn the_decision_of_a_hook_is_that_of_its_turn() {
    let (mut desk, workspace) = (Desk::with(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path(), "database", "migration");
    let prompt = |text: &str, at| HookPrompt {
        session: session("one"),
        workspace: workspace.path().to_str().map(str::to_owned),
        prompt: text.to_owned(),
        at,
    };
    let prepared = prepare(&desk, workspace.path());
    for _ in 0..2 {
        // The same call of the hook, repeated.
        desk.engine.route_prompt(&prompt("@opus write the migration", START), prepared.as_ref()).unwrap();
    }
    desk.engine.commit().unwrap();
    desk.pass_secs(30);
    start(&mut desk, workspace.path(), "1", "@opus write the migration");
    desk.end("one");
    // A later turn with the same message was not asked about.
    start(&mut desk, workspace.path(), "2", "write the migration");
    desk.end("one");
    let routed = desk.all::<SkillRouted>();
    let modes: Vec<_> = routed.iter().map(|routed| (routed.mode, routed.turn.is_some())).collect();
    assert_eq!(modes, [(SkillRoutingMode::Hook, false), (SkillRoutingMode::Observed, true)]);
    let hook = desk.events().into_iter().find(|event| event.event.kind == SkillRouted::KIND).unwrap();
    let reused = desk.all::<SkillReused>();
    assert_eq!((reused.len(), reused[0].decision), (1, hook.event.id));
    assert_eq!(desk.all::<SkillPromptRecorded>().len(), 1);
    assert_eq!(all_are_the_same(&desk, Words::Kept), 2);
    assert_eq!(repeat_all(&desk, &["write the migration", "write the migration"]), 2);
}

/// A prompt whose hook is answered after its turn has started has the decision of the turn, and no second one is recorded. The same
/// prompt submitted again is another message.
#[test]
fn the_prompt_of_a_late_hook_is_that_of_its_turn() {
    let (mut desk, workspace) = (Desk::with(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path(), "database", "migration");
    start(&mut desk, workspace.path(), "1", "write the migration");
    let prompt = |at| HookPrompt {
        session: session("one"),
        workspace: workspace.path().to_str().map(str::to_owned),
        prompt: "write the migration".to_owned(),
        at,
    };
    let skills = prepare(&desk, workspace.path());
    let decided = desk.all::<SkillRouted>();
    let late = desk.engine.route_prompt(&prompt(START), skills.as_ref()).unwrap();
    desk.engine.commit().unwrap();
    assert_eq!((late.decision, late.turn), (decided[0].decision.clone(), decided[0].turn));
    assert_eq!((desk.all::<SkillRouted>().len(), desk.all::<SkillPromptRecorded>().len()), (1, 0));
    desk.engine.route_prompt(&prompt(START.plus_secs(60)), skills.as_ref()).unwrap();
    desk.engine.commit().unwrap();
    assert_eq!(desk.all::<SkillRouted>().len(), 2);
}

/// A hook's decision is not used for a turn that starts more than ten minutes later, nor for another text.
#[test]
fn an_old_decision_of_a_hook_and_another_text_are_decided_anew() {
    let mut desk = Desk::with(POLICY);
    let prompt = HookPrompt { session: session("one"), workspace: None, prompt: "hello".to_owned(), at: START };
    desk.engine.route_prompt(&prompt, None).unwrap();
    desk.engine.commit().unwrap();
    desk.turn("one", "hello there");
    desk.pass_secs(601);
    desk.turn("one", "hello");
    assert_eq!((desk.all::<SkillRouted>().len(), desk.all::<SkillReused>().len()), (3, 0));
}

/// Without permission to record text, the prompt of a hook is not recorded.
#[test]
fn a_policy_without_text_keeps_the_prompt_of_a_hook_out() {
    let mut desk = Desk::with("global_default: haiku\nprivacy: {record_text: never}\n");
    let prompt = HookPrompt { session: session("one"), workspace: None, prompt: "secret".to_owned(), at: START };
    desk.engine.route_prompt(&prompt, None).unwrap();
    desk.engine.commit().unwrap();
    assert_eq!((desk.all::<SkillRouted>().len(), desk.all::<SkillPromptRecorded>()), (1, Vec::new()));
    let has_secret = |payload: &[u8]| payload.windows(6).any(|bytes| bytes == b"secret");
    assert!(!desk.events().iter().any(|event| has_secret(&event.event.payload)));
}

/// The text of an auxiliary call is not a message of the user: it has no skill decision.
#[test]
fn an_auxiliary_call_has_no_skill_decision() {
    let mut desk = Desk::with(POLICY);
    let input = TurnInput::new(session("one"), "title", "name the conversation");
    desk.arrive(TurnInput { thread: Thread::Auxiliary(AuxiliaryCall::ALL[0]), ..input }).unwrap();
    assert_eq!(desk.all::<SkillRouted>(), []);
}

/// Two skills that match equally are a question, which is an event, and the next decision knows it.
#[test]
fn a_question_is_an_event() {
    let mut desk = Desk::with(&format!("{POLICY}skills: {{layers: {{score: off}}}}\n"));
    let workspace = tempfile::tempdir().unwrap();
    write_skill(workspace.path(), "database", "orders");
    write_skill(workspace.path(), "testing", "orders");
    start(&mut desk, workspace.path(), "1", "orders");
    desk.end("one");
    start(&mut desk, workspace.path(), "2", "orders");
    let routed = desk.all::<SkillRouted>();
    assert_eq!(routed[0].decision.winner().map(|winner| winner.slot), Some(SkillSlot::Clarify), "{routed:?}");
    let asked = desk.all::<SkillClarificationRequested>();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].skills, ["database", "testing"]);
    assert!(!routed[0].inputs.asked_before && routed[1].inputs.asked_before);
}

/// The calls of the skill tool in a session file are recorded as loaded skills, once.
#[test]
fn an_imported_skill_call_is_a_loaded_skill() {
    let mut desk = Desk::with(POLICY);
    let tool = ObservedTool {
        id: "toolu_1".to_owned(),
        call: event_core::EventId::derive(&[b"c1"]),
        at: START,
        name: "Skill".to_owned(),
        class: classify_tool_call("Skill", r#"{"skill": "superpowers:writing-plans"}"#, None),
    };
    let mut turn = recorded_turn("rec-1", "m1", "plan the change", START);
    turn.steps.extend([call("c1", START, HAIKU), Step::ToolCalled(tool)]);
    let (recorded, turn) = (recorded_session("rec-1", START), completed(turn, START));
    for _ in 0..2 {
        desk.engine.observe_session(&recorded).unwrap();
        desk.engine.observe_turn(&recorded, &turn).unwrap();
        desk.engine.commit().unwrap();
    }
    let loaded = desk.all::<SkillLoaded>();
    assert_eq!((loaded.len(), loaded[0].skill.as_str()), (1, "superpowers:writing-plans"));
    assert_eq!((loaded[0].turn, loaded[0].call.as_deref()), (turn.id(), Some("toolu_1")));
    let routed = desk.all::<SkillRouted>();
    assert_eq!((routed.len(), routed[0].mode, routed[0].elapsed_micros), (1, SkillRoutingMode::Imported, 0));
}

/// A skill that the user loads with a slash command is recorded as loaded without a tool call.
#[test]
fn a_slash_command_loads_its_skill() {
    let (mut desk, workspace) = (Desk::with(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path(), "database", "migration");
    start(&mut desk, workspace.path(), "1", "/database for the orders");
    desk.answer("one", StopReason::EndTurn);
    let loaded = desk.all::<SkillLoaded>();
    assert_eq!((loaded.len(), loaded[0].skill.as_str(), loaded[0].call.as_deref()), (1, "database", None));
}
