//! Files of the home folder that are missing, unsafe or not regular files, tokens, and expensive policies.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
};

use crate::desk::{Desk, said};

/// Returns the permissions of a file.
fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Creates a FIFO in place of a file.
pub(crate) fn make_fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(path).status().unwrap().success());
}

/// Attack: a second token of one name.
/// Holds: the first is revoked only on request.
#[test]
fn a_second_token_of_a_name_needs_a_word() {
    let desk = Desk::new();
    let first = desk.json(&["token", "add", "laptop"]);
    assert_eq!(first["scopes"], serde_json::json!(["use"]));
    let before = fs::read_to_string(desk.path(".turnwise/tokens")).unwrap();
    let again = desk.run(&["token", "add", "laptop", "--scope", "admin"]);
    assert!(again.code == 2 && again.err.contains("--replace"), "{}", said(&again));
    assert_eq!(fs::read_to_string(desk.path(".turnwise/tokens")).unwrap(), before);
    desk.ok(&["token", "add", "laptop", "--scope", "read,admin", "--replace"]);
    let listed = desk.json(&["token", "list"]);
    assert_eq!(listed["tokens"], serde_json::json!([{ "name": "laptop", "scopes": ["read", "admin"] }]));
    assert_eq!((mode(&desk.path(".turnwise")), mode(&desk.path(".turnwise/tokens"))), (0o700, 0o600));
    desk.ok(&["token", "remove", "laptop"]);
    assert_eq!(desk.run(&["token", "remove", "laptop"]).code, 2);
    let refused = desk.run(&["serve", "--require-token", "--listen", "127.0.0.1:0"]);
    assert!(refused.code == 2 && refused.err.contains("turnwise token add"), "{}", said(&refused));
}

/// Attack: the folder `texts` is removed.
/// Holds: `events verify` and `events export` name the loss and exit with 1.
#[test]
fn texts_that_are_gone_are_reported() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    assert_eq!(desk.run(&["events", "verify"]).code, 0);
    fs::remove_dir_all(desk.log().join("texts")).unwrap();
    let verified = desk.run(&["events", "verify"]);
    assert!(verified.code == 1 && verified.out.contains("missing: the text"), "{}", said(&verified));
    let json = desk.run(&["--json", "events", "verify"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["whole"], json["missing_texts"].as_array().unwrap().is_empty()), (&false.into(), false));
    for arguments in [&["events", "export"][..], &["events", "export", "log.jsonl"]] {
        let exported = desk.run(arguments);
        assert!(exported.code == 1 && exported.err.contains("incomplete:"), "{arguments:?}: {}", said(&exported));
    }
}

/// Attack: a FIFO in place of a file of the home folder.
/// Holds: commands refuse it at once.
#[test]
fn a_fifo_in_place_of_a_file_is_refused_and_not_waited_for() {
    for name in ["routing.yaml", "models.yaml", "gateway.yaml", "keys", "tokens", "key-salt", "log/journal", "log/HEAD"]
    {
        let desk = Desk::new();
        desk.write(".turnwise/routing.yaml", "schema_version: 1\nglobal_default: sonnet\n");
        desk.with_session();
        desk.ok(&["import", "claude-code"]);
        if name == "routing.yaml" {
            // The policy of the log is active instead of a file that cannot be read.
            fs::remove_dir_all(desk.log()).unwrap();
        }
        make_fifo(&desk.path(".turnwise").join(name));
        let served = desk.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(served.code != 0 && served.err.contains("regular file"), "{name}: {}", said(&served));
    }
    let desk = Desk::new();
    make_fifo(&desk.path(".turnwise/routing.yaml"));
    for arguments in [&["rules", "check"][..], &["route", "hello"], &["init", "--force"]] {
        let run = desk.run(arguments);
        assert!(run.code != 0 && run.err.contains("regular file"), "{arguments:?}: {}", said(&run));
    }
}

/// Attack: a FIFO or a device in place of a file of a client, in the home folder of the user or in a cloned repository.
/// Holds: commands refuse it or leave it out, and do not wait.
#[test]
fn a_fifo_or_device_in_place_of_a_clients_file_is_not_waited_for() {
    for device in [false, true] {
        let desk = Desk::new();
        for name in [".claude/settings.json", ".claude.json", ".codex/config.toml"] {
            if device {
                fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
                std::os::unix::fs::symlink("/dev/zero", desk.path(name)).unwrap();
            } else {
                make_fifo(&desk.path(name));
            }
        }
        for arguments in [&["init", "--claude-code"][..], &["init", "--claude-code", "--remove"]] {
            let run = desk.run(arguments);
            assert!(run.code == 3 && run.err.contains("regular file"), "{arguments:?}: {}", said(&run));
        }
        for arguments in [&["doctor"][..], &["init"]] {
            let run = desk.run(arguments);
            assert!(run.code <= 1, "{arguments:?}: {}", said(&run));
        }
    }
}

/// Attack: an endless file as the argument of a command.
/// Holds: it is refused beyond 64 MiB.
#[test]
fn an_endless_file_is_refused() {
    let desk = Desk::new();
    for arguments in [&["cases", "run", "/dev/zero"][..], &["rules", "test", "/dev/zero"]] {
        let run = desk.run(arguments);
        assert!(run.code == 3 && run.err.contains("larger than 64 MiB"), "{arguments:?}: {}", said(&run));
    }
}

/// Attack: a home folder that others may write.
/// Holds: the permission is removed with a note.
#[test]
fn a_home_that_others_may_write_is_repaired_with_a_note() {
    let desk = Desk::new();
    desk.write(".turnwise/routing.yaml", "schema_version: 1\nglobal_default: sonnet\n");
    fs::set_permissions(desk.path(".turnwise"), Permissions::from_mode(0o777)).unwrap();
    let run = desk.run(&["route", "hello"]);
    assert!(run.code == 0 && run.err.contains("others could write"), "{}", said(&run));
    assert_eq!(mode(&desk.path(".turnwise")), 0o755);
    assert!(!desk.run(&["route", "hello"]).err.contains("others could write"));
}

/// Attack: a umask that allows everything or nothing.
/// Holds: files have mode 0600 and folders 0700.
#[test]
fn modes_do_not_depend_on_the_umask() {
    for umask in ["000", "777"] {
        let desk = Desk::new();
        let program = env!("CARGO_BIN_EXE_turnwise");
        desk.with_session();
        let script = format!("umask {umask}; {program} token add a && {program} init && {program} import claude-code");
        let run = Command::new("sh")
            .args(["-c", &script])
            .env_clear()
            .env("HOME", desk.path(""))
            .env("PATH", std::env::var("PATH").unwrap())
            .output()
            .unwrap();
        assert!(run.status.success(), "{umask}: {}", String::from_utf8_lossy(&run.stderr));
        for name in ["", "log", "log/texts"] {
            assert_eq!(mode(&desk.path(".turnwise").join(name)), 0o700, "{umask}: {name}");
        }
        for name in ["tokens", "routing.yaml", "log/journal", "log/HEAD"] {
            assert_eq!(mode(&desk.path(".turnwise").join(name)), 0o600, "{umask}: {name}");
        }
    }
}

/// Attack: regular expressions that take seconds.
/// Holds: the policy is refused with its most expensive rules.
#[test]
fn a_policy_that_takes_too_long_to_match_is_refused_with_its_most_expensive_rules() {
    let desk = Desk::new();
    let rule = |index: usize, pattern: &str| {
        format!("  - {{name: r{index}, when: {{message_matches: '{pattern}{index}'}}, use: haiku}}\n")
    };
    let expensive: String = (0..240).map(|index| rule(index, "(?:[ab]{40}){45}x")).collect();
    desk.write(".turnwise/routing.yaml", &format!("schema_version: 1\nrules:\n{expensive}global_default: sonnet\n"));
    let checked = desk.run(&["rules", "check"]);
    let message = checked.out.contains("ms for each KiB") && checked.out.contains("the most expensive rules are `r");
    assert!(checked.code == 1 && message, "{}", said(&checked));
    // A policy within the limit states its cost.
    let cheap: String = (0..5).map(|index| rule(index, "(?:[ab]{40}){20}x")).collect();
    desk.write(".turnwise/routing.yaml", &format!("schema_version: 1\nrules:\n{cheap}global_default: sonnet\n"));
    let checked = desk.run(&["rules", "check"]);
    assert!(checked.code == 0 && checked.out.contains("per KiB of a message (limit 71."), "{}", said(&checked));
    let json = desk.json(&["rules", "check"]);
    assert!(json["matching"]["micros_per_kib"].as_u64().unwrap() < 71_680, "{json}");
    // An empty policy is not ok.
    desk.write(".turnwise/routing.yaml", "# nothing\n");
    let empty = desk.run(&["rules", "check"]);
    assert!(empty.code == 1 && empty.out.contains("the policy is empty"), "{}", said(&empty));
}

#[test]
fn a_policy_that_lost_most_of_its_rules_is_announced() {
    let desk = Desk::new();
    let rule = |index: usize| format!("  - {{name: r{index}, when: {{message_matches: 'word{index}'}}, use: haiku}}\n");
    let policy = |rules: usize| {
        let rules: String = (0..rules).map(rule).collect();
        format!("schema_version: 1\nrules:\n{rules}global_default: sonnet\n")
    };
    desk.write(".turnwise/routing.yaml", &policy(6));
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    assert!(!desk.ok(&["rules", "check"]).contains("that it had before"));
    desk.write(".turnwise/routing.yaml", &policy(2));
    let checked = desk.ok(&["rules", "check"]);
    assert!(checked.contains("the policy has 2 of the 6 rules that it had before"), "{checked}");
}
