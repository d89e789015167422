//! What the policy makes of the situations its owner cares about: read the snapshots as documentation.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use policy_snapshots::load;
use router_core::Scenario;

/// The reasons, and below them what the user is shown.
fn why(scenario: &Scenario) -> String {
    let policy = load(Path::new(env!("CARGO_MANIFEST_DIR")), "/home/dev").unwrap();
    let outcome = scenario.try_on(&policy).unwrap();
    let shown: Vec<_> = outcome.banners.iter().map(|banner| format!("\nShown: {banner}\n")).collect();
    format!("{}{}", outcome.why, shown.concat())
}

#[test]
fn a_plain_question_goes_to_the_default() {
    insta::assert_snapshot!(why(&Scenario::message("Where is the cart emptied?")));
}

#[test]
fn a_commit_is_fast_also_where_the_workspace_has_a_default_of_its_own() {
    insta::assert_snapshot!(why(&Scenario::message("/commit round half up").workspace("/home/dev/code/billing/api")));
}

#[test]
fn a_migration_is_deep_once_sql_was_touched() {
    insta::assert_snapshot!(why(&Scenario::message("Write the migration for invoices").touched(".sql")));
}

#[test]
fn a_migration_while_its_model_is_out_falls_through_and_says_so() {
    let scenario = Scenario::message("Write the migration for invoices").touched(".sql").model_out("opus");
    insta::assert_snapshot!(why(&scenario));
}

#[test]
fn a_prompt_of_180_000_tokens_goes_where_it_fits() {
    insta::assert_snapshot!(why(&Scenario::message("Summarise the logs").tokens(180_000)));
}

#[test]
fn tests_in_billing_are_written_by_sonnet_once_tools_ran() {
    let billing = "/home/dev/code/billing";
    insta::assert_snapshot!(why(&Scenario::message("Add tests for refunds").workspace(billing).tool_history()));
}

#[test]
fn the_budget_stops_even_the_migration() {
    let scenario = Scenario::message("Write the migration for invoices").touched(".sql").spent("10.01");
    insta::assert_snapshot!(why(&scenario));
}

#[test]
fn an_explicit_model_wins_over_every_rule_and_the_budget() {
    insta::assert_snapshot!(why(&Scenario::message("@opus /commit with care").spent("10.01")));
}

#[test]
fn a_rule_wins_over_what_was_learned_and_the_disagreement_is_shown() {
    insta::assert_snapshot!(why(&Scenario::message("/commit round half up").learned("sonnet", 90, 40)));
}

#[test]
fn a_picture_goes_to_a_model_that_sees() {
    insta::assert_snapshot!(why(&Scenario::message("What is wrong in this screenshot?").images().sticky("llama")));
}
