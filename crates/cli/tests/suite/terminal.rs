//! Nothing that is recorded can control the terminal on which it is printed.

use serde_json::Value;

use crate::desk::Desk;

/// Sequences that set the title of a terminal, clear it, write to its clipboard, ring, overwrite a line, reverse the order
/// of text and hide it.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31m\u{9b}5m\u{1b}]52;c;AAAA\u{1b}\\\u{7}\r\u{8}\u{202e}\u{2066}\u{200b}\u{200f}\u{feff}\u{85}\u{2028}\u{7f}\u{e0041}";

/// Adds [`HOSTILE`] to every text of a session file that a client or a model chooses.
fn make_hostile(value: &mut Value, key: &str) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, field)| make_hostile(field, key)),
        Value::Array(items) => items.iter_mut().for_each(|item| make_hostile(item, key)),
        Value::String(text) => {
            let is_structure =
                ["type", "role", "uuid", "parentUuid", "timestamp", "id", "tool_use_id", "requestId", "sessionId"];
            let is_model = key == "model" && text.starts_with("claude");
            if !is_structure.contains(&key) && !is_model {
                text.push_str(HOSTILE);
            }
        }
        _ => {}
    }
}

/// Returns the first character of an output that a terminal would obey, or that is invisible, with the text around it.
/// The styles of the program are accepted.
fn first_control(output: &str) -> Option<String> {
    let own = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[0m", "\u{1b}[1m\u{1b}[31m"];
    let stripped = own.iter().fold(output.to_owned(), |output, style| output.replace(style, ""));
    let is_unsafe = |character: char| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    let (place, _) = stripped.char_indices().find(|(_, character)| is_unsafe(*character))?;
    let start = stripped[..place].char_indices().rev().nth(40).map_or(0, |(index, _)| index);
    Some(format!("{:?}", stripped[start..].chars().take(80).collect::<String>()))
}

/// Writes a session, a policy and a list of models in which every name is hostile, and imports the session.
fn hostile_desk() -> Desk {
    let desk = Desk::new();
    let lines = transcripts::DEMO_SESSION.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        make_hostile(&mut line, "");
        line.to_string()
    });
    let session = lines.collect::<Vec<_>>().join("\n");
    desk.write(&format!(".claude/projects/shop{HOSTILE}/demo.jsonl").replace(['\r', '\u{8}'], ""), &session);
    // The name of a rule cannot have control characters, but it can have others that change the order of text.
    let quoted = |text: &str| {
        let escape = |escaped: String, character| escaped + &format!("\\U{:08x}", u32::from(character));
        let escaped = text.chars().fold(String::new(), escape);
        format!("\"{escaped}\"")
    };
    let (name, text) = (quoted("rule\u{202e}\u{2066}\u{200b}"), quoted(HOSTILE));
    desk.write(
        ".turnwise/routing.yaml",
        &format!(
            "schema_version: 1\nrules:\n  - {{name: {name}, when: {{message_contains_any: [{text}]}}, use: haiku}}\n  - {{name: all, when: {{estimated_input_tokens_gt: 0}}, use: haiku}}\nglobal_default: sonnet\n"
        ),
    );
    desk
}

/// Attack: control characters in messages, names, ids and paths.
/// Holds: no command prints one.
#[test]
fn no_command_passes_a_recorded_control_character_to_the_terminal() {
    let desk = hostile_desk();
    let mut outputs = 0;
    let mut check = |arguments: &[&str]| {
        for options in [&["--color", "always"][..], &["--json"]] {
            let run = desk.command(&[options, arguments].concat()).output().unwrap();
            for bytes in [run.stdout, run.stderr] {
                let output = String::from_utf8(bytes).unwrap();
                assert_eq!(first_control(&output), None, "{options:?} {arguments:?}");
                outputs += usize::from(output.contains("owned"));
            }
        }
    };
    check(&["import", "claude-code"]);
    check(&["rules", "check"]);
    let turn = desk.json(&["why", "last"])["turn"].as_str().map(str::to_owned);
    let turn = turn.unwrap_or_else(|| "last".to_owned());
    for arguments in [
        &["why", "last"][..],
        &["why", &turn],
        &["sessions"],
        &["cost"],
        &["cost", "--by", "project"],
        &["cost", "--by", "model"],
        &["cost", "--by", "result,project"],
        &["cost", "--plan", "100"],
        &["doctor"],
        &["savings"],
        &["status"],
        &["providers"],
        &["models"],
        &["model", "show"],
        &["rules", "show"],
        &["events", "tail", "-n", "10000"],
        &["events", "verify"],
        &["events", "export"],
        &["backtest", "--all"],
        &["backtest", "--csv"],
        &["replay"],
        &["patterns", "status"],
        &["patterns", "inspect"],
        &["patterns", "explain", "last"],
        &["feedback", "last", "up"],
        &["feedback", HOSTILE, "good"],
        &["why", HOSTILE],
        &["model", "set", HOSTILE],
        &["route", HOSTILE],
        &["init"],
        &["import", HOSTILE],
    ] {
        check(arguments);
    }
    assert!(20 < outputs, "the hostile texts are in the log: {outputs} outputs had them");
    // A policy that is invalid is quoted in the error.
    desk.write(
        ".turnwise/routing.yaml",
        &format!("schema_version: 1\n{}: 1\n", serde_json::to_string(HOSTILE).unwrap()),
    );
    for arguments in [&["rules", "check"][..], &["route", "hello"], &["status"]] {
        let run = desk.command(arguments).output().unwrap();
        let output = [run.stdout, run.stderr].concat();
        assert_eq!(first_control(&String::from_utf8(output).unwrap()), None, "{arguments:?}");
    }
}
