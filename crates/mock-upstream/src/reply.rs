//! Builds HTTP responses: content type, request id, JSON and errors.

use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::Value;

use crate::{api_error::ApiError, body::ResponseBody, record::EndRecorder, route::Api};

/// Builds an HTTP response with status 200. `is_stream` selects the content type: server-sent events or JSON. `request`
/// is the API and the number of the request, for the header with the request id; `None` adds no such header.
pub(crate) fn build_response(
    is_stream: bool,
    body: ResponseBody,
    request: Option<(Api, u64)>,
) -> Response<ResponseBody> {
    let content_type = if is_stream { "text/event-stream; charset=utf-8" } else { "application/json" };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some((api, number)) = request {
        add_request_id(&mut response, api, number);
    }
    response
}

/// Adds the header with the id of a request to the mock's response. Each provider has a header of its own for it;
/// Gemini has none. The id is derived from `number`.
fn add_request_id(response: &mut Response<ResponseBody>, api: Api, number: u64) {
    let header = match api {
        Api::Anthropic => HeaderName::from_static("request-id"),
        Api::Chat | Api::Responses => HeaderName::from_static("x-request-id"),
        Api::Gemini => return,
    };
    if let Ok(value) = HeaderValue::from_str(&format!("req_mock_{number:08}")) {
        response.headers_mut().insert(header, value);
    }
}

/// Builds an error response in the JSON of an API, with the request id, and records its status.
pub(crate) fn error_response(error: &ApiError, api: Api, number: u64, recorder: EndRecorder) -> Response<ResponseBody> {
    let mut response = json_response(error.status, &error.body(api, number), recorder);
    add_request_id(&mut response, api, number);
    response
}

/// Builds a JSON response with this status, and records the status.
pub(crate) fn json_response(status: StatusCode, body: &Value, recorder: EndRecorder) -> Response<ResponseBody> {
    recorder.set_status(status.as_u16());
    let mut response = build_response(false, ResponseBody::from_bytes(Bytes::from(body.to_string()), recorder), None);
    *response.status_mut() = status;
    response
}
