//! Decisions with more reasons than fit into an event.

use std::fmt::Write as _;

use contracts::{
    Slot,
    events::{ErrorClass, RouteDecided, TurnStatus},
};
use engine::Route;

use crate::support::{
    Desk,
    models::{HAIKU, OPUS, model_id},
};

/// Of many rejected rules, the first ones are recorded, and the decision that is returned is the recorded one.
#[test]
fn the_end_of_a_long_list_of_rejected_rules_is_dropped() {
    let mut policy = "rules:\n".to_owned();
    for number in 0..100 {
        let name = format!("{number:03} {}", "a rule with a long name".repeat(4));
        writeln!(policy, "  - {{name: \"{name}\", when: {{message_contains_any: hello}}, use: opus}}").unwrap();
    }
    policy.push_str("global_default: gpt\n");
    let mut desk = Desk::with(&policy);
    desk.start("one", "hello");
    desk.fail("one", OPUS, ErrorClass::Auth);
    desk.end_as("one", TurnStatus::Failed);
    let made = desk.start("one", "hello again");
    let decided = desk.all::<RouteDecided>().pop().unwrap();
    assert_eq!(made.route, Route::Decided(Box::new(decided.clone())), "what is shown is what is recorded");
    let rules = decided.decision.entry(Slot::ConfiguredRules).unwrap();
    let names: Vec<_> = rules.attempts.iter().map(|attempt| &attempt.name[..3]).collect();
    assert!(10 <= names.len() && names.len() < 100, "{}", names.len());
    assert_eq!(names[..3], ["000", "001", "002"]);
    assert_eq!(decided.decision.winner().unwrap().slot, Slot::GlobalDefault);
}

/// A turn whose message matches the text predicates of 1,990 rules is decided and recorded.
#[test]
fn thousands_of_matching_conditions_do_not_stop_a_turn() {
    let mut policy = "rules:\n".to_owned();
    for number in 0..1_990 {
        let when = format!("{{message_contains_any: [\"{number}\", hello], has_images: true}}");
        writeln!(policy, "  - {{when: {when}, use: opus}}").unwrap();
    }
    policy.push_str("  - {name: last, when: {message_matches: hello}, use: haiku}\n");
    let mut desk = Desk::with(&policy);
    let made = desk.start("one", "hello");
    assert_eq!(made.model(), Some(&model_id(HAIKU)));
    let [decided] = desk.all::<RouteDecided>().try_into().unwrap();
    assert_eq!(made.route, Route::Decided(Box::new(decided)));
}
