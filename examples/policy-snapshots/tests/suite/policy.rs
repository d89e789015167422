//! Tests of the policy: one for each situation, whose snapshot documents the decision.

use std::path::Path;

use policy_snapshots::load;
use router_core::Scenario;

/// Returns the explanation of the decision for a scenario, followed by the banners for the user.
fn why(scenario: &Scenario) -> String {
    let policy = load(Path::new(env!("CARGO_MANIFEST_DIR")), "/home/dev").unwrap();
    scenario.try_on(&policy).unwrap().to_string()
}

#[test]
fn question_without_a_rule_uses_the_default() {
    insta::assert_snapshot!(why(&Scenario::message("Where is the cart emptied?")));
}

#[test]
fn commit_rule_precedes_the_default_of_the_workspace() {
    insta::assert_snapshot!(why(&Scenario::message("/commit round half up").workspace("/home/dev/code/billing/api")));
}

#[test]
fn migration_uses_the_deep_model_after_sql_files() {
    insta::assert_snapshot!(why(&Scenario::message("Write the migration for invoices").touched(".sql")));
}

#[test]
fn migration_falls_back_if_its_model_is_unavailable() {
    let scenario = Scenario::message("Write the migration for invoices").touched(".sql").model_out("opus");
    insta::assert_snapshot!(why(&scenario));
}

#[test]
fn prompt_of_180_000_tokens_uses_the_long_context_model() {
    insta::assert_snapshot!(why(&Scenario::message("Summarise the logs").tokens(180_000)));
}

#[test]
fn rule_of_the_billing_workspace_applies_after_tool_calls() {
    let billing = "/home/dev/code/billing";
    insta::assert_snapshot!(why(&Scenario::message("Add tests for refunds").workspace(billing).tool_history()));
}

#[test]
fn spent_budget_precedes_the_migration_rule() {
    let scenario = Scenario::message("Write the migration for invoices").touched(".sql").spent("10.01");
    insta::assert_snapshot!(why(&scenario));
}

#[test]
fn explicit_model_precedes_every_rule_and_the_budget() {
    insta::assert_snapshot!(why(&Scenario::message("@opus /commit with care").spent("10.01")));
}

#[test]
fn rule_wins_and_the_deferred_recommendation_is_shown() {
    insta::assert_snapshot!(why(&Scenario::message("/commit round half up").learned("sonnet", 90, 40)));
}

#[test]
fn images_require_a_model_with_vision() {
    insta::assert_snapshot!(why(&Scenario::message("What is wrong in this screenshot?").images().sticky("llama")));
}
