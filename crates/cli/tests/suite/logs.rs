//! The `events` commands: export and import, purge, damage, and a log in use.

use std::fs;

use event_bus::SledLog;

use crate::desk::{Desk, flip_a_bit, said};

/// Creates a home with the bundled session imported.
fn desk_with_log() -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    desk
}

/// A log that was exported and imported exports the same bytes.
#[test]
fn json_lines_go_out_and_come_back_unchanged() {
    let desk = desk_with_log();
    desk.ok(&["events", "export", "a.jsonl"]);
    let other = Desk::new();
    let file = desk.path("a.jsonl");
    other.ok(&["events", "import", file.to_str().unwrap()]);
    other.ok(&["events", "export", "b.jsonl"]);
    assert_eq!(fs::read(file).unwrap(), fs::read(other.path("b.jsonl")).unwrap());
    assert_eq!(desk.json(&["events", "verify"])["digest"], other.json(&["events", "verify"])["digest"]);
    let printed = desk.command(&["events", "export"]).output().unwrap().stdout;
    assert_eq!(printed, fs::read(other.path("b.jsonl")).unwrap());
}

#[test]
fn a_line_that_is_no_event_is_named_with_its_file_and_number() {
    let desk = Desk::new();
    let file = desk.write("bad.jsonl", "{\"position\": 1}\n");
    let run = desk.run(&["events", "import", file.to_str().unwrap()]);
    assert!(run.code == 2 && run.err.contains("bad.jsonl") && run.err.contains("line 1"), "{}", said(&run));
}

/// A changed line is an error with its number. A line without a hash chain is accepted only with `--without-chain`.
#[test]
fn a_changed_line_is_named_and_one_without_a_chain_is_taken_only_when_told_to() {
    let desk = desk_with_log();
    desk.ok(&["events", "export", "a.jsonl"]);
    let lines = fs::read_to_string(desk.path("a.jsonl")).unwrap();
    let changed = lines.replacen("\"status\":\"completed\"", "\"status\":\"failed\"", 1);
    assert_ne!(changed, lines);
    let number = 1 + lines.lines().zip(changed.lines()).position(|(one, other)| one != other).unwrap();
    let other = Desk::new();
    let file = other.write("changed.jsonl", &changed);
    let refused = other.run(&["events", "import", file.to_str().unwrap()]);
    let named = refused.err.contains(&format!("line {number}: the hash chain does not hold"));
    assert!(refused.code == 2 && named, "{}", said(&refused));
    let cut = |line: &str| line.rfind(",\"chain\":").map_or(line.to_owned(), |chain| format!("{}}}", &line[..chain]));
    let bare: Vec<_> = changed.lines().map(cut).collect();
    let third = Desk::new();
    let file = third.write("bare.jsonl", &bare.join("\n"));
    assert_eq!(third.run(&["events", "import", file.to_str().unwrap()]).code, 2);
    let taken = third.ok(&["events", "import", "--without-chain", file.to_str().unwrap()]);
    assert!(taken.contains("carried no hash chain"), "{taken}");
}

/// After a purge, the events contain no text; `why`, `verify`, export and import still work, and the digest is the
/// same.
#[test]
fn purged_text_is_gone_and_why_and_verify_go_on() {
    let desk = desk_with_log();
    let (why, before) = (desk.ok(&["why"]), desk.json(&["events", "verify"]));
    let plan = desk.ok(&["events", "purge", "--text"]);
    assert!(plan.contains("Nothing was changed"), "{plan}");
    assert_eq!(desk.json(&["events", "verify"])["purged"], 0);
    let done = desk.json(&["events", "purge", "--text", "--yes"]);
    let after = desk.json(&["events", "verify"]);
    assert_eq!((&after["purged"], &after["whole"]), (&done["events"], &true.into()));
    assert!(0 < after["purged"].as_u64().unwrap());
    assert_eq!(after["digest"], before["digest"]);
    // The first line is the message, which is gone.
    assert_eq!(desk.ok(&["why"]), why.split_once('\n').unwrap().1);
    assert!(desk.ok(&["events", "tail", "--kind", "turn.text"]).contains("its text was removed"));
    desk.ok(&["events", "export", "purged.jsonl"]);
    let other = Desk::new();
    other.ok(&["events", "import", desk.path("purged.jsonl").to_str().unwrap()]);
    assert_eq!(other.json(&["events", "verify"])["chain"], desk.json(&["events", "verify"])["chain"]);
}

/// After `events retain`, costs and rule hits are the same, `verify` finds no damage, `replay` counts what was removed, and
/// a second import of the same file records nothing.
#[test]
fn retained_sessions_leave_their_totals_and_a_valid_chain() {
    let desk = desk_with_log();
    let cost = |by: &str| desk.json(&["cost", "--from", "2020-01-01", "--by", by]);
    let groups = ["month", "day", "model", "role", "project"];
    let before: Vec<_> = groups.iter().map(|by| cost(by)).collect();
    assert!(0 < before[0]["overall"]["cost_nano_usd"].as_u64().unwrap());
    let plan = desk.ok(&["events", "retain", "--before", "1d"]);
    assert!(
        plan.starts_with("would remove 1 session with 9 turns: ") && plan.contains("Nothing was changed"),
        "{plan}"
    );
    assert!(plan.lines().all(|line| line.chars().count() <= 100), "{plan}");
    assert_eq!(desk.json(&["events", "verify"])["purged"], 0);
    let done = desk.json(&["events", "retain", "--before", "1d", "--yes"]);
    assert_eq!((&done["sessions"], &done["turns"]), (&1.into(), &9.into()));
    let verified = desk.json(&["events", "verify"]);
    assert_eq!((&verified["whole"], &verified["purged"]), (&true.into(), &done["events"]));
    for (by, before) in groups.iter().zip(&before) {
        let after = cost(by);
        assert_eq!((&after["overall"], &after["groups"]), (&before["overall"], &before["groups"]), "by {by}");
    }
    let replayed = desk.json(&["replay"]);
    assert_eq!((&replayed["decisions"], &replayed["removed"]), (&0.into(), &9.into()));
    assert_eq!(desk.json(&["import", "claude-code"])["new_events"], 0);
    assert_eq!(desk.json(&["events", "retain", "--before", "1d", "--yes"])["sessions"], 0);
    desk.ok(&["events", "export", "retained.jsonl"]);
    let other = Desk::new();
    other.ok(&["events", "import", desk.path("retained.jsonl").to_str().unwrap()]);
    assert_eq!(other.json(&["events", "verify"])["chain"], desk.json(&["events", "verify"])["chain"]);
    for (arguments, word) in [(&["--max-size", "5"][..], "500MB"), (&["--before", "soon"], "30d"), (&[], "--before")] {
        let run = desk.run(&[&["events", "retain"], arguments].concat());
        assert!(run.code == 2 && run.err.contains(word), "{}", said(&run));
    }
}

#[test]
fn a_flipped_bit_is_found_explained_and_repaired_from_the_index() {
    let desk = desk_with_log();
    let before = desk.json(&["events", "verify"])["digest"].clone();
    flip_a_bit(&desk.log().join("journal"));
    let found = desk.run(&["events", "verify"]);
    assert!(found.code == 1 && found.out.contains("damaged") && found.out.contains("position"), "{}", said(&found));
    let refused = desk.run(&["import", "claude-code"]);
    assert!(refused.code == 3 && refused.err.contains("turnwise events repair"), "{}", said(&refused));
    let plan = desk.ok(&["events", "repair"]);
    assert!(plan.contains("Nothing was changed"), "{plan}");
    desk.ok(&["events", "repair", "--yes"]);
    assert_eq!(desk.json(&["events", "verify"])["digest"], before);
    assert_eq!(desk.json(&["import", "claude-code"])["turns"], 9);
}

/// The next command that writes rebuilds a missing index, prints a note and records the repair.
#[test]
fn a_lost_index_is_rebuilt_and_the_log_says_so() {
    let desk = desk_with_log();
    fs::remove_dir_all(desk.log().join("index")).unwrap();
    let run = desk.run(&["import", "claude-code"]);
    assert!(run.code == 0 && run.err.contains("the log was repaired"), "{}", said(&run));
    assert!(desk.ok(&["events", "tail", "--kind", "log.repaired"]).contains("index_rebuilt"));
}

/// A command that writes fails with the id of the process that has the log open; commands that read succeed.
#[test]
fn a_log_in_use_is_named_with_the_process_and_reading_goes_on() {
    let desk = desk_with_log();
    let (held, _) = SledLog::open(desk.log()).unwrap();
    let run = desk.run(&["model", "opus"]);
    let process = std::process::id().to_string();
    assert!(run.code == 3 && run.err.contains("in use by") && run.err.contains(&process), "{}", said(&run));
    desk.ok(&["why"]);
    drop(held);
    desk.ok(&["model", "opus"]);
}

#[test]
fn a_event_is_shown_by_position_and_by_id() {
    let desk = desk_with_log();
    let by_position = desk.json(&["events", "show", "3"]);
    let id = by_position["id"].as_str().unwrap().to_owned();
    assert_eq!(desk.json(&["events", "show", &id]), by_position);
    assert_eq!(desk.run(&["events", "show", "999999"]).code, 2);
}

/// The text of a message appears in no event but the one for text, and not in log lines; in no event if the policy
/// forbids recording it.
#[test]
fn the_text_of_messages_stays_out_of_everything_but_its_own_event() {
    let desk = Desk::new();
    let secret = "zanzibar-4711";
    let line = transcripts::DEMO_SESSION.replace("one cent", secret);
    desk.write(".claude/projects/shop/demo.jsonl", &line);
    desk.ok(&["-vv", "import", "claude-code"]);
    let run = desk.run(&["-vv", "events", "tail", "-n", "500"]);
    assert!(!run.out.contains(secret) && !run.err.contains(secret));
    let carrying: Vec<_> = desk
        .ok(&["events", "export"])
        .lines()
        .filter(|line| line.contains(secret))
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].clone())
        .collect();
    assert!(!carrying.is_empty() && carrying.iter().all(|kind| kind == "turn.text_recorded"), "{carrying:?}");
    desk.write(".turnwise/routing.yaml", "global_default: sonnet\nprivacy: {record_text: never}\n");
    fs::remove_dir_all(desk.log()).unwrap();
    desk.ok(&["import", "claude-code"]);
    assert!(!desk.ok(&["events", "export"]).contains(secret));
}
