//! Builds HTTP responses.

use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::Value;

use crate::{body::ResponseBody, record::EndRecorder, refusal::Refusal, route::Api};

/// Builds a response with this body. `from`, the API and the number of the request, adds the header with the request
/// id.
pub(crate) fn finish(events: bool, body: ResponseBody, from: Option<(Api, u64)>) -> Response<ResponseBody> {
    let kind = if events { "text/event-stream; charset=utf-8" } else { "application/json" };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some((api, number)) = from {
        name(&mut response, api, number);
    }
    response
}

/// Adds the header with the provider's request id.
fn name(response: &mut Response<ResponseBody>, api: Api, number: u64) {
    let header = match api {
        Api::Anthropic => HeaderName::from_static("request-id"),
        Api::Chat | Api::Responses => HeaderName::from_static("x-request-id"),
        Api::Gemini => return,
    };
    if let Ok(value) = HeaderValue::from_str(&format!("req_mock_{number:08}")) {
        response.headers_mut().insert(header, value);
    }
}

/// Returns an error response in the shape of the API.
pub(crate) fn refuse(refusal: &Refusal, api: Api, number: u64, watch: EndRecorder) -> Response<ResponseBody> {
    let mut response = respond(refusal.status, &refusal.body(api, number), watch);
    name(&mut response, api, number);
    response
}

/// Returns a JSON response.
pub(crate) fn respond(status: StatusCode, body: &Value, watch: EndRecorder) -> Response<ResponseBody> {
    watch.status(status.as_u16());
    let mut response = finish(false, ResponseBody::whole(Bytes::from(body.to_string()), watch), None);
    *response.status_mut() = status;
    response
}
