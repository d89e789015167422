//! One call to one model: sends the request and starts the response.

use adapters::{ClientRequestParts, Operation, UpstreamFailure, UpstreamRequest, UpstreamResponse, allowed_headers};
use contracts::WireApi;
use hyper::{
    HeaderMap, Response, StatusCode,
    body::Bytes,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
};
use tokio::time::Instant;
use wire::{StreamConverter, UsageFilter, convert_response};

use super::{
    FailedAttempt, Failure, Incoming,
    outgoing::{self, Outgoing},
    received::{self, Expectation, Received},
    target::Target,
};
use crate::{
    body::ResponseBody,
    call::RunningCall,
    client_stream::{BodyTransform, CheckedStream, ClientStream},
    gateway::Gateway,
};

/// One call to one model: the client's request, and the model that it is sent to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt<'a> {
    /// The gateway.
    pub(super) gateway: &'a Gateway,
    /// The client's request.
    pub(super) incoming: &'a Incoming,
    /// The properties of the request, from inspecting its body.
    pub(super) inspected: &'a wire::RequestSummary<'a>,
    /// The model and the API of the call.
    pub(super) target: &'a Target,
    /// The time after which no retry starts.
    pub(super) retry_until: Instant,
}

impl Attempt<'_> {
    /// Sends the request to the model and returns the response to the client as soon as it begins. A failure before
    /// that contains the call, whose outcome the caller records.
    pub(super) async fn execute(&self, call: RunningCall) -> Result<Response<ResponseBody>, Failure> {
        let Self { incoming, inspected, target, .. } = *self;
        let mut call = call;
        let (outgoing, response) = match self.send().await {
            Ok(sent) => sent,
            Err(failed) => return Err(Failure { call, failed }),
        };
        let headers = forwarded_headers(&response.headers);
        let expectation = Expectation {
            api: target.api,
            streams: incoming.streams(inspected),
            max_bytes: self.gateway.limits().answer_bytes,
            timeouts: self.gateway.timeouts(),
        };
        let same_api = target.api == incoming.api;
        let received = match received::receive(response, expectation, &mut call).await {
            Ok(received) => received,
            Err(failure) => return Err(Failure { call, failed: failure.into() }),
        };
        let (body, content_type) = match received {
            Received::Stream { start, rest, inspector } => {
                let stream = CheckedStream::new(start, rest, inspector, expectation.max_bytes);
                let transform = self.transform(&outgoing);
                let body = ClientStream::new(stream, transform, incoming.api, call);
                (ResponseBody::Streamed(Box::new(body)), "text/event-stream; charset=utf-8")
            }
            Received::Whole { body, summary } => {
                let body = if same_api { Ok(body) } else { self.convert_body(&body) };
                let body = match body {
                    Ok(body) => body,
                    Err(failure) => return Err(Failure { call, failed: failure.into() }),
                };
                match summary.error {
                    Some(class) => call.fail(class, &summary),
                    None => call.complete(summary),
                }
                (ResponseBody::complete(body), "application/json")
            }
        };
        let is_stream = matches!(body, ResponseBody::Streamed(_));
        let mut response = Response::new(body);
        if same_api {
            *response.headers_mut() = headers;
            response.headers_mut().entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(content_type));
        } else {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            if is_stream {
                response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            }
        }
        Ok(response)
    }

    /// Converts the request for the provider and sends it, with retries. Resolves when the head of the response has
    /// arrived.
    async fn send(&self) -> Result<(Outgoing, UpstreamResponse), FailedAttempt> {
        let Self { gateway, incoming, inspected, target, retry_until } = *self;
        let providers = gateway.providers();
        let provider = providers.get(target.model.provider.as_str());
        // The provider of the model is not configured.
        let provider = provider.ok_or_else(|| FailedAttempt::not_convertible(""))?;
        let outgoing = outgoing::prepare(incoming, inspected, target, provider.config())?;
        let forwarded = ClientRequestParts { headers: &incoming.headers, query: incoming.query.as_deref() };
        let request = UpstreamRequest {
            api: target.api,
            operation: Operation::Generate,
            model: target.model.id.model(),
            stream: incoming.streams(inspected),
            body: outgoing.body.clone(),
            client: (target.api == incoming.api).then_some(forwarded),
            timeouts: gateway.timeouts().response(),
            retry: gateway.timeouts().retry(),
            retry_until: Some(retry_until),
        };
        let response = provider.send(&request).await?;
        Ok((outgoing, response))
    }

    /// Returns how the provider's stream is changed for the client: converted to the client's API, or freed of the
    /// usage that the client did not request.
    fn transform(&self, outgoing: &Outgoing) -> BodyTransform {
        let Self { incoming, inspected, target, .. } = *self;
        if target.api != incoming.api {
            let hides_usage = incoming.api == WireApi::OpenAiChat && !inspected.requests_stream_usage;
            return BodyTransform::Convert(Box::new(self.converter()), hides_usage.then(UsageFilter::new));
        }
        if outgoing.hides_usage { BodyTransform::FilterUsage(UsageFilter::new()) } else { BodyTransform::Identity }
    }

    /// Creates the converter from the provider's stream format to the client's.
    fn converter(&self) -> StreamConverter {
        let Self { gateway, incoming, inspected, target, .. } = *self;
        // Each response of a turn has its own id, because clients merge responses with equal ids.
        let id = format!("{}-{}", target.outcome.turn, target.call);
        StreamConverter::new(target.api, incoming.api, incoming.model(inspected), id, gateway.now().secs())
    }

    /// Converts the body of a provider's response that is not streamed to the client's API.
    ///
    /// # Errors
    /// [`UpstreamFailure`] of class `InvalidResponse` if the response cannot be converted.
    fn convert_body(&self, body: &Bytes) -> Result<Bytes, UpstreamFailure> {
        let Self { gateway, incoming, inspected, target, .. } = *self;
        let (requested, now) = (incoming.model(inspected), gateway.now().secs());
        convert_response(target.api, incoming.api, requested, now, body)
            .map(Bytes::from)
            .map_err(|error| UpstreamFailure::invalid_response(StatusCode::OK, format!("cannot be converted: {error}")))
    }
}

/// Returns the headers of a provider's response that are forwarded to the client: the media type if it is one of the
/// APIs, request ids, rate limits, and other headers that clients of the APIs read.
fn forwarded_headers(headers: &HeaderMap) -> HeaderMap {
    const NAMES: [&str; 10] = [
        "cache-control",
        "cf-ray",
        "content-type",
        "request-id",
        "retry-after",
        "retry-after-ms",
        "x-models-etag",
        "x-oai-request-id",
        "x-reasoning-included",
        "x-request-id",
    ];
    const PREFIXES: [&str; 5] = ["anthropic-", "openai-", "x-codex-", "x-gemini-", "x-ratelimit-"];
    let mut forwarded = allowed_headers(headers, |name| {
        NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|prefix| name.as_str().starts_with(prefix))
    });
    let is_known = |value: &HeaderValue| {
        let value = value.as_bytes();
        value.starts_with(b"application/json") || value.starts_with(b"text/event-stream")
    };
    if !forwarded.get(CONTENT_TYPE).is_some_and(is_known) {
        forwarded.remove(CONTENT_TYPE);
    }
    forwarded
}
