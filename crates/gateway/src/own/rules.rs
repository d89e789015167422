//! The endpoint that lists the rules of the policy with the number of turns that each decided.

use std::sync::Arc;

use serde_json::{Value, json};

use super::ApiResult;
use crate::gateway::Gateway;

/// Handles the page's request for the rules of the policy, in evaluation order. Each has its hits, the number of turns
/// that it decided: live turns in total and since UTC midnight, and imported turns.
pub(super) async fn rules(gateway: &Arc<Gateway>) -> ApiResult {
    let now = gateway.now();
    Ok(gateway
        .bus()
        .query(move |engine| {
            let hits = &engine.state().rule_hits;
            let is_today = hits.latest_day() == now.utc_day();
            let policy = &engine.policy().policy;
            let rules: Vec<Value> = policy
                .rules()
                .map(|rule| {
                    json!({
                        "workspace": rule.workspace, "name": rule.name, "when": rule.when,
                        "model": rule.models.first().map(|model| model.as_str()), "models": rule.models, "line": rule.line,
                        "hits": hits.for_rule(rule.name).live, "hits_imported": hits.for_rule(rule.name).imported,
                        "hits_today": if is_today { hits.for_rule(rule.name).latest_day } else { 0 },
                    })
                })
                .collect();
            json!({ "rules": rules })
        })
        .await?)
}
