//! Cached responses of the mock for benchmarks. A *plain* mock answers all requests from this cache, without validating
//! or recording them, so that the mock itself takes little processor time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hyper::body::Bytes;
use memchr::memmem;

use crate::{
    answer::{Answer, generate_response},
    api::{response_body, stream_events},
    body::{BodyStep, ResponseBody},
    connection::ResponseHandle,
    failure::Fault,
    faulty,
    parsed_request::ParsedRequest,
    route::{Api, GeminiForm},
};

/// The number of text deltas in a cached stream.
const STREAM_DELTAS: usize = 20;

/// The maximum number of cached responses; others are built for each request.
const MAX_CACHED: usize = 64;

/// The properties of a request that select a cached response, found without parsing the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScannedRequest<'a> {
    /// The requested model; empty if none was found.
    pub(crate) model: &'a str,
    /// Whether the response is streamed.
    stream: bool,
    /// Whether a stream of chat completions ends with the usage.
    include_usage: bool,
    /// The form of the response of a request to Gemini; `None` for other APIs.
    gemini_form: Option<GeminiForm>,
}

/// Extracts model, streaming and usage reporting of a request without parsing its body. `gemini` has the model and the
/// form of the response from the path of a Gemini request; `None` for other APIs. The body is not validated; the model
/// is empty if none is found.
pub(crate) fn scan_request<'a>(body: &'a [u8], gemini: Option<&'a (String, GeminiForm)>) -> ScannedRequest<'a> {
    if let Some((model, form)) = gemini {
        let stream = *form != GeminiForm::Whole;
        return ScannedRequest { model, stream, include_usage: true, gemini_form: Some(*form) };
    }
    let parse_text = |rest: &'a [u8]| {
        let rest = rest.strip_prefix(b"\"")?;
        std::str::from_utf8(rest.split(|byte| *byte == b'"').next()?).ok()
    };
    let parse_true = |rest: &'a [u8]| rest.starts_with(b"true").then_some(());
    ScannedRequest {
        model: find_member(body, b"\"model\"", parse_text).unwrap_or_default(),
        stream: find_member(body, b"\"stream\"", parse_true).is_some(),
        include_usage: find_member(body, b"\"include_usage\"", parse_true).is_some(),
        gemini_form: None,
    }
}

/// Returns the first value of the JSON member `name` that `parse` accepts; `None` if there is none. `name` includes the
/// quotes.
///
/// The bytes are searched without parsing the JSON. Within a string the quotes of the name would have backslashes, so
/// texts cannot be mistaken for members.
fn find_member<'a, T>(body: &'a [u8], name: &[u8], parse: impl Fn(&'a [u8]) -> Option<T>) -> Option<T> {
    memmem::find_iter(body, name).find_map(|index| {
        let rest = body.get(index + name.len()..)?.trim_ascii_start().strip_prefix(b":")?;
        parse(rest.trim_ascii_start())
    })
}

/// The properties of a request on which the mock's cached response depends.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CacheKey {
    /// The requested model.
    model: String,
    /// The API of the request.
    api: Api,
    /// Whether the response is streamed.
    stream: bool,
    /// Whether a stream ends with the usage.
    include_usage: bool,
    /// Whether Gemini streams a JSON array instead of events.
    array: bool,
}

/// The responses of a plain mock, each by the properties of the requests that it answers; at most [`MAX_CACHED`].
#[derive(Debug, Default)]
pub(crate) struct ResponseCache(Mutex<BTreeMap<CacheKey, CachedResponse>>);

/// A response as bytes, shared by all requests that receive it.
#[derive(Debug, Clone)]
struct CachedResponse {
    /// The response from which error events take their ids.
    answer: Arc<Answer>,
    /// The events of a stream; empty for a response that is not streamed.
    events: Arc<[Bytes]>,
    /// The complete body.
    body: Bytes,
}

impl ResponseCache {
    /// Responds to a request from the cache, or with a response that is built and cached. Returns whether the response
    /// consists of server-sent events, and its body, to which a requested failure is applied. `gap` is the delay
    /// between events.
    pub(crate) fn respond(
        &self,
        api: Api,
        request: &ScannedRequest<'_>,
        gap: Duration,
        fault: Option<&Fault>,
        handle: ResponseHandle,
    ) -> (bool, ResponseBody) {
        let cached_response = self.get_or_build(api, request);
        let is_sse = request.stream && request.gemini_form != Some(GeminiForm::Array);
        if !request.stream {
            return (is_sse, faulty::single_body(cached_response.body, fault, handle));
        }
        if gap.is_zero() && fault.is_none() {
            handle.recorder.set_status(200);
            let steps = vec![BodyStep::Data(cached_response.body)];
            return (is_sse, ResponseBody::from_steps(steps, None, handle.recorder, handle.reset));
        }
        (is_sse, faulty::stream_body(api, &cached_response.answer, cached_response.events.to_vec(), gap, fault, handle))
    }

    /// Returns the cached response to a request. If there is none, builds one, and caches it unless the cache is full.
    fn get_or_build(&self, api: Api, request: &ScannedRequest<'_>) -> CachedResponse {
        let key = CacheKey {
            model: request.model.to_owned(),
            api,
            stream: request.stream,
            include_usage: request.include_usage,
            array: request.gemini_form == Some(GeminiForm::Array),
        };
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache.get(&key) {
            return cached.clone();
        }
        let built = build(api, request);
        if cache.len() < MAX_CACHED {
            cache.insert(key, built.clone());
        }
        built
    }
}

/// Builds the response to a request: a stream of [`STREAM_DELTAS`] deltas, or the default text.
fn build(api: Api, request: &ScannedRequest<'_>) -> CachedResponse {
    let parsed_request = ParsedRequest {
        model: request.model.to_owned(),
        stream: request.stream,
        user_text: if request.stream { format!("LONG:{STREAM_DELTAS}") } else { String::new() },
        request_bytes: 400,
        ..ParsedRequest::default()
    };
    let answer = generate_response(parsed_request, 0);
    let (events, body) = if request.stream {
        let events = stream_events(api, request.gemini_form, &answer, request.include_usage);
        let body = Bytes::from(events.concat());
        (events, body)
    } else {
        (Vec::new(), Bytes::from(response_body(api, &answer).to_string()))
    };
    CachedResponse { answer: Arc::new(answer), events: events.into(), body }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A member is found even if a text contains its name.
    #[test]
    fn a_scan_finds_the_fields_among_texts_that_name_them() {
        let body = br#"{"tools":[{"properties":{"model":{"type":"string"}}}], "messages":"say \"model\":\"no\"",
            "model" : "claude-opus-4-8", "stream": true, "stream_options":{"include_usage":false}}"#;
        let found = scan_request(body, None);
        assert_eq!(
            found,
            ScannedRequest { model: "claude-opus-4-8", stream: true, include_usage: false, gemini_form: None }
        );
    }

    /// A body that is not valid JSON has no model, or its first text as the model, and is not streamed.
    #[test]
    fn a_scan_of_anything_else_finds_nothing() {
        for body in [&b""[..], b"{", b"\"model\"", b"\"model\":", b"\"model\":\"x", b"\xff\"model\":\"\xff\""] {
            let found = scan_request(body, None);
            assert!(!found.stream);
            assert!(found.model.is_empty() || found.model == "x");
        }
    }
}
