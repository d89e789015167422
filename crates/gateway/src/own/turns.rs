//! The endpoints that list turns and return one turn with its chain.

use std::sync::Arc;

use engine::EngineError;
use event_core::Position;
use hyper::StatusCode;
use serde_json::{Value, json};

use super::{ApiError, ApiResult, query_number};
use crate::{gateway::Gateway, view::turn_view};

/// The maximum number of turns in one response.
const MAX_TURNS: u64 = 200;

/// Returns the latest turns, or with `before` the latest that began before that position; `limit` of them, 50 by
/// default and at most [`MAX_TURNS`]. `next` is the value of `before` for the next page; null if fewer than `limit`
/// were found.
pub(super) async fn turns(gateway: &Arc<Gateway>, query: &str) -> ApiResult {
    let limit = usize::try_from(query_number(query, "limit").unwrap_or(50).min(MAX_TURNS)).unwrap_or(50);
    let before = query_number(query, "before").map(Position);
    gateway
        .with_board(move |board, _| {
            let rows = board.before(before, limit);
            let next = (rows.len() == limit).then(|| rows.last().map(|row| row.start().0)).flatten();
            json!({ "turns": rows.iter().map(|row| row.json()).collect::<Vec<Value>>(), "next": next })
        })
        .await
        .map_err(ApiError::internal)
}

/// Returns one turn with its chain, calls and verdict, given its id or the start of it.
pub(super) async fn turn(gateway: &Arc<Gateway>, turn: &str) -> ApiResult {
    let (sources, turn) = (gateway.sources().clone(), turn.to_owned());
    let view =
        tokio::task::spawn_blocking(move || turn_view(sources.log.as_ref(), sources.texts.as_ref(), &turn)).await;
    view.map_err(ApiError::internal)?.map_err(|error| turn_error(&error))
}

/// Converts the error of a turn lookup: 404 if the turn is unknown, 400 if the id is ambiguous, 500 otherwise.
fn turn_error(error: &EngineError) -> ApiError {
    let status = match error {
        EngineError::UnknownTurn(_) => StatusCode::NOT_FOUND,
        EngineError::AmbiguousTurn(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    ApiError::new(status, error.to_string())
}
