//! The endpoints that list turns and return one turn with its chain.

use std::sync::Arc;

use contracts::{TurnId, events::Rating};
use control::{ControlRequest, GiveFeedback};
use engine::EngineError;
use event_core::{Position, Timestamp};
use hyper::{Request, StatusCode, body::Incoming as Body};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ApiResult, query_number, read_json};
use crate::{
    gateway::Gateway,
    view::{TurnQuery, search_turns, turn_view},
};

/// The maximum number of turns in one response.
const MAX_TURNS: u64 = 200;

/// The maximum number of turns in one page of a search.
const FOUND_TURNS: usize = 50;

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    /// Words, all of which must occur in a turn.
    #[serde(default)]
    words: String,
    /// Seconds since 1970 from which turns started.
    from: Option<u64>,
    /// Seconds since 1970 before which turns started.
    to: Option<u64>,
    /// The position before which turns started: `next` of the previous page.
    before: Option<u64>,
}

/// Searches the turns of the whole log, newest first, at most 50 at once.
pub(super) async fn search(gateway: &Arc<Gateway>, request: Request<Body>) -> ApiResult {
    let SearchRequest { words, from, to, before } = read_json(request).await?;
    let query = TurnQuery {
        words: words.to_lowercase().split_whitespace().map(str::to_owned).collect(),
        from: from.map(Timestamp::from_secs),
        to: to.map(Timestamp::from_secs),
        before: before.map(Position),
        limit: FOUND_TURNS,
    };
    let sources = gateway.sources().clone();
    let found = tokio::task::spawn_blocking(move || search_turns(&sources, &query)).await;
    found.map_err(ApiError::internal)?.map_err(ApiError::internal)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedbackRequest {
    rating: Rating,
}

/// Rates a turn, as `turnwise feedback` does. Responds when the rating is durable.
pub(super) async fn rate(gateway: &Arc<Gateway>, turn: &str, request: Request<Body>) -> ApiResult {
    let FeedbackRequest { rating } = read_json(request).await?;
    let id = turn.parse().map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, "this is not the id of a turn"))?;
    let feedback = ControlRequest::GiveFeedback(GiveFeedback { turn: TurnId(id), rating });
    super::execute(gateway, feedback).await
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
