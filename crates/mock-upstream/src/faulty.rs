//! Builds responses with failures.

use std::time::Duration;

use hyper::{StatusCode, body::Bytes};
use serde_json::json;

use crate::{
    answer::Answer,
    body::{Part, ResponseBody},
    connection::ResponseHandle,
    failure::{Fault, How},
    refusal::Refusal,
    responses,
    route::Api,
    sse,
};

/// The delay before the connection ends, so that the bytes before it reach the client.
const BEFORE_THE_CUT: Duration = Duration::from_millis(20);

/// Builds the body of a streamed response, with a requested failure in it.
pub(crate) fn stream(
    api: Api,
    answer: &Answer,
    events: Vec<Bytes>,
    gap: Duration,
    fault: Option<&Fault>,
    way: ResponseHandle,
) -> ResponseBody {
    let ResponseHandle { watch, reset } = way;
    watch.status(200);
    let gap =
        if let Some(Fault::SlowChunks(milliseconds)) = fault { Duration::from_millis(*milliseconds) } else { gap };
    let mut parts = Vec::with_capacity(events.len() * 2);
    let ends = |after: usize, count: usize| after.min(count);
    let count = events.len();
    let (take, then) = match fault {
        Some(Fault::Cut { after, how }) => (ends(*after, count), Some(cut(*how))),
        Some(Fault::Stall(after)) => (ends(*after, count), Some(vec![Part::Stall])),
        Some(Fault::ErrorEvent(after)) => {
            (ends(*after, count), Some(vec![Part::Data(error_event(api, answer, *after))]))
        }
        _ => (count, None),
    };
    let broken = if let Some(Fault::Malformed(after)) = fault { Some(*after) } else { None };
    for (place, event) in events.into_iter().take(take).enumerate() {
        if broken == Some(place) {
            parts.push(Part::Data(Bytes::from_static(b"data: {\"broken\": \n\n")));
        }
        if place > 0 && !gap.is_zero() {
            parts.push(Part::Wait(gap));
        }
        parts.push(Part::Data(event));
    }
    parts.extend(then.into_iter().flatten());
    ResponseBody::parts(parts, None, watch, reset)
}

/// Builds the body of a response that is not streamed, with a requested failure in it.
pub(crate) fn whole(bytes: Bytes, fault: Option<&Fault>, way: ResponseHandle) -> ResponseBody {
    let ResponseHandle { watch, reset } = way;
    watch.status(200);
    let half = bytes.len() / 2;
    match fault {
        Some(Fault::Cut { how, .. }) => {
            let mut parts = vec![Part::Data(bytes.slice(..half))];
            parts.extend(cut(*how));
            let length = (*how != How::End).then_some(bytes.len() as u64);
            ResponseBody::parts(parts, length, watch, reset)
        }
        Some(Fault::Stall(_)) => {
            let parts = vec![Part::Data(bytes.slice(..half)), Part::Stall];
            ResponseBody::parts(parts, Some(bytes.len() as u64), watch, reset)
        }
        Some(Fault::Malformed(_)) => ResponseBody::whole(bytes.slice(..half), watch),
        _ => ResponseBody::whole(bytes, watch),
    }
}

fn cut(how: How) -> Vec<Part> {
    let end = match how {
        How::Reset => Part::Cut { reset: true },
        How::Close => Part::Cut { reset: false },
        How::End => Part::End,
    };
    vec![Part::Wait(BEFORE_THE_CUT), end]
}

/// Returns the error event of an API's stream; `after` is the number of events before it.
fn error_event(api: Api, answer: &Answer, after: usize) -> Bytes {
    let overloaded = match api {
        Api::Anthropic => StatusCode::from_u16(529).unwrap_or(StatusCode::SERVICE_UNAVAILABLE),
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    let body = Refusal::of(overloaded, "Overloaded").body(api, answer.number);
    match api {
        Api::Anthropic => sse::named("error", &json!({"type": "error", "error": body["error"]})),
        Api::Chat => sse::data(&body),
        Api::Responses => responses::failed(answer, after, "server_error", "Overloaded"),
        Api::Gemini => sse::data_crlf(&body),
    }
}
