//! The endpoint that decides recent turns again under an edited policy.

use std::sync::Arc;

use event_core::Position;
use hyper::{Request, StatusCode, body::Incoming as Body};
use router_core::Policy;
use serde::Deserialize;
use serde_json::{Value, json};
use what_if::{Backtest, Baseline, Candidate, Range, TurnRow, backtest};

use super::{ApiError, ApiResult, read_json};
use crate::{gateway::Gateway, view::rfc3339};

/// The maximum number of turns that are decided again.
const MAX_TURNS: u64 = 2_000;
/// The maximum number of changed turns in the response.
const MAX_EXAMPLES: usize = 20;

/// The request body: a policy text and the number of turns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhatIfRequest {
    text: String,
    turns: u64,
}

/// Decides the latest turns again under the policy in the request and compares cost and models.
pub(super) async fn what_if(gateway: &Arc<Gateway>, request: Request<Body>) -> ApiResult {
    let WhatIfRequest { text, turns } = read_json(request).await?;
    let limit = turns.clamp(1, MAX_TURNS);
    let (registry, home) = gateway
        .bus()
        .query(|engine| (Arc::clone(&engine.models().registry), engine.policy_home().map(str::to_owned)))
        .await?;
    let sources = gateway.sources().clone();
    let result = tokio::task::spawn_blocking(move || -> ApiResult {
        let policy = Policy::load(&text, Arc::clone(&registry), home.as_deref()).map_err(|problems| {
            let problems: Vec<_> = problems
                .iter()
                .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }))
                .collect();
            ApiError { status: StatusCode::UNPROCESSABLE_ENTITY, body: json!({ "problems": problems }) }
        })?;
        let candidate = Candidate { name: "edited".to_owned(), policy: Arc::new(policy) };
        let options = Backtest {
            candidates: vec![candidate],
            against: Baseline::Recorded,
            range: Range::default(),
            models: registry,
        };
        let mut rows: std::collections::VecDeque<TurnRow> = std::collections::VecDeque::new();
        let mut keep_row = |row: &TurnRow| {
            if rows.len() as u64 == limit {
                rows.pop_front();
            }
            rows.push_back(row.clone());
        };
        let always_continue = &mut |_: Position| true;
        let report = backtest(sources.log.as_ref(), sources.texts.as_ref(), &options, &mut keep_row, always_continue)
            .map_err(ApiError::internal)?;
        Ok(response_json(&rows.into_iter().collect::<Vec<_>>(), report.excluded_total().turns))
    });
    result.await.map_err(ApiError::internal)?
}

/// Builds the response. `unknown` is the number of turns that could not be compared, mostly because a price is missing.
fn response_json(rows: &[TurnRow], unknown: u64) -> Value {
    let new_choice = |row: &TurnRow| row.new.first().cloned();
    let changed: Vec<_> =
        rows.iter().filter(|row| new_choice(row).is_some_and(|new| new.model != row.old.model)).collect();
    let before: i64 = rows.iter().map(|row| row.old.nano_usd).sum();
    let after: i64 = rows.iter().filter_map(|row| Some(new_choice(row)?.nano_usd)).sum();
    let examples: Vec<_> = changed
        .iter()
        .rev()
        .take(MAX_EXAMPLES)
        .map(|row| {
            let new = new_choice(row);
            let delta = new.as_ref().map(|new| new.nano_usd.saturating_sub(row.old.nano_usd));
            json!({
                "turn": row.turn.to_string(), "at": rfc3339(row.at), "message": Value::Null,
                "from": row.old.model, "to": new.as_ref().map(|new| &new.model),
                "reason": new.as_ref().map(|new| &new.why), "cost_delta": delta,
            })
        })
        .collect();
    json!({
        "turns_looked_at": rows.len(), "changed": changed.len(), "cost_before": before, "cost_after": after,
        "unknown": unknown, "examples": examples,
    })
}
