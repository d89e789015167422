//! The endpoint that decides recent turns again under an edited policy.

use std::{collections::BTreeMap, sync::Arc};

use contracts::Registry;
use event_core::Position;
use hyper::{Request, StatusCode, body::Incoming as Body};
use router_core::Policy;
use serde::Deserialize;
use serde_json::{Value, json};
use what_if::{
    Backtest, Baseline, Candidate, KnownSuccess, LatestTurns, Range, TurnRow, backtest_latest, success_text,
};

use super::{ApiError, ApiResult, Cancelled, read_json};
use crate::{
    gateway::Gateway,
    view::{Sources, rfc3339},
};

/// The maximum number of turns that are decided again.
const MAX_TURNS: u64 = 2_000;
/// The maximum number of events that are read for them.
const MAX_EVENTS: u64 = 100_000;
/// The maximum number of changed turns in the response.
const MAX_EXAMPLES: usize = 20;

/// The JSON body of the page's request to try an edited policy: the text of the policy and the number of turns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhatIfRequest {
    /// The text of the edited policy.
    text: String,
    /// The number of latest turns that are decided again; at most [`MAX_TURNS`] are.
    turns: u64,
}

/// Handles the page's request to try an edited policy: decides the latest turns again under it, and compares cost and
/// models with the recorded ones. One request at a time;
/// time and memory depend on the number of turns, not on the length of the log.
pub(super) async fn what_if(gateway: &Arc<Gateway>, request: Request<Body>) -> ApiResult {
    let place = gateway.log_reads().simulation().await?;
    let WhatIfRequest { text, turns } = read_json(request).await?;
    let turns = turns.clamp(1, MAX_TURNS);
    let (registry, home, success) = gateway
        .bus()
        .query(|engine| {
            let success = KnownSuccess::of(&engine.state().patterns);
            (Arc::clone(&engine.models().registry), engine.policy_home().map(str::to_owned), success)
        })
        .await?;
    let sources = gateway.sources().clone();
    let simulated = place.run(move |cancelled| {
        let (rows, unknown) = simulate(&sources, &text, registry, home.as_deref(), turns, cancelled)?;
        Ok(response_json(&rows, unknown, &success))
    });
    simulated.await?
}

/// Decides the latest `turns` turns again under the policy `text`. Returns the compared turns, and the number of turns
/// that could not be compared. Stops when the client disconnects.
fn simulate(
    sources: &Sources,
    text: &str,
    models: Arc<Registry>,
    home: Option<&str>,
    turns: u64,
    cancelled: &Cancelled,
) -> Result<(Vec<TurnRow>, u64), ApiError> {
    let policy = Policy::load(text, Arc::clone(&models), home).map_err(|problems| {
        let problems: Vec<_> = problems
            .iter()
            .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }))
            .collect();
        ApiError { status: StatusCode::UNPROCESSABLE_ENTITY, body: json!({ "problems": problems }) }
    })?;
    let candidate = Candidate { name: "edited".to_owned(), policy: Arc::new(policy) };
    let (candidates, range) = (vec![candidate], Range::default());
    let options = Backtest { candidates, against: Baseline::Recorded, range, models };
    let latest = LatestTurns { turns, events: MAX_EVENTS };
    let mut rows = Vec::new();
    let mut add_row = |row: &TurnRow| rows.push(row.clone());
    let mut goes_on = |_: Position| !cancelled.is_set();
    let (log, texts) = (sources.log.as_ref(), sources.texts.as_ref());
    let report =
        backtest_latest(log, texts, &options, latest, &mut add_row, &mut goes_on).map_err(ApiError::internal)?;
    Ok((rows, report.excluded_total().turns))
}

/// Builds the response with the compared turns, and with the known success of the models before and after a change.
/// `unknown` is the number of turns that could not be compared, mostly because a price is missing.
fn response_json(rows: &[TurnRow], unknown: u64, success: &KnownSuccess) -> Value {
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
    let models = changed.iter().flat_map(|row| [Some(row.old.model.clone()), new_choice(row).map(|new| new.model)]);
    let success: BTreeMap<_, _> =
        models.flatten().map(|model| (model.clone(), success_text(success.overall(&model)))).collect();
    json!({
        "success": success, "turns_looked_at": rows.len(), "changed": changed.len(), "cost_before": before, "cost_after": after,
        "unknown": unknown, "examples": examples,
    })
}
