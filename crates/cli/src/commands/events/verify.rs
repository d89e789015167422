//! `events verify` and `events repair`: whether the log is whole, and what to do when it is not.

use engine::{RouterState, facts};
use event_core::{Event as _, Position, Projected, Recorded, encode_state};
use serde_json::json;

use crate::{
    context::Context,
    failure::Failure,
    screen::{GOOD, fact_bar, styled},
};

/// What a walk over all facts counted.
#[derive(Debug, Default, serde::Serialize)]
struct Counts {
    facts: u64,
    sessions: u64,
    turns: u64,
    decisions: u64,
    calls: u64,
    tools: u64,
    /// Facts of kinds or versions this program does not know: kept, and skipped by what it folds.
    unknown: u64,
}

pub(super) fn verify(context: &Context) -> Result<(), Failure> {
    let log = context.read_only()?;
    let head = log.head()?;
    let bar = fact_bar(head.0, "verifying");
    if context.json {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let mut counts = Counts::default();
    let mut digest = blake3::Hasher::new();
    let mut state = Projected::<RouterState>::default();
    for fact in facts(log.as_ref(), Position::ORIGIN) {
        let fact = fact?;
        count(&mut counts, &fact);
        add(&mut digest, &fact);
        state.advance(&fact).map_err(|error| Failure::from(engine::EngineError::from(error)))?;
        bar.set_position(fact.position.0);
    }
    bar.finish_and_clear();
    let bytes = encode_state("router-state", state.state()).map_err(|error| Failure::NotDone(error.to_string()))?;
    let digest = digest.finalize().to_hex();
    let rebuilt = blake3::hash(&bytes).to_hex();
    let json = json!({
        "whole": true, "head": head, "counts": counts, "digest": digest.as_str(), "state_digest": rebuilt.as_str(),
    });
    context.print(&json, || {
        anstream::println!(
            "{} {} facts, no hole, every frame and the chain as written",
            styled(GOOD, "whole"),
            counts.facts
        );
        anstream::println!(
            "  {} sessions, {} turns, {} decisions, {} calls, {} tools, {} facts of unknown kind",
            counts.sessions,
            counts.turns,
            counts.decisions,
            counts.calls,
            counts.tools,
            counts.unknown
        );
        anstream::println!("  digest of the facts  {digest}");
        anstream::println!("  digest of the state  {rebuilt} (rebuilt from the log)");
    })
}

fn count(counts: &mut Counts, fact: &Recorded) {
    use contracts::facts::{LlmCallCompleted, RouteDecided, SessionStarted, ToolCalled, TurnStarted};
    counts.facts += 1;
    let event = &fact.event;
    match event.kind.as_ref() {
        SessionStarted::KIND => counts.sessions += 1,
        TurnStarted::KIND => counts.turns += 1,
        RouteDecided::KIND => counts.decisions += 1,
        LlmCallCompleted::KIND => counts.calls += 1,
        ToolCalled::KIND => counts.tools += 1,
        kind if contracts::catalogue::find(kind, event.version).is_none() => counts.unknown += 1,
        _ => {}
    }
}

/// Everything of a fact but the times at which this machine wrote it: equal on every machine that imports the same.
fn add(digest: &mut blake3::Hasher, fact: &Recorded) {
    let event = &fact.event;
    digest.update(&fact.position.0.to_le_bytes());
    digest.update(&event.id.0);
    digest.update(&event.correlation.0);
    digest.update(&event.causation.map(|cause| cause.0).unwrap_or_default());
    digest.update(event.kind.as_bytes());
    digest.update(&event.version.to_le_bytes());
    digest.update(&(event.payload.len() as u64).to_le_bytes());
    digest.update(&event.payload);
}

pub(super) fn repair(context: &Context, yes: bool) -> Result<(), Failure> {
    let _ = (context, yes);
    Err(Failure::NotDone("to come".to_owned()))
}
