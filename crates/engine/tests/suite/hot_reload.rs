//! The policy is reloaded for every turn, and the last valid one stays active (004 §4.8, §10.1 test 4).

use contracts::events::{CatalogueLoaded, PolicyInvalid, PolicyLoaded, RouteDecided};
use engine::{BUILT_IN_PATH, BUILT_IN_POLICY, Refresh, TurnInput};

use crate::support::{
    Desk,
    desk::session,
    models::{HAIKU, OPUS, SONNET},
};

/// A valid policy.
const GOOD: &str = "global_default: haiku\n";
/// Another valid policy.
const BETTER: &str = "global_default: opus\n";
/// A policy with three errors.
const BAD: &str = "global_default: hiaku\nruels: []\npattern: {cost_weight: 2}\n";

/// Starts a turn in the session `name`; returns the problems of the policy file that are reported with it.
fn trouble(desk: &mut Desk, name: &str) -> Vec<String> {
    let new = TurnInput::new(session(name), "message", "hello");
    let (_, trouble) = desk.arrive_with_trouble(new).unwrap();
    let problems = trouble.map(|trouble| trouble.problems).unwrap_or_default();
    problems.iter().map(ToString::to_string).collect()
}

/// The first turn after an edit of the policy file is decided by the new policy.
#[test]
fn the_turn_after_an_edit_uses_the_new_policy() {
    let mut desk = Desk::with(GOOD);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(HAIKU));
    desk.edit_policy(BETTER);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(OPUS));
}

/// A file that was just written may be incomplete, so it is not read yet.
/// Attack: a policy file that is half written.
/// Holds: the last valid policy decides until the file is complete.
#[test]
fn a_file_that_is_being_written_is_taken_when_it_has_rested() {
    let mut desk = Desk::with("global_default: haiku\nrules: []\n");
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(HAIKU));
    for part in ["", "global", "global_default: opus\n"] {
        std::fs::write(desk.policy_path(), part).unwrap();
        assert_eq!(desk.turn("one", "hello").as_deref(), Some(HAIKU), "after {part:?}");
    }
    assert_eq!(desk.all::<PolicyInvalid>().len(), 0, "no part of it was read");
    std::thread::sleep(std::time::Duration::from_millis(110));
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(OPUS));
}

/// An emptied file keeps the policy, and its loss of more than half of the rules is announced.
/// Attack: an emptied policy file, or one that lost most of its rules.
/// Holds: the first is refused, the second announced.
#[test]
fn an_empty_file_is_refused_and_a_file_that_lost_its_rules_is_announced() {
    let rule = |name: &str| format!("  - {{name: {name}, when: {{estimated_input_tokens_gt: 1}}, use: opus}}\n");
    let rules: Vec<_> = ["a", "b", "c", "d", "e"].map(rule).to_vec();
    let mut desk = Desk::with(&format!("global_default: haiku\nrules:\n{}", rules.concat()));
    desk.turn("one", "hello");
    for empty in ["", "  \n\n", "# only a comment\n"] {
        desk.edit_policy(empty);
        assert_eq!(
            trouble(&mut desk, "two"),
            ["line 1, column 1: the policy is empty; without the file, the built-in policy is active"],
            "{empty:?}"
        );
        assert_eq!(desk.engine.policy().policy.rules().count(), 5);
    }
    desk.edit_policy(&format!("global_default: haiku\nrules:\n{}", rules[..3].concat()));
    desk.turn("one", "hello");
    assert_eq!((desk.engine.policy().policy.rules().count(), desk.engine.lost_rules()), (3, None), "less than half");
    desk.edit_policy(&format!("global_default: haiku\nrules:\n{}", rules[..1].concat()));
    desk.turn("one", "hello");
    let lost = desk.engine.lost_rules().unwrap();
    assert_eq!((lost.before, lost.now), (3, 1));
    assert!(lost.to_string().contains("has 1 of the 3 rules"), "{lost}");
}

/// A running turn keeps its model when the policy file is edited.
#[test]
fn a_running_turn_does_not_notice_an_edit() {
    let mut desk = Desk::with(GOOD);
    desk.start("one", "hello");
    desk.edit_policy(BETTER);
    assert_eq!(desk.turn("two", "hello").as_deref(), Some(OPUS));
    assert_eq!(desk.locked_model("one").unwrap().as_str(), HAIKU);
}

/// While the file is invalid, the last valid policy decides; all errors are recorded and reported once.
#[test]
fn an_invalid_edit_keeps_the_last_good_policy_and_tells_every_error_once() {
    let mut desk = Desk::with(GOOD);
    desk.turn("one", "hello");
    desk.edit_policy(BAD);
    let shown = trouble(&mut desk, "two");
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(trouble(&mut desk, "three"), [""; 0], "the same failure is told once");

    let told = desk.all::<PolicyInvalid>();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].errors, shown);
    assert_eq!((told[0].errors_omitted, told[0].using_last_known_good), (0, true));
    assert_eq!(told[0].path, desk.policy_path().display().to_string());
    let models: Vec<_> = desk.all::<RouteDecided>().into_iter().map(|decided| decided.decision.chosen).collect();
    assert!(models.iter().all(|model| model.as_ref().is_some_and(|model| model.as_str() == HAIKU)), "{models:?}");
}

/// A corrected policy becomes active, and is the last valid one for the next invalid edit.
#[test]
fn a_mended_policy_is_active_again() {
    let mut desk = Desk::with(GOOD);
    desk.turn("one", "hello");
    desk.edit_policy(BAD);
    desk.turn("one", "hello");
    desk.edit_policy(BETTER);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(OPUS));
    desk.edit_policy(BAD);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(OPUS), "the last good one, not the first");
    assert_eq!(desk.all::<PolicyInvalid>().len(), 2, "it broke twice");
    assert_eq!(desk.all::<PolicyLoaded>().len(), 2);
}

/// An invalid edit that is reverted does not record the same policy again.
#[test]
fn an_edit_that_is_taken_back_brings_nothing_new_into_force() {
    let mut desk = Desk::with(GOOD);
    desk.turn("one", "hello");
    desk.edit_policy(BAD);
    desk.turn("one", "hello");
    desk.edit_policy(GOOD);
    desk.turn("one", "hello");
    assert_eq!(desk.all::<PolicyLoaded>().len(), 1);
}

/// If the policy file is deleted, its policy stays active, and the problem is reported once for each deletion.
#[test]
fn a_file_that_vanishes_leaves_its_policy_active() {
    let mut desk = Desk::with(BETTER);
    desk.turn("one", "hello");
    desk.remove_policy();
    let shown = trouble(&mut desk, "two");
    assert_eq!(shown.len(), 1);
    assert!(shown[0].contains("the file cannot be read"), "{shown:?}");
    assert_eq!(trouble(&mut desk, "three"), [""; 0]);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(OPUS));
    desk.edit_policy(GOOD);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(HAIKU));
    desk.remove_policy();
    assert_eq!(trouble(&mut desk, "four").len(), 1, "it vanished again");
}

/// Without a policy file the built-in policy is active, until a file is written.
#[test]
fn without_a_file_the_built_in_policy_holds_until_one_is_written() {
    let mut desk = Desk::without_a_policy();
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(SONNET));
    assert_eq!(desk.engine.policy().path, BUILT_IN_PATH);
    desk.edit_policy(BETTER);
    assert_eq!(desk.turn("one", "hello").as_deref(), Some(OPUS));
    let paths: Vec<_> = desk.all::<PolicyLoaded>().into_iter().map(|loaded| loaded.path).collect();
    assert_eq!(paths, [BUILT_IN_PATH.to_owned(), desk.policy_path().display().to_string()]);
    assert_eq!(desk.all::<PolicyInvalid>().len(), 0, "a file that was never written is no trouble");
}

/// Opening an invalid policy file is an error with all its problems.
#[test]
fn a_policy_that_is_bad_from_the_start_is_refused_with_all_its_errors() {
    let desk = Desk::with(GOOD);
    desk.edit_policy(BAD);
    let registry = std::sync::Arc::clone(&desk.models.registry);
    let refused = engine::PolicyFile::open(desk.policy_path(), None, registry).unwrap_err();
    let text = refused.to_string().replace(&refused.path, "routing.yaml");
    insta::assert_snapshot!(text);
}

/// Each change of the policy is recorded once, also a change back to an earlier one; the models are recorded once; the
/// texts of all of them are stored.
#[test]
fn the_policy_and_the_models_are_told_once_per_change_and_their_texts_are_kept() {
    let mut desk = Desk::with(GOOD);
    for _ in 0..3 {
        desk.turn("one", "hello");
    }
    desk.edit_policy(BETTER);
    desk.turn("one", "hello");
    desk.edit_policy(GOOD);
    desk.turn("one", "hello");
    let mut desk = desk.restarted();
    desk.turn("one", "hello");

    let loaded = desk.all::<PolicyLoaded>();
    let texts: Vec<_> = loaded.iter().map(|loaded| desk.texts.get(loaded.hash.0).unwrap().unwrap()).collect();
    assert_eq!(texts, [GOOD, BETTER, GOOD], "coming back to an earlier policy is a change");
    assert!(loaded.iter().zip(&texts).all(|(loaded, text)| loaded.bytes == text.len() as u64));
    let models = desk.all::<CatalogueLoaded>();
    assert_eq!((models.len(), models[0].models), (1, 5));
    let text = desk.texts.get(models[0].hash.0).unwrap().unwrap();
    assert_eq!(catalogue::registry_from_text(&text).unwrap(), *desk.models.registry);
}

/// A decision contains the hash of the policy that was active.
#[test]
fn every_decision_names_the_policy_it_was_made_by() {
    let mut desk = Desk::with(GOOD);
    desk.turn("one", "hello");
    desk.edit_policy(BETTER);
    desk.turn("one", "hello");
    let loaded: Vec<_> = desk.all::<PolicyLoaded>().into_iter().map(|loaded| loaded.hash).collect();
    let named: Vec<_> = desk.all::<RouteDecided>().into_iter().map(|decided| decided.policy).collect();
    assert_eq!(named, loaded);
}

/// Refreshing an unchanged policy file does not load it again.
#[test]
fn a_look_at_an_unchanged_file_changes_nothing() {
    let desk = Desk::with(GOOD);
    let registry = std::sync::Arc::clone(&desk.models.registry);
    let mut file = engine::PolicyFile::open(desk.policy_path(), None, registry).unwrap();
    assert!(matches!(file.refresh(), Refresh::Unchanged));
    desk.edit_policy(BETTER);
    assert!(matches!(file.refresh(), Refresh::Loaded));
    assert!(matches!(file.refresh(), Refresh::Unchanged));
    assert_ne!(file.active().text.as_ref(), BUILT_IN_POLICY);
}
