//! The rules of the policy, and how often each has decided.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Outcome;
use crate::gateway::Gateway;

pub(super) async fn rules(gateway: &Arc<Gateway>) -> Outcome {
    let now = gateway.now();
    Ok(gateway
        .desk()
        .ask(move |engine| {
            let hits = &engine.state().rule_hits;
            let policy = &engine.policy().policy;
            let rules: Vec<Value> = policy
                .rules()
                .map(|rule| {
                    json!({
                        "workspace": rule.workspace, "name": rule.name, "when": rule.when,
                        "model": rule.model.as_str(), "line": rule.line,
                        "hits": hits.total(rule.name), "hits_today": hits.on_day(rule.name, now.utc_day()),
                    })
                })
                .collect();
            json!({ "rules": rules })
        })
        .await?)
}
