//! Formats a log as one line per event, with times relative to a start.

use contracts::OutageScope;
use contracts::events::{
    LlmCallCompleted, LlmCallFailed, ProviderRecovered, ProviderUnavailable, RouteDecided, SessionModelSelected,
    StopReason, ToolCalled, ToolFinished, TurnEnded, TurnStarted,
};
use event_core::{Recorded, Timestamp};

/// Formats events, one line each: time since `start`, kind and content.
pub(crate) fn story(events: &[Recorded], start: Timestamp) -> String {
    let lines = events.iter().filter_map(|event| Some((event, tell(event)?)));
    let lines = lines.map(|(event, what)| {
        let millis = event.event.at.micros_since(start) / 1_000;
        let time = format!("T={}.{}s", millis / 1_000, millis % 1_000 / 100);
        let line = format!("{time:<9} {:<28} {what}", event.event.kind);
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

/// Formats the content of an event; `None` for kinds that snapshots leave out.
fn tell(event: &Recorded) -> Option<String> {
    let model = |model: Option<&contracts::ModelId>| model.map_or("no model".to_owned(), ToString::to_string);
    if event.read::<TurnStarted>().unwrap().is_some() {
        Some(String::new())
    } else if let Some(event) = event.read::<RouteDecided>().unwrap() {
        Some(format!("locked to {}", model(event.decision.chosen.as_ref())))
    } else if let Some(event) = event.read::<SessionModelSelected>().unwrap() {
        let when = if event.in_turn.is_some() { "for the next turn" } else { "from now on" };
        Some(format!("{} {when}", model(event.model.as_ref())))
    } else if let Some(event) = event.read::<LlmCallCompleted>().unwrap() {
        let how = if event.stop_reason == StopReason::ToolUse { "wants a tool" } else { "is done" };
        Some(format!("{} {how}", event.model))
    } else if let Some(event) = event.read::<LlmCallFailed>().unwrap() {
        Some(format!("{} {:?}", event.model, event.class))
    } else if let Some(event) = event.read::<ToolCalled>().unwrap() {
        Some(event.name)
    } else if let Some(event) = event.read::<ToolFinished>().unwrap() {
        Some(format!("{:?}", event.outcome).to_lowercase())
    } else if let Some(event) = event.read::<ProviderUnavailable>().unwrap() {
        Some(format!("{} after {:?}", scope(&event.scope), event.trigger))
    } else if let Some(event) = event.read::<ProviderRecovered>().unwrap() {
        Some(format!("{} by {:?} after {} s", scope(&event.scope), event.by, event.down_seconds))
    } else {
        let event = event.read::<TurnEnded>().unwrap()?;
        Some(format!("{:?}, {} calls, {} tools", event.status, event.llm_calls, event.tool_calls).to_lowercase())
    }
}

/// Formats the scope of an outage.
fn scope(scope: &OutageScope) -> String {
    match scope {
        OutageScope::ModelSpecific(model) => model.to_string(),
        OutageScope::ProviderWide(provider) => format!("all of {provider}"),
    }
}
