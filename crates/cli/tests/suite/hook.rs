//! `turnwise hook prompt-submit`: the suggestion of a skill, and the cases in which nothing is printed.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use mock_upstream::{MockUpstream, Settings};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, Run, said},
    protection::make_fifo,
    status_line::{send, start},
};

/// A skill with a keyword.
const DEPLOY: &str =
    "---\nname: deploy\ndescription: Deploys services to Kubernetes. Use when releasing.\nkeywords: [roll out]\n---\n";

/// The session of the messages.
const SESSION: &str = "5f0e4a0c-9d57-4a3c-8a5e-0c3f2d1b7a66";

/// Returns the JSON that Claude Code 2.1 writes for a message in the folder `shop` of a home.
fn submitted(desk: &Desk, prompt: &str) -> String {
    json!({
        "session_id": SESSION, "transcript_path": "/tmp/t.jsonl",
        "cwd": desk.path("shop"), "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": prompt,
    })
    .to_string()
}

/// Runs a command with an input.
fn run_with_input(command: &mut Command, input: &str) -> Run {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that fails at its start does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the hook with an input.
fn hook(desk: &Desk, input: &str) -> Run {
    run_with_input(&mut desk.command(&["hook", "prompt-submit"]), input)
}

/// Asserts that a run says nothing and ends with 0.
#[track_caller]
fn assert_silent(run: &Run) {
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

/// Creates a home with one skill in the workspace `shop`.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("shop/.claude/skills/deploy/SKILL.md", DEPLOY);
    desk
}

/// Returns the recorded problem of the hook; `None` if there is none.
fn problem(desk: &Desk) -> Option<String> {
    let text = fs::read_to_string(desk.path(".turnwise/hook-problem.json")).ok()?;
    let problem: Value = serde_json::from_str(&text).unwrap();
    Some(problem["message"].as_str().unwrap().to_owned())
}

#[test]
fn a_skill_that_fits_is_suggested_in_the_form_that_claude_code_reads() {
    let desk = desk();
    let run = hook(&desk, &submitted(&desk, "roll out version 2"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
    let output: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(output["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    assert_eq!(problem(&desk), None);
    // The skills are kept for the next hook, and a changed file is read again.
    assert_eq!(hook(&desk, &submitted(&desk, "roll out version 2")).out, run.out);
    desk.write("shop/.claude/skills/deploy/SKILL.md", &DEPLOY.replace("roll out", "ship the release"));
    assert_silent(&hook(&desk, &submitted(&desk, "roll out version 2")));
    assert!(hook(&desk, &submitted(&desk, "ship the release")).out.contains("`deploy`"));
    let kept: Vec<_> = fs::read_dir(desk.path(".turnwise/cache/skills")).unwrap().collect();
    let mode = kept[0].as_ref().unwrap().metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((kept.len(), mode), (1, 0o600));
}

#[test]
fn nothing_is_said_when_no_skill_fits_or_claude_code_loads_it_itself() {
    let desk = desk();
    // Claude Code does not read this folder.
    desk.write("shop/.agents/skills/review/SKILL.md", &DEPLOY.replace("deploy", "review").replace("roll out", "audit"));
    for prompt in ["hello", "", "/deploy version 2", "audit this", "<task-notification>roll out</task-notification>"] {
        assert_silent(&hook(&desk, &submitted(&desk, prompt)));
    }
    assert_eq!(problem(&desk), None);
    assert_silent(&hook(&Desk::new(), &submitted(&desk, "roll out version 2").replace("/shop", "")));
}

#[test]
fn the_folder_of_the_project_is_used_wherever_claude_code_works() {
    let desk = desk();
    let input = submitted(&desk, "roll out version 2").replace("/shop", "");
    let mut command = desk.command(&["hook", "prompt-submit"]);
    let run = run_with_input(command.env("CLAUDE_PROJECT_DIR", desk.path("shop")), &input);
    assert!(run.out.contains("`deploy`"), "{}", run.out);
}

/// Two hooks for one message, that of the user and that of the project, have one answer and one decision.
#[test]
fn the_hook_of_a_project_leaves_the_answer_to_that_of_the_user() {
    let desk = desk();
    let input = submitted(&desk, "roll out version 2");
    let of_project = || run_with_input(&mut desk.command(&["hook", "prompt-submit", "--project"]), &input);
    assert!(of_project().out.contains("`deploy`"), "the user has no hook");
    desk.ok(&["init", "--claude-code"]);
    assert_silent(&of_project());
    assert!(hook(&desk, &input).out.contains("`deploy`"));
    assert_eq!(desk.json(&["skills", "log"]).as_array().unwrap().len(), 2);
    assert_eq!(problem(&desk), None);
}

/// A new keyword is tried on messages that only a hook was asked about.
#[test]
fn a_keyword_is_tried_on_messages_of_hooks() {
    let desk = desk();
    hook(&desk, &submitted(&desk, "bring it to production"));
    let arguments = ["triggers", "add", "deploy", "bring it to production", "--dry-run", "--workspace", "shop"];
    let preview = desk.json(&arguments);
    assert_eq!((&preview["requests"], &preview["changed"][0]["after"]), (&json!(1), &json!("deploy")), "{preview:#}");
}

/// Attack: inputs of the hook that are no JSON, have other types, or are too long.
/// Holds: nothing is printed, the exit code is 0, and the recorded problem has nothing of the message.
#[test]
fn an_invalid_input_is_silent_and_recorded_without_the_message() {
    let desk = desk();
    let long = submitted(&desk, &"roll out the secret ".repeat(60_000));
    for input in
        ["", "secret", "{\"prompt\": \"secret\"}", "{\"cwd\": 1, \"prompt\": [\"secret\"]}", "[\"secret\"", &long]
    {
        let _ = fs::remove_file(desk.path(".turnwise/hook-problem.json"));
        assert_silent(&hook(&desk, input));
        let problem = problem(&desk).unwrap();
        assert!(problem.starts_with("the input of the hook") && !problem.contains("secret"), "{problem}");
    }
}

#[test]
fn an_invalid_policy_a_missing_folder_and_a_home_that_is_a_file_are_silent() {
    let desk = desk();
    let input = submitted(&desk, "roll out version 2");
    assert_silent(&hook(&desk, &input.replace("/shop", "/nowhere")));
    assert!(problem(&desk).unwrap().contains("nowhere` cannot be read"), "{:?}", problem(&desk));
    desk.write(".turnwise/routing.yaml", "schema_version: 1\nskills: {layers: 3}\n");
    assert_silent(&hook(&desk, &input));
    assert!(problem(&desk).unwrap().contains("routing.yaml` cannot be used"), "{:?}", problem(&desk));
    fs::remove_dir_all(desk.path(".turnwise")).unwrap();
    desk.write(".turnwise", "a file");
    let run = hook(&desk, &input);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
}

/// Claude Code blocks the message of the user if a hook ends with 2.
#[test]
fn no_argument_and_no_variable_ends_the_hook_with_two() {
    let desk = desk();
    assert_eq!(desk.run(&["hook", "prompt-submit", "--nonsense"]).code, 1);
    assert_eq!(desk.run(&["--nonsense", "hook", "prompt-submit"]).code, 1);
    assert_eq!(desk.run(&["hook", "prompt-submit", "--help"]).code, 0);
    let mut command = desk.command(&["hook", "prompt-submit"]);
    let run = run_with_input(command.env("RUST_LOG", "no filter="), &submitted(&desk, "roll out version 2"));
    assert!(run.code == 0 && run.out.contains("`deploy`"), "{} {}", run.out, run.err);
}

/// The command in the settings runs in a shell.
#[test]
fn the_installed_command_suggests_the_skill_and_hides_that_its_program_is_missing() {
    let desk = desk();
    let installed = desk.json(&["init", "--claude-code"]);
    let command = installed["prompt_hook"]["command"].as_str().unwrap();
    let input = submitted(&desk, "roll out version 2");
    let shell = |command: &str| {
        let mut shell = Command::new("sh");
        run_with_input(shell.args(["-c", command]).env("HOME", desk.path(".")), &input)
    };
    assert!(shell(command).out.contains("`deploy`"));
    let old = shell(&command.replace("prompt-submit", "of-the-future"));
    assert_eq!((old.code, old.out.as_str()), (0, ""));
    let missing = shell(&command.replace("/turnwise ", "/nowhere "));
    assert_eq!((missing.code, missing.out.as_str()), (0, ""));
}

#[test]
fn doctor_reports_whether_the_hook_is_installed_and_can_run() {
    let desk = desk();
    let client = desk.write("bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
    fs::set_permissions(client, fs::Permissions::from_mode(0o755)).unwrap();
    let finding = |part: &str| {
        let output = desk.command(&["--json", "doctor"]).env("PATH", desk.path("bin")).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let sections = report["sections"].as_array().unwrap().iter();
        let mut findings = sections.flat_map(|section| section["findings"].as_array().unwrap()).cloned();
        let found = findings.find(|finding| finding["text"].as_str().unwrap().contains(part));
        found.unwrap_or_else(|| panic!("{part} is not in {report:#}"))["level"].as_str().unwrap().to_owned()
    };
    assert_eq!(finding("does not ask turnwise"), "note");
    desk.ok(&["init", "--claude-code"]);
    assert_eq!(finding("asks turnwise which skill fits"), "ok");
    assert_silent(&hook(&desk, "no JSON"));
    assert_eq!(finding("the hook had a problem 0 minutes ago: the input of the hook"), "note");
    let settings = fs::read_to_string(desk.path(".claude/settings.json")).unwrap();
    desk.write(".claude/settings.json", &settings.replace("/turnwise hook", "/gone/turnwise hook"));
    assert_eq!(finding("/gone/turnwise, which does not exist"), "problem");
    let off = settings.replacen('{', "{\"disableAllHooks\": true,", 1);
    desk.write(".claude/settings.json", &off);
    assert_eq!(finding("switches the hook of turnwise off"), "note");
}

/// Returns the payloads of the events of a kind in the log.
fn recorded(desk: &Desk, kind: &str) -> Vec<Value> {
    let exported = desk.ok(&["events", "export"]);
    let events = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["kind"] == kind).map(|mut event| event["data"].take()).collect()
}

#[test]
fn a_decision_without_a_gateway_is_recorded_once_by_the_next_command_that_writes() {
    let desk = desk();
    for prompt in ["roll out version 2", "hello", "@opus roll out version 3"] {
        assert_eq!(hook(&desk, &submitted(&desk, prompt)).code, 0);
    }
    assert!(!desk.log().exists(), "the hook opens no log");
    let kept = desk.path(".turnwise/hook/decisions.jsonl");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    let lines = fs::read_to_string(&kept).unwrap();
    assert_eq!(lines.lines().count(), 2, "a message with a mention is decided by its turn: {lines}");
    desk.ok(&["rules", "reload"]);
    assert!(!kept.exists());
    let check = || {
        let routed = recorded(&desk, "skill.routed");
        let outcomes: Vec<_> = routed.iter().map(|event| (&event["mode"], &event["session"], &event["turn"])).collect();
        let expected = (&json!("hook"), &json!(SESSION), &Value::Null);
        assert_eq!(outcomes, [expected, expected]);
        assert_eq!(recorded(&desk, "skill.indexed").len(), 1);
        assert_eq!(recorded(&desk, "skill.prompt_recorded").len(), 2);
    };
    check();
    desk.ok(&["events", "verify"]);
    // The same decisions again, as after a command that was killed while it recorded them, and a line that was cut off.
    desk.write(".turnwise/hook/decisions.taken.jsonl", &format!("{lines}{}", &lines[..40]));
    let again = desk.run(&["rules", "reload"]);
    assert!(again.err.contains("1 decision of hooks cannot be recorded"), "{}", said(&again));
    check();
    // The skills are in the log, so that the decision can be repeated without their files.
    fs::remove_dir_all(desk.path("shop")).unwrap();
    fs::remove_dir_all(desk.path(".turnwise/hook")).unwrap();
    desk.ok(&["replay"]);
}

#[test]
fn a_report_on_skill_decisions_includes_those_that_hooks_kept() {
    let desk = desk();
    for prompt in ["roll out version 2", "hello"] {
        assert_eq!(hook(&desk, &submitted(&desk, prompt)).code, 0);
    }
    let log = desk.ok(&["skills", "log"]);
    assert!(log.contains("roll out version 2") && log.contains("2 of 2 decisions"), "{log}");
    assert!(!desk.path(".turnwise/hook/decisions.jsonl").exists());
    assert_eq!(recorded(&desk, "skill.routed").len(), 2);
}

#[test]
fn the_message_is_kept_and_recorded_only_if_the_policy_allows_it() {
    let desk = desk();
    desk.write(".turnwise/routing.yaml", "schema_version: 1\nglobal_default: sonnet\nprivacy: {record_text: never}\n");
    assert!(hook(&desk, &submitted(&desk, "roll out the secret version")).out.contains("`deploy`"));
    let kept = fs::read_to_string(desk.path(".turnwise/hook/decisions.jsonl")).unwrap();
    assert!(!kept.contains("secret"), "{kept}");
    desk.ok(&["rules", "reload"]);
    assert_eq!((recorded(&desk, "skill.routed").len(), recorded(&desk, "skill.prompt_recorded").len()), (1, 0));
}

/// Attack: kept decisions with the skills or the message of another decision.
/// Holds: they are left out.
#[test]
fn a_kept_decision_that_does_not_belong_to_its_skills_is_left_out() {
    let desk = desk();
    hook(&desk, &submitted(&desk, "roll out version 2"));
    let sources = fs::read_dir(desk.path(".turnwise/hook/sources")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&sources).unwrap();
    fs::write(&sources, text.replace("roll out", "delete it")).unwrap();
    let run = desk.run(&["rules", "reload"]);
    assert!(run.err.contains("1 decision of hooks cannot be recorded"), "{}", said(&run));
    assert!(recorded(&desk, "skill.routed").is_empty());
}

/// Attack: a FIFO, a device, a folder or an endless file in place of the decisions that hooks keep.
/// Holds: hooks and commands do not wait, read no more than hooks write, and name the file.
#[test]
fn a_fifo_device_or_endless_file_in_place_of_kept_decisions_is_not_read() {
    for (name, kind) in [
        ("decisions.jsonl", "fifo"),
        ("decisions.taken.jsonl", "fifo"),
        ("lock", "fifo"),
        ("decisions.jsonl", "device"),
        ("decisions.jsonl", "folder"),
        ("decisions.jsonl", "endless"),
    ] {
        let desk = desk();
        let path = desk.path(".turnwise/hook").join(name);
        desk.write(".turnwise/hook/decisions.jsonl", "{}\n");
        let _ = fs::remove_file(&path);
        match kind {
            "fifo" => make_fifo(&path),
            "device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            "folder" => fs::create_dir(&path).unwrap(),
            _ => fs::File::create(&path).unwrap().set_len(1 << 40).unwrap(),
        }
        assert!(hook(&desk, &submitted(&desk, "roll out version 3")).code == 0, "{name} {kind}");
        for arguments in [&["skills", "log"][..], &["rules", "reload"]] {
            let run = desk.run(arguments);
            let expected = if kind == "endless" { "no hook wrote it: delete it" } else { "delete it" };
            assert!(run.code == 0 && run.err.contains(expected), "{name} {kind} {arguments:?}: {}", said(&run));
        }
    }
}

#[test]
fn a_running_gateway_decides_and_the_turn_of_the_message_uses_its_decision() {
    let (desk, mock) = (desk(), MockUpstream::start(Settings::default()).unwrap());
    let gateway = start(&desk, &mock, "");
    let session_of = |number: usize| format!("session-{number}");
    let is_decided = |session: &str| recorded(&desk, "skill.routed").iter().any(|event| event["session"] == session);
    // On a busy machine a hook can end before it has reached the gateway; the turn of its message is decided then.
    let decided = (0..20).map(session_of).find(|session| {
        let input = submitted(&desk, "roll out version 2").replace(SESSION, session);
        assert!(hook(&desk, &input).out.contains("`deploy`"));
        let started = Instant::now();
        while !is_decided(session) && started.elapsed() < Duration::from_secs(2) {}
        is_decided(session)
    });
    let session = decided.expect("the gateway never decided");
    assert!(!desk.path(".turnwise/hook/decisions.jsonl").exists(), "nothing is kept while a gateway runs");
    assert_eq!(send(&gateway, &session, "roll out version 2"), 200);
    let of_session =
        |kind: &str| recorded(&desk, kind).iter().filter(|event| event["session"] == session.as_str()).count();
    assert_eq!((of_session("skill.routed"), of_session("skill.reused")), (1, 1));
}
