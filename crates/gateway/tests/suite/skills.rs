//! Skill decisions about requests, hooks and imports, and the skills that an agent loads.

use std::{fs, path::Path};

use contracts::{
    SessionId,
    events::{RouteDecided, SkillIndexed, SkillLoaded, SkillReused, SkillRouted, SkillRoutingMode},
};
use control::RoutePrompt;
use event_bus::{Clock as _, SystemClock};
use hyper::Method;
use serde_json::{Value, json};

use crate::support::{SESSION, World, message};

/// A policy under which the selected skill determines the model.
const POLICY: &str =
    "global_default: haiku\nrules: [{name: databases, when: {skill_selected_in: database}, use: opus}]\n";
/// The list of skills of Claude Code.
const LIST: &str = "<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n- database: \
                    Use for database migrations and schema changes\n- review: Use for reviews of changes\n</system-reminder>";

/// Returns a request of Claude Code that offers two skills and the tool that loads them.
fn offering(text: &str) -> Value {
    let mut body = message("claude-opus-4-8", "");
    body["tools"] = json!([{ "name": "Skill", "input_schema": { "type": "object" } }]);
    body["messages"][0]["content"] = json!([{ "type": "text", "text": LIST }, { "type": "text", "text": text }]);
    body
}

/// Returns the names of the skills that each decision loads.
fn selected(world: &World) -> Vec<Vec<String>> {
    let decided = world.events::<SkillRouted>();
    decided.iter().map(|routed| routed.decision.chosen.as_ref().unwrap().loaded().to_vec()).collect()
}

/// The skills of a request decide before the model, and the skill that the model loads is recorded. The page has both.
#[test]
fn offered_skills_are_decided_about_and_the_loaded_one_is_recorded() {
    let world = World::new(POLICY);
    let text = "use the database skill: TOOLCALL:Skill:{\"skill\":\"database\"}";
    let answer = world.post("/v1/messages", &SESSION, &offering(text));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(selected(&world), [["database"]]);
    let routed = &world.events::<SkillRouted>()[0];
    assert_eq!(routed.mode, SkillRoutingMode::Observed);
    let indexed = world.events::<SkillIndexed>();
    assert_eq!((indexed.len(), indexed[0].skills, indexed[0].offered_only), (1, 2, 2));
    assert_eq!(routed.sources, Some(indexed[0].sources));
    let model = world.events::<RouteDecided>()[0].decision.chosen.clone();
    assert!(model.is_some_and(|model| model.as_str().contains("opus")));

    let loaded = || world.events::<SkillLoaded>();
    for _ in 0..500 {
        if !loaded().is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(loaded().iter().map(|loaded| loaded.skill.as_str()).collect::<Vec<_>>(), ["database"]);
    let turn = routed.turn.unwrap();
    let page = world.send(&Method::GET, &format!("/turns/{turn}"), &[], "").json();
    let skills = &page["skills"];
    assert_eq!((&skills["outcome"], &skills["skills"]), (&json!("routed"), &json!(["database"])), "{page}");
    assert_eq!(skills["loaded"][0]["skill"], "database");
}

/// Writes a skill into the folder of a workspace.
pub(crate) fn write_skill(workspace: &Path) {
    let folder = workspace.join(".claude/skills/database");
    fs::create_dir_all(&folder).unwrap();
    let text = "---\nname: database\ndescription: d\nmetadata:\n  routing-keywords: migration\n---\nText.\n";
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

/// A prompt of a hook is decided from the files of the workspace, and its request makes no second decision.
#[test]
fn a_prompt_that_a_hook_asked_about_is_decided_once() {
    let (world, workspace) = (World::new(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path());
    let session = SessionId::try_from(SESSION[0].1).unwrap();
    let cwd = workspace.path().to_str().map(str::to_owned);
    let prompt = RoutePrompt::new(session, cwd, "write the migration".to_owned(), SystemClock.now());
    let routed: SkillRouted = serde_json::from_value(world.control(prompt).unwrap()).unwrap();
    assert_eq!(
        routed.decision.chosen.as_ref().map(|outcome| outcome.loaded().to_vec()),
        Some(vec!["database".to_owned()])
    );

    world.post("/v1/messages", &SESSION, &message("claude-opus-4-8", "write the migration"));
    world.ended(1);
    assert_eq!((world.events::<SkillRouted>().len(), world.events::<SkillReused>().len()), (1, 1));
    let decided = &world.events::<RouteDecided>()[0];
    assert!(decided.decision.chosen.as_ref().is_some_and(|model| model.as_str().contains("opus")), "{decided:?}");
    let page = world.send(&Method::GET, &format!("/turns/{}", decided.turn), &[], "").json();
    assert_eq!(page["skills"]["mode"], "hook", "{page}");
}

/// The folder that a request names is read outside of the bus thread.
#[test]
fn the_skills_of_the_workspace_are_read() {
    let (world, workspace) = (World::new(POLICY), tempfile::tempdir().unwrap());
    write_skill(workspace.path());
    let mut body = message("claude-opus-4-8", "write the migration");
    let folder = workspace.path().display();
    body["system"] = json!(format!("You are Claude Code.\n\n# Environment\n - Primary working directory: {folder}\n"));
    world.post("/v1/messages", &SESSION, &body);
    world.ended(1);
    assert_eq!(selected(&world), [["database"]]);
}
