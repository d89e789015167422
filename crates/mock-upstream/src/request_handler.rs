//! Handles requests: records them, routes them to an endpoint, and applies requested failures.

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
    answer::generate_response,
    api::{check_credentials, parse_request, response_body, stream_events},
    api_error::ApiError,
    body::ResponseBody,
    connection::{ResetSwitch, ResponseHandle},
    control,
    failure::Fault,
    faulty, listing,
    parsed_request::ParsedRequest,
    record::EndRecorder,
    reply::{build_response, error_response, json_response},
    response_cache::scan_request,
    route::{Api, Endpoint, GeminiForm, resolve_endpoint},
    state::State,
};

/// Handles an HTTP request to the mock: records it and routes it to its endpoint.
///
/// # Errors
/// If the body of the request cannot be read, which ends the connection.
pub(crate) async fn handle_request(
    state: Arc<State>,
    reset: ResetSwitch,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, hyper::Error> {
    let (head, body) = request.into_parts();
    let endpoint = resolve_endpoint(&head.method, &head.uri, head.headers.contains_key(UPGRADE));
    let body = body.collect().await?.to_bytes();
    let handle = ResponseHandle { recorder: EndRecorder::default(), reset };
    if let Endpoint::Control(path) = endpoint {
        return Ok(control::handle_control_request(&state, &head.method, &path, &body, handle.recorder));
    }
    let number = state.next_request_number();
    let headers = head.headers.clone();
    if !state.settings.plain {
        let recorded_body = state.keep_bodies.load(Ordering::Relaxed).then(|| body.clone());
        state.requests.record(head, body.len(), recorded_body, &handle.recorder);
    }
    Ok(match endpoint {
        Endpoint::Generate(api) => generate(&state, api, None, &headers, &body, number, handle).await,
        Endpoint::GenerateGemini { model, form } => {
            generate(&state, Api::Gemini, Some((model, form)), &headers, &body, number, handle).await
        }
        Endpoint::CountTokens(api) => listing::count_tokens(api, &headers, &body, number, handle.recorder),
        Endpoint::Models { api, model } => {
            listing::list_models(api, model.as_deref(), &headers, number, handle.recorder)
        }
        Endpoint::Root => {
            // The body of a response to HEAD is never polled.
            handle.recorder.complete();
            json_response(StatusCode::OK, &json!({"status": "ok"}), handle.recorder)
        }
        Endpoint::Upgrade => error_response(
            &ApiError::new(StatusCode::UPGRADE_REQUIRED, "no connections of that kind"),
            Api::Responses,
            number,
            handle.recorder,
        ),
        Endpoint::Control(_) | Endpoint::Unknown => {
            let api = if headers.contains_key("anthropic-version") { Api::Anthropic } else { Api::Chat };
            error_response(&ApiError::new(StatusCode::NOT_FOUND, "Not found"), api, number, handle.recorder)
        }
    })
}

/// Responds to a request for a model's output, with a requested failure if there is one for the model. `gemini` has the
/// model and the form of the response from the path of a Gemini request; `None` for other APIs. `number` is the number
/// of the request. A plain mock responds from the cache, without validating the request.
async fn generate(
    state: &State,
    api: Api,
    gemini: Option<(String, GeminiForm)>,
    headers: &HeaderMap,
    body: &Bytes,
    number: u64,
    handle: ResponseHandle,
) -> Response<ResponseBody> {
    if !state.settings.plain
        && let Err(error) = check_credentials(api, headers)
    {
        return error_response(&error, api, number, handle.recorder);
    }
    let scanned_request = scan_request(body, gemini.as_ref());
    let fault = state.failures.take(scanned_request.model);
    match &fault {
        Some(Fault::Status { status, retry_after }) => {
            return failure_response(*status, retry_after.as_deref(), api, number, handle.recorder);
        }
        Some(Fault::SlowHeaders(milliseconds)) => {
            tokio::time::sleep(Duration::from_millis(*milliseconds)).await;
        }
        Some(Fault::Never) => std::future::pending().await,
        _ => {}
    }
    if state.settings.plain {
        let (is_sse, body) = state.cached_responses.respond(api, &scanned_request, state.gap(), fault.as_ref(), handle);
        return build_response(is_sse, body, None);
    }
    let form = gemini.as_ref().map(|(_, form)| *form);
    let request = match parse_model_request(api, gemini, headers, body) {
        Ok(request) => request,
        Err(error) => return error_response(&error, api, number, handle.recorder),
    };
    let (stream, include_usage) = (request.stream, request.include_usage);
    let answer = generate_response(request, number);
    let body = if stream {
        let events = stream_events(api, form, &answer, include_usage);
        faulty::stream_body(api, &answer, events, state.gap(), fault.as_ref(), handle)
    } else {
        faulty::single_body(Bytes::from(response_body(api, &answer).to_string()), fault.as_ref(), handle)
    };
    build_response(stream && form != Some(GeminiForm::Array), body, Some((api, number)))
}

/// Builds the error response of a requested failure with this HTTP status and, if given, a `retry-after` header.
fn failure_response(
    status: u16,
    retry_after: Option<&str>,
    api: Api,
    number: u64,
    recorder: EndRecorder,
) -> Response<ResponseBody> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let message = status.canonical_reason().unwrap_or("Overloaded");
    let mut response = error_response(&ApiError::new(status, message), api, number, recorder);
    if let Some(value) = retry_after.and_then(|value| HeaderValue::from_str(value).ok()) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

/// Parses and validates the body of a request for a model's output. `gemini` is the model and the method in the path of
/// a Gemini request; `None` for the other APIs.
///
/// # Errors
/// [`ApiError`] with status 400 if the request is invalid, and 404 for a model whose name starts with `no-such-model`.
fn parse_model_request(
    api: Api,
    gemini: Option<(String, GeminiForm)>,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<ParsedRequest, ApiError> {
    let json: Value = serde_json::from_slice(body)
        .map_err(|error| ApiError::invalid(format!("The body of the request is not valid JSON: {error}")))?;
    let request = parse_request(api, gemini, headers, &json, body.len())?;
    if request.model.starts_with("no-such-model") {
        return Err(ApiError::unknown_model(api, &request.model));
    }
    Ok(request)
}
