//! One model asked: the request as its provider wants it, and its answer on the way back.

use contracts::facts::ErrorClass;
use http_body_util::{BodyExt as _, Limited};
use hyper::{Response, StatusCode, body::Bytes, header::CONTENT_TYPE, http::HeaderValue};
use wire::{StreamConverter, UsageHider, Watcher, convert_answer};

use super::{Failure, Incoming, arrival::Decided, outgoing, refusal};
use crate::{
    body::Answer,
    call::RunningCall,
    gateway::Gateway,
    relay::{Passage, Relay},
    upstream::{Answering, Failed, Question, passed_back},
};

/// One model to be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) incoming: &'a Incoming,
    pub(super) inspected: &'a wire::Inspected<'a>,
    pub(super) decided: &'a Decided,
}

impl Attempt<'_> {
    /// Asks, and gives back the answer as it begins.
    pub(super) async fn make(&self) -> Result<Response<Answer>, Failure> {
        let Self { gateway, incoming, inspected, decided, .. } = *self;
        let mut call = RunningCall::new(gateway.desk().clone(), decided.sent.clone(), gateway.clock());
        let streams = incoming.streams(inspected);
        let same_api = decided.api == incoming.api;
        let Some(provider) = gateway.providers().get(decided.model.provider.as_str()) else {
            return Err(Failure { call, failed: nowhere() });
        };
        let outgoing = match outgoing::outgoing(incoming, inspected, decided, provider) {
            Ok(outgoing) => outgoing,
            Err(failed) => return Err(Failure { call, failed }),
        };
        let question = Question {
            provider,
            api: decided.api,
            model: decided.model.id.model(),
            stream: streams,
            client: &incoming.headers,
            query: incoming.query.as_deref(),
            same_api,
            behind: "",
            body: outgoing.body,
        };
        let Answering { response } = match gateway.upstream().ask(&question).await {
            Ok(answering) => answering,
            Err(failed) => return Err(Failure { call, failed }),
        };
        let mut headers = passed_back(response.headers());
        let status = response.status();
        // A provider may answer in one piece whatever it was asked.
        let events = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map_or(streams, |kind| kind.starts_with("text/event-stream"));
        let body = response.into_body();
        let answer = if same_api {
            let passage = if outgoing.hides_usage { Passage::Hidden(UsageHider::new()) } else { Passage::Untouched };
            let watcher = Watcher::new(decided.api, events);
            Answer::Relayed(Box::new(Relay::new(
                body,
                watcher,
                passage,
                (incoming.api, events),
                call,
                gateway.patience().idle(),
            )))
        } else if events {
            headers = hyper::HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
            headers.insert("cache-control", HeaderValue::from_static("no-cache"));
            let id = decided.turn.to_string();
            let created = gateway.now().0 / 1_000_000;
            let converter = StreamConverter::new(decided.api, incoming.api, incoming.model(inspected), id, created);
            let watcher = Watcher::new(decided.api, true);
            let unasked = incoming.api == contracts::WireApi::OpenAiChat && !inspected.asks_usage;
            let passage = Passage::Converted(Box::new(converter), unasked.then(UsageHider::new));
            Answer::Relayed(Box::new(Relay::new(
                body,
                watcher,
                passage,
                (incoming.api, true),
                call,
                gateway.patience().idle(),
            )))
        } else {
            headers = hyper::HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let limited = Limited::new(body, gateway.limits().answer_bytes).collect();
            let read = tokio::time::timeout(gateway.patience().first_byte(), limited).await;
            let bytes = match read {
                Ok(Ok(bytes)) => bytes.to_bytes(),
                Ok(Err(_)) => return Err(Failure { call, failed: broken(ErrorClass::Network) }),
                Err(_) => return Err(Failure { call, failed: broken(ErrorClass::Timeout) }),
            };
            call.began();
            let mut watcher = Watcher::new(decided.api, false);
            watcher.feed(&bytes);
            match convert_answer(decided.api, incoming.api, incoming.model(inspected), &bytes) {
                Ok(converted) => {
                    call.answered(watcher.finish());
                    Answer::whole(converted)
                }
                Err(error) => {
                    call.failed_late(ErrorClass::ServerError, &watcher.finish());
                    let message = format!("turnwise: the answer cannot be said in this API: {error}");
                    return Ok(refusal::refused(incoming.api, 502, "api_error", &message));
                }
            }
        };
        let mut response = Response::new(answer);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        if !outgoing.left_out.is_empty() {
            let names: Vec<_> = outgoing.left_out.iter().map(|requirement| requirement.name()).collect();
            if let Ok(value) = HeaderValue::from_str(&names.join(", ")) {
                response.headers_mut().insert("x-turnwise-left-out", value);
            }
        }
        Ok(response)
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
