//! The endpoints that list turns, return one turn with its chain, and record a rating.

use std::sync::Arc;

use engine::EngineError;
use event_core::Position;
use hyper::StatusCode;
use serde_json::{Value, json};

use super::{Outcome, Trouble, number};
use crate::{gateway::Gateway, view::turn_view};

/// The maximum number of turns in one response.
const MOST: u64 = 200;

/// Returns the latest turns, or with `before` the latest that began before that position; `limit` of them, 50 by
/// default.
pub(super) async fn turns(gateway: &Arc<Gateway>, query: &str) -> Outcome {
    let most = usize::try_from(number(query, "limit").unwrap_or(50).min(MOST)).unwrap_or(50);
    let before = number(query, "before").map(Position);
    gateway
        .with_board(move |board, _| {
            let rows = board.before(before, most);
            let next = (rows.len() == most).then(|| rows.last().map(|row| row.begins().0)).flatten();
            json!({ "turns": rows.iter().map(|row| row.json()).collect::<Vec<Value>>(), "next": next })
        })
        .await
        .map_err(Trouble::broken)
}

/// Returns one turn with its chain, calls and verdict.
pub(super) async fn turn(gateway: &Arc<Gateway>, turn: &str) -> Outcome {
    let (sources, turn) = (gateway.sources().clone(), turn.to_owned());
    let looked =
        tokio::task::spawn_blocking(move || turn_view(sources.log.as_ref(), sources.texts.as_ref(), &turn)).await;
    looked.map_err(Trouble::broken)?.map_err(|error| turn_event(&error))
}

fn turn_event(error: &EngineError) -> Trouble {
    let status = match error {
        EngineError::UnknownTurn(_) => StatusCode::NOT_FOUND,
        EngineError::AmbiguousTurn(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Trouble::new(status, error.to_string())
}
