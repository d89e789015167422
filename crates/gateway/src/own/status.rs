//! The endpoints for the status of providers and policy, and for the Prometheus metrics.

use std::{fmt::Write as _, sync::Arc};

use adapters::ProviderConfig;
use availability::{NOT_CALLED, ScopeStatus};
use contracts::OutageScope;
use engine::Engine;
use event_core::Timestamp;
use serde_json::{Value, json};

use super::{ApiError, ApiResult};
use crate::{gateway::Gateway, metrics::append_metadata, view::rfc3339};

/// Handles the page's request for the status: version, policy, providers and models with their outages, and the log
/// position.
pub(super) async fn status(gateway: &Arc<Gateway>) -> ApiResult {
    let providers: Vec<ProviderConfig> = gateway.providers().iter().map(|provider| provider.config().clone()).collect();
    let (started, now) = (gateway.started_at(), gateway.now());
    let mut status = gateway.bus().query(move |engine| status_json(engine, &providers, started, now)).await?;
    status["token_required"] = gateway.guard().requires_token().into();
    Ok(status)
}

/// Builds the JSON of the gateway's status at the time `now`. Only providers with a model in the registry are listed.
/// The fields of an outage are null if there is none.
fn status_json(engine: &Engine, providers: &[ProviderConfig], started: Timestamp, now: Timestamp) -> Value {
    let outages = engine.state().availability.outages_at(now);
    let statuses = engine.state().availability.status(now);
    let status_of = |scope: &OutageScope| statuses.iter().find(|status| status.scope == *scope);
    let state = |scope: OutageScope| status_of(&scope).map_or(NOT_CALLED, ScopeStatus::label);
    let outage_reason = |scope: &OutageScope| {
        let status = status_of(scope)?;
        let refused = status.key.as_ref().map(|key| key.variable.as_deref().unwrap_or("the file `keys`"));
        let place = refused.map(|place| format!(" in {place}")).unwrap_or_default();
        Some(format!("{}{place}", status.trigger?.text()))
    };
    let problems: Vec<_> = engine
        .policy_problems()
        .iter()
        .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }))
        .collect();
    let registry = &engine.models().registry;
    let used =
        providers.iter().filter(|provider| registry.iter().any(|model| model.provider.as_str() == provider.name));
    let providers: Vec<_> = used
        .map(|provider| {
            let name = contracts::Provider::try_from(provider.name.as_str()).ok();
            let until = name.as_ref().and_then(|name| outages.providers.get(name)).filter(|until| now < **until);
            json!({
                "name": provider.name,
                "apis": provider.apis.iter().map(|api| api.name()).collect::<Vec<_>>(),
                "url": provider.url,
                "key": provider.credential.name(),
                "variable": provider.key.as_ref().and_then(|key| key.variable.as_deref()),
                "state": name.clone().map_or(NOT_CALLED, |name| state(OutageScope::ProviderWide(name))),
                "out_until": until.map(|until| rfc3339(*until)),
                "out_because": until.and_then(|_| outage_reason(&OutageScope::ProviderWide(name?))),
            })
        })
        .collect();
    let models: Vec<_> = registry
        .iter()
        .map(|model| {
            let until = outages.models.get(&model.id).filter(|until| now < **until);
            json!({
                "id": model.id.as_str(),
                "tier": model.tier.map(contracts::Tier::name),
                "configured": model.configured,
                "aliases": model.aliases,
                "state": state(OutageScope::ModelSpecific(model.id.clone())),
                "out_until": until.map(|until| rfc3339(*until)),
            })
        })
        .collect();
    let policy = engine.policy();
    let notice = engine.lost_rules().map(|lost| lost.to_string());
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "started_at": rfc3339(started),
        "position": engine.log().head().map_or(0, |head| head.0),
        "policy": { "path": policy.path, "hash": policy.hash.to_string(), "trouble": problems, "notice": notice },
        "providers": providers,
        "models": models,
    })
}

/// Returns all metrics in the Prometheus text format: counts of requests since the gateway started, and costs and
/// outages from the log.
///
/// # Errors
/// [`ApiError`] if the bus has ended.
pub(super) async fn metrics(gateway: &Arc<Gateway>) -> Result<String, ApiError> {
    let now = gateway.now();
    let mut text = gateway.metrics().text();
    let (spent, total, models, outages, position) = gateway
        .bus()
        .query(move |engine| {
            let costs = &engine.state().costs;
            let models: Vec<_> = costs.models().map(|(model, total)| (model.to_string(), *total)).collect();
            let outages = engine.state().availability.outages_at(now);
            let unavailable =
                outages.models.values().chain(outages.providers.values()).filter(|until| now < **until).count();
            (costs.spent_today(now), costs.overall(), models, unavailable, engine.log().head().map_or(0, |head| head.0))
        })
        .await?;
    append_metadata(&mut text, "turnwise_spent_today_usd", "gauge", "Cost of all calls since UTC midnight.");
    let _ = writeln!(text, "turnwise_spent_today_usd {}", spent.decimal(9));
    append_metadata(&mut text, "turnwise_calls_total", "counter", "Completed calls in the log, by model.");
    for (model, total) in &models {
        let _ = writeln!(text, "turnwise_calls_total{{model=\"{}\"}} {}", escape_label(model), total.calls);
    }
    append_metadata(
        &mut text,
        "turnwise_cost_usd_total",
        "counter",
        "Cost of the calls whose price is known, by model.",
    );
    for (model, total) in &models {
        let _ =
            writeln!(text, "turnwise_cost_usd_total{{model=\"{}\"}} {}", escape_label(model), total.cost.decimal(9));
    }
    append_metadata(&mut text, "turnwise_unpriced_calls_total", "counter", "Calls of models without a known price.");
    let _ = writeln!(text, "turnwise_unpriced_calls_total {}", total.unpriced_calls);
    append_metadata(&mut text, "turnwise_outages", "gauge", "Models and providers that are unavailable.");
    let _ = writeln!(text, "turnwise_outages {outages}");
    append_metadata(&mut text, "turnwise_log_position", "counter", "Events in the log.");
    let _ = writeln!(text, "turnwise_log_position {position}");
    Ok(text)
}

/// Escapes the value of a label: backslashes, quotes and line feeds.
fn escape_label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
