//! The endpoints that list turns and return one turn with its chain.

use std::sync::Arc;

use contracts::{ModelId, TurnId, events::Rating};
use control::{ControlRequest, GiveFeedback};
use engine::{EngineError, find_recent_decision};
use event_core::{Position, Timestamp};
use hyper::{Request, StatusCode, body::Incoming as Body};
use serde::Deserialize;
use serde_json::{Value, json};
use what_if::{success_in_workspace, success_text};

use super::{ApiError, ApiResult, query_number, read_json};
use crate::{
    gateway::Gateway,
    view::{TurnQuery, search_turns, turn_view},
};

/// The maximum number of turns in one response.
const MAX_TURNS: u64 = 200;

/// The number of events at the end of the log in which the start of an id is searched.
const RECENT_EVENTS: u64 = 20_000;

/// The length in bytes from which the id of a turn is not searched. Ids have 32 characters.
const MAX_ID_BYTES: usize = 64;

/// The maximum number of turns in one page of a search.
const FOUND_TURNS: usize = 50;

/// Handles the page's request for the latest turns. `before` in the query selects turns that began before that
/// position; `limit` is the number of turns, 50 by default and at most [`MAX_TURNS`]. `next` in the response is the
/// value of `before` for the next page, null if fewer than `limit` were found.
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

/// Returns one turn with its chain, calls and verdict, given its id, or the start of the id of a recent turn.
pub(super) async fn turn(gateway: &Arc<Gateway>, turn: &str) -> ApiResult {
    if MAX_ID_BYTES < turn.len() {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "no turn has an id of more than 64 characters"));
    }
    let (sources, turn) = (gateway.sources().clone(), turn.to_owned());
    let place = gateway.log_reads().lookup().await?;
    let view = place.run(move |_| {
        let recorded = find_recent_decision(sources.log.as_ref(), &turn, RECENT_EVENTS)?;
        turn_view(sources.log.as_ref(), sources.texts.as_ref(), &recorded)
    });
    let mut view = view.await?.map_err(|error| turn_error(&error))?;
    view["success"] = success_of_change(gateway, &view["turn"]).await?;
    Ok(view)
}

/// Returns the known success of two models in the project of a turn as JSON: of the chosen model, and of the model that
/// was requested (for an imported turn: that ran). Empty if they are the same.
async fn success_of_change(gateway: &Gateway, row: &Value) -> ApiResult {
    let choice = if row["imported"] == true { &row["policy_choice"]["model"] } else { &row["model"] };
    let before = if row["imported"] == true { &row["model"] } else { &row["requested"] };
    let model = |value: &Value| ModelId::try_from(value.as_str()?).ok();
    let (Some(before), Some(choice)) = (model(before), model(choice)) else { return Ok(json!([])) };
    if before == choice {
        return Ok(json!([]));
    }
    let project = row["project"].as_str().map(str::to_owned);
    let known = gateway.bus().command(move |engine| {
        engine.load_workspace(project.as_deref())?;
        let patterns = &engine.state().patterns;
        Ok::<_, EngineError>([before, choice].map(|model| {
            let success = success_in_workspace(patterns, project.as_deref(), &model);
            json!({ "model": model.as_str(), "success": success_text(success.as_ref()), "known": success })
        }))
    });
    // Nothing is recorded, so there is no durability to wait for.
    let (known, _) = known.await?;
    Ok(json!(known.map_err(ApiError::internal)?))
}

/// The JSON body of the page's request to search turns. Conditions that are missing select all turns.
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

/// Handles the page's request to search the turns of the whole log. Returns at most 50 turns, newest first.
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
    let place = gateway.log_reads().lookup().await?;
    place.run(move |cancelled| search_turns(&sources, &query, cancelled)).await?.map_err(ApiError::internal)
}

/// The JSON body of the page's request to rate a turn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedbackRequest {
    /// The user's rating.
    rating: Rating,
}

/// Handles the page's request to rate a turn, as `turnwise feedback` does. Responds when the rating is durable.
pub(super) async fn rate(gateway: &Arc<Gateway>, turn: &str, request: Request<Body>) -> ApiResult {
    let FeedbackRequest { rating } = read_json(request).await?;
    let id = turn.parse().map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, "this is not the id of a turn"))?;
    let feedback = ControlRequest::GiveFeedback(GiveFeedback { turn: TurnId(id), rating });
    super::execute(gateway, feedback).await
}

/// Converts the error of looking up a turn to a status: 404 if the turn is unknown, 400 if the id is ambiguous, 500
/// otherwise.
fn turn_error(error: &EngineError) -> ApiError {
    let status = match error {
        EngineError::UnknownTurn(_) => StatusCode::NOT_FOUND,
        EngineError::AmbiguousTurn(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    ApiError::new(status, error.to_string())
}
