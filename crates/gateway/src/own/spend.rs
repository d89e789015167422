//! The endpoint that returns today's cost, by model and by role.

use std::sync::Arc;

use contracts::CallRole;
use engine::budget_lines;
use event_core::Timestamp;
use serde_json::json;

use super::ApiResult;
use crate::gateway::Gateway;

/// The number of days that are listed, today included.
const DAYS: u64 = 90;

/// Handles the page's request for the spending: the cost since UTC midnight in total, by model and by role, the budgets of
/// the policy as `turnwise status` shows them, the daily limits in conditions of rules, and the cost of each of the last
/// [`DAYS`] days with calls. Amounts are in nano-dollars; that
/// of a model or role is null if no price of its calls is known.
pub(super) async fn spend(gateway: &Arc<Gateway>) -> ApiResult {
    let now = gateway.now();
    Ok(gateway
        .bus()
        .query(move |engine| {
            let costs = &engine.state().costs;
            let day = costs.latest_day().filter(|day| day.day == now.utc_day());
            let (by_model, by_role) = day.map(|day| (day.models.clone(), day.roles.clone())).unwrap_or_default();
            let models: Vec<_> = by_model
                .iter()
                .map(|(model, total)| {
                    let cost = (total.unpriced_calls < total.calls).then_some(total.cost.0);
                    json!({
                        "model": model.as_str(), "calls": total.calls, "cost": cost,
                        "input_tokens": total.usage.input_total(), "output_tokens": total.usage.output,
                    })
                })
                .collect();
            let roles: Vec<_> = CallRole::ALL
                .into_iter()
                .filter_map(|role| {
                    let total = by_role.get(&role)?;
                    let cost = (total.unpriced_calls < total.calls).then_some(total.cost.0);
                    Some(json!({ "role": role.name(), "calls": total.calls, "cost": cost }))
                })
                .collect();
            let unpriced: u64 = by_model.values().map(|total| total.unpriced_calls).sum();
            let policy = &engine.policy().policy;
            let limits_of_rules: Vec<u64> = policy.budgets().iter().map(|budget| budget.0).collect();
            let budgets = budget_lines(policy, costs, now);
            let first_day = now.utc_day().saturating_sub(DAYS - 1);
            let days = costs.days().filter(|(day, _)| first_day <= *day).map(|(day, total)| {
                let date = crate::view::rfc3339(Timestamp::from_secs(day.saturating_mul(86_400)));
                json!({
                    "day": date.get(..10), "cost": total.cost.0, "calls": total.calls,
                    "unpriced_calls": total.unpriced_calls,
                })
            });
            let days: Vec<_> = days.collect();
            let date = crate::view::rfc3339(now);
            json!({
                "day": date.get(..10), "total": costs.spent_today(now).0, "unpriced_calls": unpriced,
                "by_model": models, "by_role": roles, "budgets": budgets,
                "limits_of_rules": limits_of_rules, "days": days,
            })
        })
        .await?)
}
