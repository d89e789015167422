//! The latest skill decisions with telemetry and gaps as JSON.

use std::collections::BTreeMap;

use contracts::SkillOutcome;
use event_bus::{LogError, TextStore};
use serde_json::{Value, json};
use skills::{
    RoutedRequest, SkillHistory, SkillSettings,
    coverage_gaps::{CoverageGap, GapThresholds, coverage_gaps},
    routing_log::RoutingRecord,
    telemetry::{TelemetryReport, TelemetrySummary},
};

use super::workspace::workspace_id;
use crate::view::rfc3339;

/// The number of decisions that are listed.
const MAX_ROWS: usize = 100;
/// The number of workspaces that are listed, those with the latest decisions first.
const MAX_WORKSPACES: usize = 20;
/// The number of events of a gap that are listed.
const MAX_EVENTS: usize = 10;
/// The number of windows of the telemetry that are listed, the latest ones.
const MAX_WINDOWS: usize = 10;

/// Returns the numbers of decisions, the latest decisions (newest first), telemetry, gaps and workspaces as JSON.
///
/// # Errors
/// [`LogError`] if the text of a message cannot be read.
pub(super) fn overview_json(
    history: &SkillHistory,
    settings: &SkillSettings,
    texts: &dyn TextStore,
) -> Result<Value, LogError> {
    let read_text = |hash: contracts::ContentHash| texts.get(hash.0);
    let mut rows = Vec::new();
    for request in history.requests().rev().take(MAX_ROWS) {
        rows.push(row_json(request, &request.complete_record(&settings.confidence, &mut { read_text })?));
    }
    let records = history.records(&settings.confidence, RoutedRequest::is_measured, read_text)?;
    let gaps = coverage_gaps(&records, &settings.gaps);
    let telemetry = TelemetrySummary::new(&history.tasks(RoutedRequest::is_measured), &settings.telemetry);
    Ok(json!({
        "changes": history.changes(),
        "decisions": history.total(),
        "read": history.requests().count(),
        "measured": records.len(),
        "rows": rows,
        "telemetry": telemetry_json(&telemetry),
        "gaps": gaps.iter().map(|gap| gap_json(gap, settings.gaps)).collect::<Vec<_>>(),
        "workspaces": workspaces_json(history),
    }))
}

/// Returns a decision in the list as JSON.
pub(super) fn row_json(request: &RoutedRequest, record: &RoutingRecord) -> Value {
    let correction = record.correction.as_ref();
    json!({
        "event": record.event.to_string(),
        "turn": record.turn.map(|turn| turn.to_string()),
        "at": rfc3339(record.at),
        "session": record.session,
        "workspace": request.workspace,
        "mode": request.mode,
        "message": record.summary,
        "method": record.method(),
        "outcome": record.outcome.name(),
        "skills": record.outcome.skills(),
        "confidence": record.confidence.map(|confidence| confidence.to_string()),
        "corrected": correction.is_some(),
        "right_skill": correction.and_then(|correction| correction.target.as_deref()),
        "loaded": request.loaded.iter().map(|loaded| loaded.skill.as_str()).collect::<Vec<_>>(),
        "is_missed": is_missed(request, record),
        "known": request.is_measured(),
    })
}

/// Returns whether the agent loaded a skill that the decision did not select.
fn is_missed(request: &RoutedRequest, record: &RoutingRecord) -> bool {
    let selected: &[String] = SkillOutcome::skills(&record.outcome);
    request.is_measured() && request.loaded.iter().any(|loaded| !selected.contains(&loaded.skill))
}

/// Returns the telemetry as JSON, each figure as `turnwise skills telemetry` prints it.
fn telemetry_json(summary: &TelemetrySummary) -> Value {
    let metrics = |report: &TelemetryReport| {
        let metrics = report.metrics.iter().map(|metric| {
            json!({
                "name": metric.metric.name(), "value": metric.value_text(), "target": metric.target_text(),
                "verdict": metric.verdict(),
            })
        });
        json!({ "tasks": report.tasks, "unlabelled": report.unlabelled, "metrics": metrics.collect::<Vec<_>>() })
    };
    let first = summary.windows.len().saturating_sub(MAX_WINDOWS);
    json!({
        "tasks": summary.tasks,
        "latest": metrics(&summary.latest),
        "windows": summary.windows.len(),
        "latest_windows": summary.windows.iter().skip(first).map(metrics).collect::<Vec<_>>(),
        "labels": summary.labels,
    })
}

/// Returns a gap as JSON, with the rate as `turnwise skills gaps` prints it.
fn gap_json(gap: &CoverageGap, thresholds: GapThresholds) -> Value {
    json!({
        "signal": gap.signal,
        "title": gap.signal.title(),
        "rate": gap.rate.to_string(),
        "limit": thresholds.percent(gap.signal),
        "words": gap.words,
        "events": gap.events.iter().take(MAX_EVENTS).map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Returns the workspaces of the decisions as JSON, those with the latest decisions first.
fn workspaces_json(history: &SkillHistory) -> Vec<Value> {
    let mut counts: BTreeMap<Option<&str>, u64> = BTreeMap::new();
    let mut order = Vec::new();
    for request in history.requests().rev() {
        let workspace = request.workspace.as_deref();
        let count = counts.entry(workspace).or_default();
        *count += 1;
        if *count == 1 {
            order.push(workspace);
        }
    }
    let listed = order.into_iter().take(MAX_WORKSPACES);
    let listed = listed.map(|workspace| {
        json!({
            "id": workspace_id(workspace), "path": workspace,
            "decisions": counts.get(&workspace).copied().unwrap_or_default(),
        })
    });
    listed.collect()
}
