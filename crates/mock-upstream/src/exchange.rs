//! Handles one request.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use http_body_util::BodyExt as _;
use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{HeaderValue, RETRY_AFTER, UPGRADE},
};
use serde_json::{Value, json};

use crate::{
    answer::answer,
    body::ResponseBody,
    connection::{ResetSwitch, ResponseHandle},
    control,
    failure::Fault,
    faulty, listing,
    plain::glance,
    record::EndRecorder,
    refusal::Refusal,
    reply::{finish, refuse, respond},
    route::{Api, Endpoint, GeminiStream, endpoint},
    shapes::{credentials, events, read, whole},
    state::State,
};

/// Handles a request. An error is one of reading its body and ends the connection.
pub(crate) async fn exchange(
    state: Arc<State>,
    reset: ResetSwitch,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, hyper::Error> {
    let (head, body) = request.into_parts();
    let asked = endpoint(&head.method, &head.uri, head.headers.contains_key(UPGRADE));
    let body = body.collect().await?.to_bytes();
    let way = ResponseHandle { watch: EndRecorder::default(), reset };
    if let Endpoint::Control(what) = asked {
        return Ok(control::answer(&state, &head.method, &what, &body, way.watch));
    }
    let number = state.next_number();
    let headers = head.headers.clone();
    if !state.settings.plain {
        let kept = state.keep_bodies.load(Ordering::Relaxed).then(|| body.clone());
        state.requests.keep(head, body.len(), kept, &way.watch);
    }
    Ok(match asked {
        Endpoint::Generate(api) => generate(&state, api, None, &headers, &body, number, way).await,
        Endpoint::GenerateGemini { model, how } => {
            generate(&state, Api::Gemini, Some((model, how)), &headers, &body, number, way).await
        }
        Endpoint::Count(api) => listing::count(api, &headers, &body, number, way.watch),
        Endpoint::Models { api, one } => listing::models(api, one.as_deref(), &headers, number, way.watch),
        Endpoint::Root => {
            // The body of a response to HEAD is never polled.
            way.watch.complete();
            respond(StatusCode::OK, &json!({"status": "ok"}), way.watch)
        }
        Endpoint::Upgrade => refuse(
            &Refusal::of(StatusCode::UPGRADE_REQUIRED, "no connections of that kind"),
            Api::Responses,
            number,
            way.watch,
        ),
        Endpoint::Control(_) | Endpoint::Unknown => {
            let api = if headers.contains_key("anthropic-version") { Api::Anthropic } else { Api::Chat };
            refuse(&Refusal::of(StatusCode::NOT_FOUND, "Not found"), api, number, way.watch)
        }
    })
}

/// Returns the response of a model, or a requested failure.
async fn generate(
    state: &State,
    api: Api,
    gemini: Option<(String, GeminiStream)>,
    headers: &HeaderMap,
    body: &Bytes,
    number: u64,
    way: ResponseHandle,
) -> Response<ResponseBody> {
    if !state.settings.plain
        && let Err(refusal) = credentials(api, headers)
    {
        return refuse(&refusal, api, number, way.watch);
    }
    let glance = glance(body, gemini.as_ref());
    let fault = state.failures.take(glance.model);
    match &fault {
        Some(Fault::Status { status, retry_after }) => {
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let message = status.canonical_reason().unwrap_or("Overloaded");
            let mut response = refuse(&Refusal::of(status, message), api, number, way.watch);
            if let Some(value) = retry_after.as_ref().and_then(|value| HeaderValue::from_str(value).ok()) {
                response.headers_mut().insert(RETRY_AFTER, value);
            }
            return response;
        }
        Some(Fault::SlowHeaders(milliseconds)) => {
            tokio::time::sleep(Duration::from_millis(*milliseconds)).await;
        }
        Some(Fault::Never) => std::future::pending().await,
        _ => {}
    }
    if state.settings.plain {
        let (stream, body) = state.plain.answer(api, &glance, state.gap(), fault.as_ref(), way);
        return finish(stream, body, None);
    }
    let how = gemini.as_ref().map(|(_, how)| *how);
    let read = serde_json::from_slice::<Value>(body)
        .map_err(|error| Refusal::invalid(format!("The body of the request is not valid JSON: {error}")))
        .and_then(|json| read(api, gemini, headers, &json, body.len()));
    let asked = match read {
        Ok(asked) if asked.model.starts_with("no-such-model") => {
            return refuse(&Refusal::no_model(api, &asked.model), api, number, way.watch);
        }
        Ok(asked) => asked,
        Err(refusal) => return refuse(&refusal, api, number, way.watch),
    };
    let (stream, include_usage) = (asked.stream, asked.include_usage);
    let answer = answer(asked, number);
    let body = if stream {
        let events = events(api, how, &answer, include_usage);
        faulty::stream(api, &answer, events, state.gap(), fault.as_ref(), way)
    } else {
        faulty::whole(Bytes::from(whole(api, &answer).to_string()), fault.as_ref(), way)
    };
    finish(stream && how != Some(GeminiStream::Array), body, Some((api, number)))
}
