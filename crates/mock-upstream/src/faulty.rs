//! Builds response bodies, with requested failures applied.

use std::time::Duration;

use hyper::{StatusCode, body::Bytes};
use serde_json::json;

use crate::{
    answer::Answer,
    api_error::ApiError,
    body::{BodyStep, ResponseBody},
    connection::ResponseHandle,
    failure::{ConnectionEnd, Fault},
    responses,
    route::Api,
    sse,
};

/// The delay before a connection is cut, so that the bytes sent before reach the client.
const CUT_DELAY: Duration = Duration::from_millis(20);

/// Builds the body of a streamed response, with a requested failure applied, and records status 200. `gap` is the delay
/// between events, which [`Fault::SlowChunks`] replaces.
pub(crate) fn stream_body(
    api: Api,
    answer: &Answer,
    events: Vec<Bytes>,
    gap: Duration,
    fault: Option<&Fault>,
    handle: ResponseHandle,
) -> ResponseBody {
    let ResponseHandle { recorder, reset } = handle;
    recorder.set_status(200);
    let gap =
        if let Some(Fault::SlowChunks(milliseconds)) = fault { Duration::from_millis(*milliseconds) } else { gap };
    let mut steps = Vec::with_capacity(events.len() * 2);
    let (event_count, end_steps) = match fault {
        Some(Fault::Cut { after, how }) => (*after, cut_steps(*how)),
        Some(Fault::Stall(after)) => (*after, vec![BodyStep::Stall]),
        Some(Fault::ErrorEvent(after)) => (*after, vec![BodyStep::Data(error_event(api, answer, *after))]),
        _ => (events.len(), Vec::new()),
    };
    let malformed_index = if let Some(Fault::Malformed(after)) = fault { Some(*after) } else { None };
    for (index, event) in events.into_iter().take(event_count).enumerate() {
        if malformed_index == Some(index) {
            steps.push(BodyStep::Data(Bytes::from_static(b"data: {\"broken\": \n\n")));
        }
        if index > 0 && !gap.is_zero() {
            steps.push(BodyStep::Wait(gap));
        }
        steps.push(BodyStep::Data(event));
    }
    steps.extend(end_steps);
    ResponseBody::from_steps(steps, None, recorder, reset)
}

/// Builds the body of a response that is not streamed, with a requested failure applied, and records status 200.
/// Failures that end the response do so after half of its bytes.
pub(crate) fn single_body(bytes: Bytes, fault: Option<&Fault>, handle: ResponseHandle) -> ResponseBody {
    let ResponseHandle { recorder, reset } = handle;
    recorder.set_status(200);
    let half = bytes.len() / 2;
    match fault {
        Some(Fault::Cut { how, .. }) => {
            let mut steps = vec![BodyStep::Data(bytes.slice(..half))];
            steps.extend(cut_steps(*how));
            let length = (*how != ConnectionEnd::End).then_some(bytes.len() as u64);
            ResponseBody::from_steps(steps, length, recorder, reset)
        }
        Some(Fault::Stall(_)) => {
            let steps = vec![BodyStep::Data(bytes.slice(..half)), BodyStep::Stall];
            ResponseBody::from_steps(steps, Some(bytes.len() as u64), recorder, reset)
        }
        Some(Fault::Malformed(_)) => ResponseBody::from_bytes(bytes.slice(..half), recorder),
        _ => ResponseBody::from_bytes(bytes, recorder),
    }
}

/// Returns the last steps of a response that a requested failure cuts off: a pause of [`CUT_DELAY`], then this end.
fn cut_steps(connection_end: ConnectionEnd) -> Vec<BodyStep> {
    let end = match connection_end {
        ConnectionEnd::Reset => BodyStep::Cut { reset: true },
        ConnectionEnd::Close => BodyStep::Cut { reset: false },
        ConnectionEnd::End => BodyStep::End,
    };
    vec![BodyStep::Wait(CUT_DELAY), end]
}

/// Returns the event with which a stream of an API reports an overload; `after` is the number of events before it.
fn error_event(api: Api, answer: &Answer, after: usize) -> Bytes {
    let status = match api {
        Api::Anthropic => StatusCode::from_u16(529).unwrap_or(StatusCode::SERVICE_UNAVAILABLE),
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    let body = ApiError::new(status, "Overloaded").body(api, answer.number);
    match api {
        Api::Anthropic => sse::named("error", &json!({"type": "error", "error": body["error"]})),
        Api::Chat => sse::data(&body),
        Api::Responses => responses::failed_event(answer, after, "server_error", "Overloaded"),
        Api::Gemini => sse::data_crlf(&body),
    }
}
