//! One request and its answer.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use http_body_util::BodyExt as _;
use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, UPGRADE},
};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, answer},
    anthropic,
    asked::Asked,
    body::Answering,
    chat,
    connection::ResetWish,
    control,
    failure::{Failures, Fault},
    faulty, gemini, listing,
    plain::Plain,
    record::{Requests, Watch},
    refusal::Refusal,
    responses,
    route::{Api, Endpoint, GeminiStream, endpoint},
    server::Settings,
};

/// What the connections share.
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) keep_bodies: AtomicBool,
    /// Milliseconds between the events of a stream.
    pub(crate) gap_ms: AtomicU64,
    /// Of the requests so far.
    number: AtomicU64,
    pub(crate) failures: Failures,
    pub(crate) requests: Requests,
    plain: Plain,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl State {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            keep_bodies: AtomicBool::new(settings.keep_bodies),
            gap_ms: AtomicU64::new(settings.gap_ms),
            number: AtomicU64::new(0),
            failures: Failures::default(),
            requests: Requests::default(),
            plain: Plain::default(),
        }
    }

    fn gap(&self) -> Duration {
        Duration::from_millis(self.gap_ms.load(Ordering::Relaxed))
    }

    pub(crate) fn count(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }
}

/// The way back to the client: who notes the end, and what resets the connection.
pub(crate) struct Way {
    pub(crate) watch: Watch,
    pub(crate) reset: ResetWish,
}

/// Answers a request; an error is one of its body's and ends the connection.
pub(crate) async fn exchange(
    state: Arc<State>,
    reset: ResetWish,
    request: Request<Incoming>,
) -> Result<Response<Answering>, hyper::Error> {
    let (head, body) = request.into_parts();
    let asked = endpoint(&head.method, &head.uri, head.headers.contains_key(UPGRADE));
    let body = body.collect().await?.to_bytes();
    let way = Way { watch: Watch::default(), reset };
    if let Endpoint::Control(what) = asked {
        return Ok(control::answer(&state, &head.method, &what, &body, way.watch));
    }
    let number = state.number.fetch_add(1, Ordering::Relaxed) + 1;
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
            // Nobody takes the body from the answer to a HEAD.
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

/// The answer of a model, or a failure on demand.
async fn generate(
    state: &State,
    api: Api,
    gemini: Option<(String, GeminiStream)>,
    headers: &HeaderMap,
    body: &Bytes,
    number: u64,
    way: Way,
) -> Response<Answering> {
    if !state.settings.plain
        && let Err(refusal) = credentials(api, headers)
    {
        return refuse(&refusal, api, number, way.watch);
    }
    let glance = crate::plain::glance(body, gemini.as_ref());
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

fn read(
    api: Api,
    gemini: Option<(String, GeminiStream)>,
    headers: &HeaderMap,
    body: &Value,
    length: usize,
) -> Result<Asked, Refusal> {
    match (api, gemini) {
        (Api::Gemini, Some((model, how))) => crate::gemini::read(&model, how != GeminiStream::Whole, body, length),
        (Api::Anthropic, _) => anthropic::read(headers, body, length),
        (Api::Responses, _) => responses::read(body, length),
        (Api::Chat | Api::Gemini, _) => chat::read(body, length),
    }
}

/// An answer as one object.
pub(crate) fn whole(api: Api, answer: &Answer) -> Value {
    match api {
        Api::Anthropic => anthropic::whole(answer),
        Api::Chat => chat::whole(answer),
        Api::Responses => responses::whole(answer),
        Api::Gemini => gemini::whole(answer),
    }
}

/// An answer as the parts of a stream.
pub(crate) fn events(api: Api, how: Option<GeminiStream>, answer: &Answer, include_usage: bool) -> Vec<Bytes> {
    match api {
        Api::Anthropic => anthropic::events(answer),
        Api::Chat => chat::events(answer, include_usage),
        Api::Responses => responses::events(answer),
        Api::Gemini if how == Some(GeminiStream::Array) => gemini::array(answer),
        Api::Gemini => gemini::events(answer),
    }
}

/// Whether the client said who it is, in the way of the API.
pub(crate) fn credentials(api: Api, headers: &HeaderMap) -> Result<(), Refusal> {
    let bearer = headers.get(AUTHORIZATION).is_some_and(|value| {
        value.as_bytes().strip_prefix(b"Bearer ").is_some_and(|token| !token.trim_ascii().is_empty())
    });
    let has = |name: &str| headers.get(name).is_some_and(|value| !value.is_empty());
    let known = match api {
        Api::Anthropic => bearer || has("x-api-key"),
        Api::Chat | Api::Responses => bearer,
        Api::Gemini => has("x-goog-api-key"),
    };
    if known { Ok(()) } else { Err(Refusal::no_credentials(api)) }
}

fn finish(events: bool, body: Answering, from: Option<(Api, u64)>) -> Response<Answering> {
    let kind = if events { "text/event-stream; charset=utf-8" } else { "application/json" };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some((api, number)) = from {
        name(&mut response, api, number);
    }
    response
}

/// The name that the provider gives to the request.
fn name(response: &mut Response<Answering>, api: Api, number: u64) {
    let header = match api {
        Api::Anthropic => HeaderName::from_static("request-id"),
        Api::Chat | Api::Responses => HeaderName::from_static("x-request-id"),
        Api::Gemini => return,
    };
    if let Ok(value) = HeaderValue::from_str(&format!("req_mock_{number:08}")) {
        response.headers_mut().insert(header, value);
    }
}

/// A refusal in the shape of the API.
pub(crate) fn refuse(refusal: &Refusal, api: Api, number: u64, watch: Watch) -> Response<Answering> {
    let mut response = respond(refusal.status, &refusal.body(api, number), watch);
    name(&mut response, api, number);
    response
}

/// An object as it is.
pub(crate) fn respond(status: StatusCode, body: &Value, watch: Watch) -> Response<Answering> {
    watch.status(status.as_u16());
    let mut response = finish(false, Answering::whole(Bytes::from(body.to_string()), watch), None);
    *response.status_mut() = status;
    response
}
