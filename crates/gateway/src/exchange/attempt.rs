//! One model asked: the request as its provider wants it, and its answer on the way back.

use contracts::events::ErrorClass;
use http_body_util::Limited;
use hyper::{
    Response, StatusCode,
    body::{Bytes, Incoming as Body},
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
};
use wire::{StreamConverter, UsageHider, Watcher, convert_answer};

use super::{
    Failure, Incoming,
    outgoing::{self, Outgoing},
    refusal,
    target::Target,
};
use crate::{
    body::Answer,
    call::RunningCall,
    configuration::Credential,
    gateway::Gateway,
    relay::{BodyTransform, Relay},
    upstream::{Answering, Failed, Question, passed_back},
    whole::whole,
};

/// One model to be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) incoming: &'a Incoming,
    pub(super) inspected: &'a wire::Inspected<'a>,
    pub(super) target: &'a Target,
}

impl Attempt<'_> {
    /// Asks, and gives back the answer as it begins.
    pub(super) async fn make(&self, call: RunningCall) -> Result<Response<Answer>, Failure> {
        let Self { incoming, inspected, target, .. } = *self;
        let (outgoing, response) = match self.ask().await {
            Ok(asked) => asked,
            Err(failed) => return Err(Failure { call, failed }),
        };
        let status = response.status();
        // A provider may answer in one piece whatever it was asked.
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let events = kind.map_or(incoming.streams(inspected), |kind| kind.starts_with("text/event-stream"));
        let mut response = if target.api == incoming.api {
            let headers = passed_back(response.headers());
            let passage =
                if outgoing.hides_usage { BodyTransform::Hidden(UsageHider::new()) } else { BodyTransform::Untouched };
            let mut answer = Response::new(self.relayed(response.into_body(), call, events, passage));
            *answer.headers_mut() = headers;
            answer
        } else if events {
            let unasked = incoming.api == contracts::WireApi::OpenAiChat && !inspected.asks_usage;
            let passage = BodyTransform::Converted(Box::new(self.converter()), unasked.then(UsageHider::new));
            let mut answer = Response::new(self.relayed(response.into_body(), call, true, passage));
            let headers = answer.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            answer
        } else {
            match self.converted(response.into_body(), call).await? {
                Ok(bytes) => {
                    let mut answer = Response::new(Answer::whole(bytes));
                    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                    answer
                }
                Err(refusal) => return Ok(refusal),
            }
        };
        *response.status_mut() = status;
        if !outgoing.dropped.is_empty() {
            let names: Vec<_> = outgoing.dropped.iter().map(|requirement| requirement.name()).collect();
            if let Ok(value) = HeaderValue::from_str(&names.join(", ")) {
                response.headers_mut().insert("x-turnwise-dropped", value);
            }
        }
        Ok(response)
    }

    /// Sends the request, as the provider wants it.
    async fn ask(&self) -> Result<(Outgoing, Response<Body>), Failed> {
        let Self { gateway, incoming, inspected, target } = *self;
        let provider = gateway.providers().get(target.model.provider.as_str()).ok_or_else(nowhere)?;
        let outgoing = outgoing::outgoing(incoming, inspected, target, provider)?;
        let question = Question {
            provider,
            api: target.api,
            model: target.model.id.model(),
            stream: incoming.streams(inspected),
            client: &incoming.headers,
            query: incoming.query.as_deref(),
            same_api: target.api == incoming.api,
            behind: "",
            body: outgoing.body.clone(),
        };
        match gateway.upstream().ask(&question).await {
            Ok(Answering { response }) => Ok((outgoing, response)),
            Err(mut failed) => {
                // One client's key says nothing of the provider to the others.
                if failed.class == ErrorClass::Auth && matches!(provider.credential, Credential::None) {
                    failed.class = ErrorClass::ClientKey;
                }
                Err(failed)
            }
        }
    }

    fn relayed(&self, body: Body, call: RunningCall, events: bool, passage: BodyTransform) -> Answer {
        let watcher = Watcher::new(self.target.api, events);
        let (client, timeouts) = ((self.incoming.api, events), self.gateway.timeouts().idle());
        Answer::Relayed(Box::new(Relay::new(body, watcher, passage, client, call, timeouts)))
    }

    fn converter(&self) -> StreamConverter {
        let Self { gateway, incoming, inspected, target } = *self;
        // Each answer of a turn has a name of its own: clients put together what has the same.
        let id = format!("{}-{}", target.outcome.turn, target.call);
        StreamConverter::new(target.api, incoming.api, incoming.model(inspected), id, gateway.now().secs())
    }

    /// An answer in one piece, said in the client's API, or that it cannot be.
    async fn converted(&self, body: Body, mut call: RunningCall) -> Result<Result<Vec<u8>, Response<Answer>>, Failure> {
        let Self { gateway, incoming, inspected, target } = *self;
        let limited = whole(Limited::new(body, gateway.limits().answer_bytes));
        let read = tokio::time::timeout(gateway.timeouts().first_byte(), limited).await;
        let bytes = match read {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => return Err(Failure { call, failed: broken(ErrorClass::Network) }),
            Err(_) => return Err(Failure { call, failed: broken(ErrorClass::Timeout) }),
        };
        call.began();
        let mut watcher = Watcher::new(target.api, false);
        watcher.feed(&bytes);
        let seen = watcher.finish();
        match convert_answer(target.api, incoming.api, incoming.model(inspected), gateway.now().secs(), &bytes) {
            Ok(converted) => {
                call.answered(seen);
                Ok(Ok(converted))
            }
            Err(error) => {
                call.failed_late(seen.error.unwrap_or(ErrorClass::Other), &seen);
                let message = format!("turnwise: the answer cannot be said in this API: {error}");
                Ok(Err(refusal::refused(incoming.api, 502, "api_error", &message)))
            }
        }
    }
}

/// The provider of the model is not among those configured.
fn nowhere() -> Failed {
    Failed {
        class: ErrorClass::InvalidRequest,
        status: Some(StatusCode::BAD_REQUEST),
        retries: 0,
        body: Bytes::new(),
        retry_after: None,
        unsayable: true,
    }
}

fn broken(class: ErrorClass) -> Failed {
    Failed { class, status: None, retries: 0, body: Bytes::new(), retry_after: None, unsayable: false }
}
