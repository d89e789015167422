//! The endpoints about skills: the latest decisions with their reports, one decision, and the skills of a workspace.

mod decision;
mod overview;
mod workspace;

use std::sync::Arc;

use contracts::events::SkillRouted;
use event_core::EventId;
use hyper::StatusCode;
use skills::SkillSettings;

use super::{ApiError, ApiResult, query_text};
use crate::gateway::Gateway;

/// Handles the page's request for the latest skill decisions: their number, the latest ones, the telemetry and the gaps, with the
/// figures of `turnwise skills log`, `telemetry` and `gaps`.
pub(super) async fn overview(gateway: &Arc<Gateway>) -> ApiResult {
    let history = gateway.skill_reports().history(gateway.bus()).await?;
    let settings = settings(gateway).await?;
    let texts = Arc::clone(&gateway.sources().texts);
    let place = gateway.log_reads().lookup().await?;
    let overview =
        place.run(move |_| history.read(|history, _| overview::overview_json(history, &settings, texts.as_ref())));
    overview.await?.map_err(ApiError::internal)
}

/// Handles the page's request for one skill decision, by the id of its event.
pub(super) async fn decision(gateway: &Arc<Gateway>, id: &str) -> ApiResult {
    let unknown = || ApiError::new(StatusCode::NOT_FOUND, "no skill decision has this id");
    let id: EventId = id.parse().map_err(|_| unknown())?;
    let history = gateway.skill_reports().history(gateway.bus()).await?;
    let settings = settings(gateway).await?;
    let sources = gateway.sources().clone();
    let place = gateway.log_reads().lookup().await?;
    let found = place.run(move |_| {
        let Some(event) = sources.log.event_with_id(id)? else { return Ok(None) };
        // The content of a purged event is gone.
        let Ok(Some(routed)) = event.read::<SkillRouted>() else { return Ok(None) };
        history.read(|history, _| {
            decision::decision_view(&event, &routed, history.request(id), &settings, sources.texts.as_ref())
        })
    });
    found.await?.map_err(|error: event_bus::LogError| ApiError::internal(error))?.ok_or_else(unknown)
}

/// Handles the page's request for the skills of a workspace, which the parameter `workspace` names by the id in
/// [`overview`]. Only workspaces of the latest decisions are read.
pub(super) async fn workspace(gateway: &Arc<Gateway>, query: &str) -> ApiResult {
    let id = query_text(query, "workspace").unwrap_or_default().to_owned();
    let history = gateway.skill_reports().history(gateway.bus()).await?;
    let found = history.read(|history, _| workspace::find_workspace(history, &id));
    let Some(found) = found else {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "no recorded skill decision is of this workspace"));
    };
    let place = gateway.log_reads().lookup().await?;
    let owner = Arc::clone(gateway);
    let report = place.run(move |_| workspace::workspace_report(&owner, &found)).await?;
    report.map_err(ApiError::internal)
}

/// Returns the settings of skill routing in the active policy.
async fn settings(gateway: &Gateway) -> Result<SkillSettings, ApiError> {
    Ok(gateway.bus().query(|engine| SkillSettings::of_policy(&engine.policy().policy).unwrap_or_default()).await?)
}
