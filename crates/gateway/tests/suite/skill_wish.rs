//! The model or tier that a skill asks for in its metadata.

use std::{fs, path::Path};

use contracts::{
    Slot,
    events::{RouteDecided, SkillWished},
};
use hyper::Method;
use serde_json::{Value, json};

use crate::support::{SESSION, World, message};

/// Writes the skill `database` with these lines in its metadata.
fn write_skill(workspace: &Path, metadata: &str) {
    let folder = workspace.join(".claude/skills/database");
    fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "---\nname: database\ndescription: d\nmetadata:\n  routing-keywords: migration\n  {metadata}\n---\nText.\n"
    );
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

/// Returns a request of Claude Code from a workspace.
fn request(workspace: &Path, text: &str) -> Value {
    let mut body = message("claude-sonnet-5", text);
    let folder = workspace.display();
    body["system"] = json!(format!("You are Claude Code.\n\n# Environment\n - Primary working directory: {folder}\n"));
    body
}

/// The skill of a message chooses its model if the policy reads wishes; the chain of `why` and the page show it. Without the
/// setting the wish is recorded and changes nothing.
#[test]
fn a_skill_chooses_the_model_that_it_asks_for() {
    for (setting, metadata, expected) in [
        ("routing: {skill_wishes: true}\n", "turnwise-model: opus", ("opus", Slot::SkillWish)),
        ("routing: {skill_wishes: true}\n", "turnwise-tier: deep", ("opus", Slot::SkillWish)),
        ("", "turnwise-tier: deep", ("sonnet", Slot::WorkspaceDefault)),
    ] {
        let tiers = "tiers: {fast: haiku, balanced: sonnet, deep: opus}\n";
        let (world, workspace) =
            (World::new(&format!("global_default: haiku\n{tiers}{setting}")), tempfile::tempdir().unwrap());
        write_skill(workspace.path(), metadata);
        let answer = world.post("/v1/messages", &SESSION, &request(workspace.path(), "write the migration"));
        world.ended(1);
        let decided = world.events::<RouteDecided>().remove(0);
        let model = decided.decision.chosen.clone().unwrap();
        assert!(model.as_str().contains(expected.0), "{metadata}: {model}");
        assert_eq!(decided.decision.winner().unwrap().slot, expected.1);
        assert_eq!(world.events::<SkillWished>()[0].wish.skill, "database");
        if expected.1 == Slot::SkillWish {
            assert_eq!(answer.header("x-turnwise-policy"), "SKILL_WISH");
            let page = world.send(&Method::GET, &format!("/turns/{}", decided.turn), &[], "").body;
            assert!(page.contains("skill \\\"database\\\""), "{page}");
        }
    }
}

/// A message without a skill has no wish.
#[test]
fn a_message_without_a_skill_has_no_wish() {
    let (world, workspace) =
        (World::new("global_default: haiku\nrouting: {skill_wishes: true}\n"), tempfile::tempdir().unwrap());
    write_skill(workspace.path(), "turnwise-model: opus");
    world.post("/v1/messages", &SESSION, &request(workspace.path(), "thank you"));
    world.ended(1);
    assert_eq!(world.events::<SkillWished>(), []);
    let decision = world.events::<RouteDecided>().remove(0).decision;
    assert!(decision.chosen.is_some_and(|model| model.as_str().contains("sonnet")));
}
