//! What happened in a log, one line a fact, with times counted from a start.

use contracts::OutageScope;
use contracts::facts::{
    LlmCallCompleted, LlmCallFailed, ProviderRecovered, ProviderUnavailable, RouteDecided, SessionModelSelected,
    StopReason, ToolCalled, ToolFinished, TurnEnded, TurnStarted,
};
use event_core::{Recorded, Timestamp};

/// The facts, a line each.
pub(crate) fn story(facts: &[Recorded], start: Timestamp) -> String {
    let lines = facts.iter().filter_map(|fact| Some((fact, tell(fact)?)));
    let lines = lines.map(|(fact, what)| {
        let millis = fact.event.at.micros_since(start) / 1_000;
        let time = format!("T={}.{}s", millis / 1_000, millis % 1_000 / 100);
        let line = format!("{time:<9} {:<28} {what}", fact.event.kind);
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

/// What a fact says, or `None` for one that is not part of the story.
fn tell(fact: &Recorded) -> Option<String> {
    let model = |model: Option<&contracts::ModelId>| model.map_or("no model".to_owned(), ToString::to_string);
    if fact.read::<TurnStarted>().unwrap().is_some() {
        Some(String::new())
    } else if let Some(fact) = fact.read::<RouteDecided>().unwrap() {
        Some(format!("locked to {}", model(fact.decision.model.as_ref())))
    } else if let Some(fact) = fact.read::<SessionModelSelected>().unwrap() {
        let when = if fact.in_turn.is_some() { "for the next turn" } else { "from now on" };
        Some(format!("{} {when}", model(fact.model.as_ref())))
    } else if let Some(fact) = fact.read::<LlmCallCompleted>().unwrap() {
        let how = if fact.stop_reason == StopReason::ToolUse { "wants a tool" } else { "is done" };
        Some(format!("{} {how}", fact.model))
    } else if let Some(fact) = fact.read::<LlmCallFailed>().unwrap() {
        Some(format!("{} {:?}", fact.model, fact.class))
    } else if let Some(fact) = fact.read::<ToolCalled>().unwrap() {
        Some(fact.name)
    } else if let Some(fact) = fact.read::<ToolFinished>().unwrap() {
        Some(format!("{:?}", fact.outcome).to_lowercase())
    } else if let Some(fact) = fact.read::<ProviderUnavailable>().unwrap() {
        Some(format!("{} after {:?}", scope(&fact.scope), fact.trigger))
    } else if let Some(fact) = fact.read::<ProviderRecovered>().unwrap() {
        Some(format!("{} by {:?} after {} s", scope(&fact.scope), fact.by, fact.down_seconds))
    } else {
        let fact = fact.read::<TurnEnded>().unwrap()?;
        Some(format!("{:?}, {} calls, {} tools", fact.status, fact.llm_calls, fact.tool_calls).to_lowercase())
    }
}

fn scope(scope: &OutageScope) -> String {
    match scope {
        OutageScope::ModelSpecific(model) => model.to_string(),
        OutageScope::ProviderWide(provider) => format!("all of {provider}"),
    }
}
