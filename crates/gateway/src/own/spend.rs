//! What was spent today, by model and by whose work it was.

use std::sync::Arc;

use contracts::facts::CallRole;
use serde_json::json;

use super::Outcome;
use crate::gateway::Gateway;

pub(super) async fn spend(gateway: &Arc<Gateway>) -> Outcome {
    let now = gateway.now();
    Ok(gateway
        .desk()
        .ask(move |engine| {
            let costs = &engine.state().costs;
            let day = costs.latest_day();
            let is_today = day.day == now.utc_day();
            let models: Vec<_> = day
                .models
                .iter()
                .filter(|_| is_today)
                .map(|(model, total)| {
                    let cost = (total.unpriced_calls < total.calls).then_some(total.cost.0);
                    json!({
                        "model": model.as_str(), "calls": total.calls, "cost": cost,
                        "input_tokens": total.usage.input_total(), "output_tokens": total.usage.output,
                    })
                })
                .collect();
            let roles: Vec<_> = [CallRole::Planner, CallRole::Worker, CallRole::Side]
                .into_iter()
                .filter_map(|role| {
                    let total = day.roles.get(&role).filter(|_| is_today)?;
                    let cost = (total.unpriced_calls < total.calls).then_some(total.cost.0);
                    Some(json!({ "role": role.name(), "calls": total.calls, "cost": cost }))
                })
                .collect();
            let unpriced: u64 = day.models.values().filter(|_| is_today).map(|total| total.unpriced_calls).sum();
            let budgets: Vec<u64> = engine.policy().policy.budgets().iter().map(|budget| budget.0).collect();
            let date = crate::view::rfc3339(now);
            json!({
                "day": date.get(..10), "total": costs.spent_today(now).0, "unpriced_calls": unpriced,
                "by_model": models, "by_role": roles, "budgets": budgets,
            })
        })
        .await?)
}
