//! The control endpoints, for tests that start the mock as a program.

use std::sync::atomic::Ordering;

use hyper::{Method, Response, StatusCode, body::Bytes};
use serde_json::{Value, json};

use crate::{body::ResponseBody, failure::Failure, record::EndRecorder, reply::respond, state::State};

/// Handles `POST fail`, `POST keep`, `POST gap` (milliseconds between the events of a stream), `POST reset`, `GET
/// count` and `GET requests`.
pub(crate) fn answer(
    state: &State,
    method: &Method,
    what: &str,
    body: &Bytes,
    watch: EndRecorder,
) -> Response<ResponseBody> {
    let done = json!({"ok": true});
    match (method, what) {
        (&Method::POST, "fail") => match serde_json::from_slice::<Failure>(body) {
            Ok(failure) => {
                state.failures.add(failure);
                respond(StatusCode::OK, &done, watch)
            }
            Err(error) => respond(StatusCode::BAD_REQUEST, &json!({"error": error.to_string()}), watch),
        },
        (&Method::POST, "keep") => {
            state.keep_bodies.store(true, Ordering::Relaxed);
            respond(StatusCode::OK, &done, watch)
        }
        (&Method::POST, "gap") => match serde_json::from_slice::<u64>(body) {
            Ok(milliseconds) => {
                state.gap_ms.store(milliseconds, Ordering::Relaxed);
                respond(StatusCode::OK, &done, watch)
            }
            Err(error) => respond(StatusCode::BAD_REQUEST, &json!({"error": error.to_string()}), watch),
        },
        (&Method::POST, "reset") => {
            state.failures.clear();
            state.requests.clear();
            respond(StatusCode::OK, &done, watch)
        }
        (&Method::GET, "count") => respond(StatusCode::OK, &json!({"requests": state.count()}), watch),
        (&Method::GET, "requests") => {
            let requests = serde_json::to_value(state.requests.all()).unwrap_or(Value::Null);
            respond(StatusCode::OK, &requests, watch)
        }
        _ => respond(StatusCode::NOT_FOUND, &json!({"error": "no such control"}), watch),
    }
}
