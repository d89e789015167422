//! The control endpoints, with which tests that run the mock as a program configure and inspect it.

use std::sync::atomic::Ordering;

use hyper::{Method, Response, StatusCode, body::Bytes};
use serde_json::{Value, json};

use crate::{body::ResponseBody, failure::Failure, record::EndRecorder, reply::json_response, state::State};

/// Handles a request to `/control/ENDPOINT`. Invalid bodies are answered with status 400, other endpoints with 404.
///
/// - `POST fail` adds the [`Failure`] in the JSON body.
/// - `POST keep` starts to record the bodies of requests.
/// - `POST gap` sets the milliseconds between the events of a stream.
/// - `POST reset` removes all failures and recorded requests.
/// - `GET count` returns the number of requests since the start, `GET requests` the recorded ones.
pub(crate) fn handle_control_request(
    state: &State,
    method: &Method,
    endpoint: &str,
    body: &Bytes,
    recorder: EndRecorder,
) -> Response<ResponseBody> {
    let ok = json!({"ok": true});
    match (method, endpoint) {
        (&Method::POST, "fail") => match serde_json::from_slice::<Failure>(body) {
            Ok(failure) => {
                state.failures.add(failure);
                json_response(StatusCode::OK, &ok, recorder)
            }
            Err(error) => json_response(StatusCode::BAD_REQUEST, &json!({"error": error.to_string()}), recorder),
        },
        (&Method::POST, "keep") => {
            state.keep_bodies.store(true, Ordering::Relaxed);
            json_response(StatusCode::OK, &ok, recorder)
        }
        (&Method::POST, "gap") => match serde_json::from_slice::<u64>(body) {
            Ok(milliseconds) => {
                state.gap_ms.store(milliseconds, Ordering::Relaxed);
                json_response(StatusCode::OK, &ok, recorder)
            }
            Err(error) => json_response(StatusCode::BAD_REQUEST, &json!({"error": error.to_string()}), recorder),
        },
        (&Method::POST, "reset") => {
            state.failures.clear();
            state.requests.clear();
            json_response(StatusCode::OK, &ok, recorder)
        }
        (&Method::GET, "count") => json_response(StatusCode::OK, &json!({"requests": state.request_count()}), recorder),
        (&Method::GET, "requests") => {
            let requests = serde_json::to_value(state.requests.all()).unwrap_or(Value::Null);
            json_response(StatusCode::OK, &requests, recorder)
        }
        _ => json_response(StatusCode::NOT_FOUND, &json!({"error": "no such control"}), recorder),
    }
}
