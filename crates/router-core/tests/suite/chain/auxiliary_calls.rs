//! Rules and auxiliary calls, such as titles, whose text is the client's although it quotes the user's.

use contracts::{
    AuxiliaryCall, ClientRequest,
    views::{NoPatterns, Outages, Views},
};
use router_core::{Scenario, decide as decide_turn};

use crate::support::{live_request, policy};

/// The decision on a title call that quotes a message about architecture, as slot and model.
fn title(when: &str, auxiliary_calls: &str) -> String {
    let policy = policy(&format!(
        "gateway: {{auxiliary_calls: {auxiliary_calls}}}\nrules: [{{name: deep, when: {when}, use: opus}}]\nglobal_default: sonnet"
    ));
    let mut turn = Scenario::message("Write a title: the architecture").turn(&policy).unwrap();
    turn.started.request = Some(ClientRequest { auxiliary: Some(AuxiliaryCall::Title), ..live_request() });
    let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
    let decision = decide_turn(&turn.turn(), &policy, &views).decision;
    let winner = decision.winner().unwrap();
    format!("{:?} {}", winner.slot, winner.candidate.as_ref().unwrap().model())
}

#[test]
fn a_rule_about_the_users_text_does_not_decide_a_title_that_quotes_it() {
    for when in ["{message_matches: architecture}", "{not: {message_matches: poem}}"] {
        assert_ne!(title(when, "client"), "ConfiguredRules claude-opus-4-7", "{when}");
    }
}

#[test]
fn rules_about_auxiliary_calls_and_rules_without_text_decide_them() {
    let both = "{message_matches: architecture, auxiliary_call_is: title}";
    for when in ["{auxiliary_call_is: title}", both, "{has_images: false}"] {
        assert_eq!(title(when, "client"), "ConfiguredRules claude-opus-4-7", "{when}");
    }
}

#[test]
fn auxiliary_calls_that_are_routed_are_decided_by_every_rule() {
    assert_eq!(title("{message_matches: architecture}", "route"), "ConfiguredRules claude-opus-4-7");
}
