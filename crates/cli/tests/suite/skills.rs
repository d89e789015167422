//! `skills`: the skills of a workspace and a home, listed, checked and shown.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use crate::desk::{Desk, said};

/// A skill that follows all rules for authors.
const DEPLOY: &str = "---\nname: deploy\ndescription: Deploys services to Kubernetes with Helm. Use when releasing.\n\
                      keywords: [roll out, canary, helm]\nmetadata:\n  routing-negative: demo\n---\n## When not to use\n\
                      For local runs.\n## Checklist\n- Tag it.\n[rollback](../rollback)\n";

/// A skill whose description is neither valid YAML nor complete.
const REVIEW: &str = "---\nname: Review Things\ndescription: Reviews: code\n---\n# Review\n";

/// Creates a home with skills in it, which is also the workspace.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("shop/.claude/skills/deploy/SKILL.md", DEPLOY);
    desk.write("shop/.claude/skills/review/SKILL.md", REVIEW);
    desk.write("shop/.claude/skills/broken/SKILL.md", "---\nname: broken\n");
    desk.write(".claude/skills/deploy/SKILL.md", DEPLOY);
    desk.write(".claude/skills/notes/SKILL.md", &DEPLOY.replace("deploy", "notes"));
    desk
}

#[test]
fn skills_are_listed_with_the_number_of_findings() {
    let desk = desk();
    insta::assert_snapshot!(said(&desk.run(&["skills", "list", "--workspace", "shop"])));
    let json = desk.json(&["skills", "list", "--workspace", "shop"]);
    assert_eq!(
        (json["skills"].as_array().unwrap().len(), json["findings"]["errors"].as_u64()),
        (3, Some(1)),
        "{json:#}"
    );
    assert_eq!(json["shadowed"][0], "~/.claude/skills/deploy/SKILL.md");
}

#[test]
fn findings_are_listed_by_file_and_an_error_is_a_negative_result() {
    let desk = desk();
    insta::assert_snapshot!(said(&desk.run(&["skills", "lint", "--workspace", "shop"])));
    let all = desk.run(&["--json", "skills", "lint", "--workspace", "shop", "--all"]);
    let json: serde_json::Value = serde_json::from_str(&all.out).unwrap();
    let first = &json["findings"][0];
    assert_eq!(
        (all.code, first["code"].as_str(), first["severity"].as_str()),
        (1, Some("unclosed-front-matter"), Some("error"))
    );
    assert_eq!(json["counts"]["recommendations"], 2, "{json:#}");
}

#[test]
fn warnings_are_a_negative_result_only_with_strict() {
    let desk = Desk::new();
    desk.write("skills/review/SKILL.md", REVIEW);
    assert_eq!(desk.run(&["skills", "lint", "--dir", "skills"]).code, 0);
    assert_eq!(desk.run(&["skills", "lint", "--dir", "skills", "--strict"]).code, 1);
    desk.write("good/deploy/SKILL.md", DEPLOY);
    let run = desk.run(&["skills", "lint", "--dir", "good", "--strict"]);
    assert_eq!(said(&run), "exit 0\n0 errors, 0 warnings in 1 skill\n");
}

#[test]
fn a_skill_is_shown_with_its_metadata_and_findings() {
    let desk = desk();
    insta::assert_snapshot!(said(&desk.run(&["skills", "show", "/deploy", "--workspace", "shop"])));
    let unknown = desk.run(&["skills", "show", "deploy-all", "--workspace", "shop"]);
    assert_eq!(said(&unknown), "exit 2\nerror: no skill is called `deploy-all`: similar names: deploy\n");
}

#[test]
fn folders_without_skills_and_missing_folders_are_named() {
    let desk = Desk::new();
    let none = desk.run(&["skills", "list"]);
    assert!(none.out.starts_with("No skills in .agents/skills, .claude/skills"), "{}", none.out);
    let missing = desk.run(&["skills", "list", "--dir", "nowhere"]);
    assert_eq!(
        (missing.code, missing.err.contains("the folder `nowhere` cannot be read")),
        (2, true),
        "{}",
        missing.err
    );
}

/// A trigger table, with prose around it.
const TABLE: &str = "# Skills\n\n| Detected Keywords | Negative Keywords | Priority | Compound Triggers | Skill |\n\
                     | --- | --- | --- | --- | --- |\n| deploy, roll out, helm | demo | 1 | -- | /deploy |\n\
                     | review, critique, helm | -- | 3 | -- | /review |\n";

#[test]
fn a_message_is_explained_layer_by_layer() {
    let desk = desk();
    desk.write("table.md", TABLE);
    let arguments = ["skills", "explain", "roll out the new version", "--workspace", "shop", "--table", "table.md"];
    insta::assert_snapshot!(said(&desk.run(&arguments)));
    let json = desk.json(&arguments);
    assert_eq!((json["outcome"].as_str(), json["skills"][0].as_str()), (Some("routed"), Some("deploy")), "{json:#}");
    let wrong = desk.run(&["skills", "explain", "x", "--criticality", "C9"]);
    assert_eq!(said(&wrong), "exit 2\nerror: `C9` is no criticality: use C1, C2, C3 or C4\n");
}

/// SK-18: the folders, the table and the layers of the policy apply to the commands.
#[test]
fn the_settings_of_the_policy_apply_to_the_commands() {
    let desk = Desk::new();
    desk.write("shop/tools/deploy/SKILL.md", DEPLOY);
    desk.write("shop/table.md", TABLE);
    let explain = |policy: &str| {
        desk.write("policy.yaml", &format!("schema_version: 1\nglobal_default: sonnet\nskills: {policy}\n"));
        let message = "please roll out this release";
        let json = desk.json(&["skills", "explain", message, "--workspace", "shop", "--config", "policy.yaml"]);
        (json["outcome"].as_str().unwrap().to_owned(), json["skills"].clone())
    };
    let routed = |skill: &str| ("routed".to_owned(), serde_json::json!([skill]));
    assert_eq!(explain("{dirs: [tools], triggers: table.md}"), routed("deploy"));
    assert_eq!(explain("{dirs: [tools], layers: {keyword: off, score: off}}").0, "no_skill");
    assert_eq!(explain("{triggers: table.md, disabled: [deploy], layers: {score: off}}").0, "no_skill");
    desk.write("policy.yaml", "schema_version: 1\nglobal_default: sonnet\nskills: {layer: 1}\n");
    let wrong = desk.run(&["skills", "list", "--config", "policy.yaml"]);
    assert_eq!((wrong.code, wrong.err.contains("unknown field `layer`")), (2, true), "{}", wrong.err);
}

#[test]
fn the_table_is_shown_with_its_collisions() {
    let desk = desk();
    desk.write("table.md", TABLE);
    let run =
        |arguments: &[&str]| said(&desk.run(&[arguments, &["--workspace", "shop", "--table", "table.md"]].concat()));
    insta::assert_snapshot!([run(&["triggers", "show"]), run(&["triggers", "collisions"])].join("\n"));
    assert_eq!(
        said(&desk.run(&["triggers", "show"])),
        "exit 2\nerror: no trigger table: name its file with `--table`\n"
    );
}

/// Attack: a trigger table of thousands of rows, each with a finding.
/// Holds: commands print the first ones and state how to list all.
#[test]
fn a_table_of_many_rows_is_printed_in_part() {
    const ROWS: usize = 5_000;
    let desk = desk();
    let rows = (0..ROWS).map(|number| format!("| word, other{number} | -- | 1 | -- | /none{number} |\n"));
    let header = TABLE.lines().filter(|line| line.starts_with('|')).take(2).map(|line| format!("{line}\n"));
    desk.write("table.md", &header.chain(rows).collect::<String>());
    for arguments in [&["triggers", "show"][..], &["triggers", "collisions"], &["skills", "lint"]] {
        let arguments = [arguments, &["--workspace", "shop", "--table", "table.md"]].concat();
        let run = desk.run(&arguments);
        let is_bounded = run.out.len() < 300_000 && run.out.contains("more (--json lists them)");
        assert!(run.code <= 1 && is_bounded, "{arguments:?}: {} bytes, {}", run.out.len(), run.err);
    }
    let json = desk.run(&["triggers", "show", "--json", "--workspace", "shop", "--table", "table.md"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), ROWS);
}

#[test]
fn a_new_keyword_is_tried_on_labelled_requests() {
    let desk = desk();
    desk.write("table.md", TABLE);
    desk.write(
        "cases.jsonl",
        "{\"prompt\": \"ship the new version\", \"expected_skills\": [\"/deploy\"]}\n\
         {\"prompt\": \"critique the plan\", \"expected_skills\": [\"/review\"]}\n",
    );
    let places = ["--dry-run", "--workspace", "shop", "--table", "table.md", "--cases", "cases.jsonl"];
    let add = |keyword: &str| desk.run(&[&["triggers", "add", "deploy", keyword][..], &places].concat());
    insta::assert_snapshot!([said(&add("ship")), said(&add("critique"))].join("\n"));
    assert_eq!(desk.run(&["triggers", "add", "deploy", "ship"]).code, 2);
}

#[test]
fn labelled_requests_are_decided_and_compared_with_limits() {
    let desk = desk();
    desk.write("table.md", TABLE);
    desk.write(
        "cases.jsonl",
        "{\"prompt\": \"roll out the version\", \"expected_skills\": [\"/deploy\"]}\n\
         {\"prompt\": \"critique the plan\", \"expected_skills\": [\"/deploy\"]}\n\
         {\"prompt\": \"tell me a joke\", \"expected_skills\": []}\n",
    );
    let run = |limits: &[&str]| {
        desk.run(&[&["cases", "run", "cases.jsonl", "--workspace", "shop", "--table", "table.md"], limits].concat())
    };
    insta::assert_snapshot!(said(&run(&["--min-precision", "85", "--max-false-positives", "0"])));
    assert_eq!(run(&["--min-precision", "50", "--max-missed", "50"]).code, 0);
}

/// C-42: the scores learn from the labelled requests of the policy; a measurement on the same requests has a note.
#[test]
fn labelled_requests_of_the_policy_teach_the_scores() {
    let desk = Desk::new();
    desk.write("shop/.claude/skills/deploy/SKILL.md", DEPLOY);
    let line =
        |prompt: String, skills: &str| format!("{{\"prompt\": \"{prompt}\", \"expected_skills\": [{skills}]}}\n");
    let pair = |number: u32| {
        let needing = line(format!("bring build {number} to the customers"), "\"deploy\"");
        needing + &line(format!("what is {number} plus one"), "")
    };
    desk.write("shop/cases.jsonl", &(0..12).map(pair).collect::<String>());
    let explain = |policy: &str| {
        desk.write("policy.yaml", &format!("schema_version: 1\nglobal_default: sonnet\nskills: {policy}\n"));
        let message = "bring it to the customers";
        let json = desk.json(&["skills", "explain", message, "--workspace", "shop", "--config", "policy.yaml"]);
        json["skills"].clone()
    };
    assert_eq!(explain("{}"), serde_json::json!([]));
    assert_eq!(explain("{cases: cases.jsonl}"), serde_json::json!(["deploy"]));
    let run = desk.run(&["cases", "run", "shop/cases.jsonl", "--workspace", "shop", "--config", "policy.yaml"]);
    let note = "24 cases of this file are also in the training requests of the policy (`skills.cases`)";
    assert!(run.err.contains(note), "{}", run.err);
    desk.write("policy.yaml", "schema_version: 1\nglobal_default: sonnet\nskills: {cases: absent.jsonl}\n");
    let absent = desk.run(&["skills", "list", "--workspace", "shop", "--config", "policy.yaml"]);
    assert_eq!((absent.code, absent.err.contains("absent.jsonl")), (2, true), "{}", absent.err);
}

/// SC-27: a skill whose file is older than the policy allows is not loaded.
#[test]
fn a_skill_that_is_older_than_the_policy_allows_is_not_loaded() {
    let desk = Desk::new();
    let path = desk.write("shop/.claude/skills/deploy/SKILL.md", DEPLOY);
    let old = SystemTime::now() - Duration::from_hours(400 * 24);
    fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    let explain = |policy: &str| {
        desk.write("policy.yaml", &format!("schema_version: 1\nglobal_default: sonnet\nskills: {policy}\n"));
        let message = "roll out this release";
        desk.ok(&["skills", "explain", message, "--batch", "--workspace", "shop", "--config", "policy.yaml"])
    };
    assert!(!explain("{stale_after_days: 500}").contains("400 days"));
    let stale = explain("{stale_after_days: 365}");
    assert!(stale.contains("400 days") && stale.contains("no skill"), "{stale}");
}

/// A preview of a turn states the skills that its message would load, and a rule reads them.
#[test]
fn a_preview_shows_the_skill_decision() {
    let desk = Desk::new();
    desk.write(
        "shop/.claude/skills/database/SKILL.md",
        "---\nname: database\ndescription: d\nmetadata:\n  routing-keywords: migration\n---\nText.\n",
    );
    desk.write(
        ".turnwise/routing.yaml",
        "schema_version: 1\nglobal_default: haiku\nrules: [{name: databases, when: {skill_selected_in: database}, use: opus}]\n",
    );
    let route = ["route", "write the migration", "--workspace", "shop"];
    let printed = desk.run(&route).out;
    assert!(printed.contains("\nSkills: database (keyword)\n"), "{printed}");
    let json = desk.json(&route);
    assert_eq!((&json["skills"]["skills"][0], &json["skills"]["outcome"]), (&"database".into(), &"routed".into()));
    assert!(json["model"].as_str().unwrap().contains("opus"), "{json:#}");
    assert!(!desk.run(&["route", "write the migration"]).out.contains("Skills:"), "no skill is known here");
}
