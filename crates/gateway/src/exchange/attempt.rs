//! One call to one model: sends the request and starts the response.

use adapters::{
    ClientRequestParts, Operation, ResponseStream, StreamError, UpstreamFailure, UpstreamRequest, UpstreamResponse,
};
use contracts::events::ErrorClass;
use http_body_util::Limited;
use hyper::{
    HeaderMap, Response,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
};
use tokio::time::Instant;
use wire::{ResponseInspector, StreamConverter, UsageFilter, convert_response};

use super::{
    FailedAttempt, Failure, Incoming,
    outgoing::{self, Outgoing},
    refusal,
    target::Target,
};
use crate::{
    body::ResponseBody,
    call::RunningCall,
    client_stream::{BodyTransform, ClientStream},
    collect_body::collect_body,
    gateway::Gateway,
};

/// One call to one model: the client's request and the target that it is sent to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) incoming: &'a Incoming,
    pub(super) inspected: &'a wire::RequestSummary<'a>,
    pub(super) target: &'a Target,
    /// The time after which no retry starts.
    pub(super) retry_until: Instant,
}

impl Attempt<'_> {
    /// Sends the request and returns the response when it begins; a failure before that returns the call to be
    /// recorded.
    pub(super) async fn execute(&self, call: RunningCall) -> Result<Response<ResponseBody>, Failure> {
        let Self { incoming, inspected, target, .. } = *self;
        let (outgoing, response) = match self.send().await {
            Ok(sent) => sent,
            Err(failed) => return Err(Failure { call, failed }),
        };
        let status = response.status;
        // A provider may ignore the request for a stream.
        let content_type = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let events = content_type
            .map_or(incoming.streams(inspected), |content_type| content_type.starts_with("text/event-stream"));
        let mut response = if target.api == incoming.api {
            let headers = forwarded_headers(&response.headers);
            let transform = if outgoing.hides_usage {
                BodyTransform::FilterUsage(UsageFilter::new())
            } else {
                BodyTransform::Identity
            };
            let mut answer = Response::new(self.stream_body(response.body, call, events, transform));
            *answer.headers_mut() = headers;
            answer
        } else if events {
            let hides_usage = incoming.api == contracts::WireApi::OpenAiChat && !inspected.requests_stream_usage;
            let transform = BodyTransform::Convert(Box::new(self.converter()), hides_usage.then(UsageFilter::new));
            let mut answer = Response::new(self.stream_body(response.body, call, true, transform));
            let headers = answer.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            answer
        } else {
            match self.convert_body(response.body, call).await? {
                Ok(bytes) => {
                    let mut answer = Response::new(ResponseBody::complete(bytes));
                    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                    answer
                }
                Err(refusal) => return Ok(refusal),
            }
        };
        *response.status_mut() = status;
        Ok(response)
    }

    /// Prepares the request for the provider of the target and sends it, with retries. Resolves at the response head.
    async fn send(&self) -> Result<(Outgoing, UpstreamResponse), FailedAttempt> {
        let Self { gateway, incoming, inspected, target, retry_until } = *self;
        let provider = gateway.providers().get(target.model.provider.as_str());
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

    /// Wraps the provider's response body into a stream for the client.
    fn stream_body(
        &self,
        body: ResponseStream,
        call: RunningCall,
        events: bool,
        transform: BodyTransform,
    ) -> ResponseBody {
        let inspector = ResponseInspector::new(self.target.api, events);
        let client = (self.incoming.api, events);
        ResponseBody::Streamed(Box::new(ClientStream::new(body, inspector, transform, client, call)))
    }

    /// Creates the converter from the provider's stream format to the client's.
    fn converter(&self) -> StreamConverter {
        let Self { gateway, incoming, inspected, target, .. } = *self;
        // Each response of a turn has its own id, because clients merge responses with equal ids.
        let id = format!("{}-{}", target.outcome.turn, target.call);
        StreamConverter::new(target.api, incoming.api, incoming.model(inspected), id, gateway.now().secs())
    }

    /// Reads a non-streaming response and converts it to the client's API; a response with status 502 if it cannot be
    /// converted.
    async fn convert_body(
        &self,
        body: ResponseStream,
        mut call: RunningCall,
    ) -> Result<Result<Vec<u8>, Response<ResponseBody>>, Failure> {
        let Self { gateway, incoming, inspected, target, .. } = *self;
        let limited = collect_body(Limited::new(body, gateway.limits().answer_bytes));
        let read = tokio::time::timeout(gateway.timeouts().first_byte(), limited).await;
        let received = match read {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(error)) => {
                Err(error.downcast_ref::<StreamError>().map_or(ErrorClass::Network, |error| error.class()))
            }
            Err(_) => Err(ErrorClass::Timeout),
        };
        let bytes = match received {
            Ok(bytes) => bytes,
            Err(class) => return Err(Failure { call, failed: UpstreamFailure::without_response(class).into() }),
        };
        call.mark_first_byte();
        let mut inspector = ResponseInspector::new(target.api, false);
        inspector.feed(&bytes);
        let summary = inspector.finish();
        match convert_response(target.api, incoming.api, incoming.model(inspected), gateway.now().secs(), &bytes) {
            Ok(converted) => {
                call.complete(summary);
                Ok(Ok(converted))
            }
            Err(error) => {
                call.fail(summary.error.unwrap_or(ErrorClass::Other), &summary);
                let message = format!("turnwise: the answer cannot be said in this API: {error}");
                Ok(Err(refusal::error_response(incoming.api, 502, "api_error", &message)))
            }
        }
    }
}

/// Returns the headers of a provider's response that are forwarded to the client: all but those of the connection and
/// cookies.
fn forwarded_headers(headers: &HeaderMap) -> HeaderMap {
    const WITHHELD: [&str; 8] = [
        "connection",
        "keep-alive",
        "transfer-encoding",
        "trailer",
        "upgrade",
        "content-length",
        "set-cookie",
        "alt-svc",
    ];
    let forwarded = headers.iter().filter(|(name, _)| !WITHHELD.contains(&name.as_str()));
    forwarded.map(|(name, value)| (name.clone(), value.clone())).collect()
}
