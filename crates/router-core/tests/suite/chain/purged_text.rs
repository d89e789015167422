//! A turn whose text was purged is decided again from the recorded matches of text predicates (decision D9).

use contracts::{
    MessageText, Turn,
    views::{NoPatterns, Outages, Views},
};
use router_core::{Decided, Scenario, decide};

use crate::support::policy;

/// Rules with three text predicates, one of them negated.
const POLICY: &str = r#"
rules:
  - {when: {message_matches: "^/commit", message_contains_any: [fix, bug]}, use: haiku}
  - {when: {not: {message_matches: commit}}, use: opus}
global_default: sonnet
"#;

#[test]
fn the_decision_is_the_same_without_the_text() {
    let policy = policy(POLICY);
    let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
    for message in ["/commit fix this", "/commit", "hello", "commit"] {
        let stated = Scenario::message(message).turn(&policy).unwrap();
        let decided = decide(&stated.turn(), &policy, &views);
        let purged = Turn { message: MessageText::Matched(&decided.matched), ..stated.turn() };
        assert_eq!(decide(&purged, &policy, &views), decided, "{message}");
    }
}

/// A decision returns the numbers of the predicates that matched; none if the rules were not evaluated.
#[test]
fn the_recorded_matches_are_numbers_of_predicates() {
    let policy = policy(POLICY);
    let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
    let matched = |message: &str| {
        let Decided { matched, .. } =
            decide(&Scenario::message(message).turn(&policy).unwrap().turn(), &policy, &views);
        matched
    };
    assert_eq!(matched("/commit the FIX"), [0, 1, 2]);
    assert_eq!(matched("a bug in commit"), [1, 2]);
    assert_eq!(matched("hello"), [0_u16; 0]);
    assert_eq!(matched("@haiku /commit the fix"), [0_u16; 0], "the rules were not asked");
}
