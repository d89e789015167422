//! The cost of changing the model of a session: the part of the prompt cache that is lost.

use contracts::{CacheLifetime, CallRole, ModelId, Registry, TurnId, Usage, events::TurnStarted};
use costs::prompt_cache::{CallTracker, InitialRead, PromptCache};
use engine::events;
use event_bus::EventLog;
use event_core::{Position, Timestamp};
use serde::Serialize;

use crate::error::WhatIfError;

/// The cost of changing the model of a session at the start of a turn: the prompt tokens in the cache of the previous
/// and of the chosen model, and the price of losing them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SwitchCost {
    /// The model of the last call before the turn in the same thread.
    pub from: ModelId,
    /// Prompt tokens in the cache of that model.
    pub warm: u64,
    /// The model that was chosen.
    pub to: ModelId,
    /// Prompt tokens in the cache of the chosen model.
    pub to_warm: u64,
    /// Nano-dollars by which writing the lost tokens to the cache costs more than reading them, at the chosen model's
    /// prices. If the model stays, all its cached tokens count: the cost of leaving for a model of the same price.
    /// `None` without a price.
    pub nano_usd: Option<u64>,
}

/// Computes the cost of changing the model of a turn, for which the model `to` was chosen at `position`, at the prices
/// in `models`. `None` if the log has no start of the turn, or its thread made no call before. Reads the log up to
/// `position`.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read or an event cannot be decoded.
pub fn switch_cost(
    log: &dyn EventLog,
    (position, turn): (Position, TurnId),
    to: &ModelId,
    models: &Registry,
) -> Result<Option<SwitchCost>, WhatIfError> {
    let Some((at, started)) = find_turn_start(log, position, turn)? else { return Ok(None) };
    let (mut calls, mut cache, mut last_call) = (CallTracker::default(), PromptCache::new(InitialRead::Given), None);
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if position <= event.position {
            break;
        }
        let call = calls.advance(&event)?.filter(|call| call.session == started.session);
        // Only calls on the turn's own thread: none of a sub-agent, and no auxiliary call.
        let Some(call) = call.filter(|call| call.thread.role() != CallRole::Auxiliary && call.thread == started.thread)
        else {
            continue;
        };
        cache.call(&call, &call.model);
        last_call = Some((call.model, call.lifetime));
    }
    let Some((from, lifetime)) = last_call else { return Ok(None) };
    let cached_tokens = |model: &ModelId| cache.cached_tokens(&started.session, &started.thread, model, at);
    let (warm_before, to_warm) = (cached_tokens(&from), cached_tokens(to));
    let lost_tokens = if from == *to { warm_before } else { warm_before.saturating_sub(to_warm) };
    let prices = models.get(to).and_then(|model| model.prices.as_ref());
    let nano_usd = prices.map(|prices| {
        let write_cost = prices.cost(&match lifetime {
            CacheLifetime::FiveMinutes => Usage { cache_write_5m: lost_tokens, ..Usage::default() },
            CacheLifetime::OneHour => Usage { cache_write_1h: lost_tokens, ..Usage::default() },
        });
        let read_cost = prices.cost(&Usage { cache_read: lost_tokens, ..Usage::default() });
        write_cost.0.saturating_sub(read_cost.0)
    });
    Ok(Some(SwitchCost { from, warm: warm_before, to: to.clone(), to_warm, nano_usd }))
}

/// Searches the log backwards, from the position of a turn's decision, for the start of the turn. Returns its time and
/// event; `None` if the log does not contain it.
fn find_turn_start(
    log: &dyn EventLog,
    position: Position,
    turn: TurnId,
) -> Result<Option<(Timestamp, TurnStarted)>, WhatIfError> {
    /// Events per read; small, since a turn is decided few events after its start.
    const EVENTS_PER_READ: u64 = 64;
    let mut end = position;
    while Position::ORIGIN < end {
        let start = Position(end.0.saturating_sub(EVENTS_PER_READ));
        let count = usize::try_from(end.0 - start.0).unwrap_or_default();
        for event in log.read_after(start, count)?.iter().rev() {
            if let Some(started) = event.read::<TurnStarted>()?.filter(|started| started.turn == turn) {
                return Ok(Some((event.event.at, started)));
            }
        }
        end = start;
    }
    Ok(None)
}
