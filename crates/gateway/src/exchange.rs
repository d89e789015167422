//! One request of a client, from its first byte to the answer's: read, decided, asked of a provider, passed back.

mod arrival;
mod asked;
mod attempt;
mod decided;
mod outgoing;
mod refusal;

use std::sync::Arc;

use contracts::{FailedCandidate, WireApi};
use engine::CallFailure;
use event_bus::BusError;
use hyper::{HeaderMap, Response, body::Bytes};
use wire::{Inspected, inspect};

use crate::{
    body::Answer,
    gateway::{Gateway, UNAVAILABLE},
    upstream::Failed,
};
use arrival::Taken;
pub(crate) use asked::shape;
use attempt::Attempt;
use decided::Next;
pub(crate) use refusal::{refused, told};

/// A request of a client, read from the wire.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) api: WireApi,
    pub(crate) headers: HeaderMap,
    pub(crate) query: Option<String>,
    /// Gemini names the model and the way of answering in the path.
    pub(crate) in_path: Option<(String, bool)>,
    pub(crate) body: Bytes,
}

impl Incoming {
    /// The model the client asks for.
    pub(crate) fn model<'a>(&'a self, inspected: &'a Inspected<'_>) -> &'a str {
        match &self.in_path {
            Some((model, _)) => model,
            None => inspected.model.as_deref().unwrap_or_default(),
        }
    }

    /// Whether the answer is to come in events.
    fn streams(&self, inspected: &Inspected<'_>) -> bool {
        self.in_path.as_ref().map_or(inspected.stream, |(_, stream)| *stream)
    }
}

/// Answers a request: decides, asks, falls back while nothing has been answered yet.
pub(crate) async fn exchange(gateway: &Arc<Gateway>, incoming: Incoming) -> Response<Answer> {
    match attempt_all(gateway, &incoming).await {
        Ok(response) => response,
        // The bus has logged the reason.
        Err(_) => refused(incoming.api, 503, "overloaded_error", UNAVAILABLE),
    }
}

async fn attempt_all(gateway: &Arc<Gateway>, incoming: &Incoming) -> Result<Response<Answer>, BusError> {
    let inspected = match inspect(incoming.api, &incoming.body) {
        Ok(inspected) => inspected,
        Err(error) => return Ok(refused(incoming.api, 400, "invalid_request_error", &error.to_string())),
    };
    let taken = match arrival::take(gateway, incoming, &inspected).await? {
        Ok(taken) => taken,
        Err(refusal) => return Ok(refusal),
    };
    let Taken { mut decided, mut call, durable, lineage } = taken;
    let mut recorded = vec![durable];
    let mut failed: Vec<FailedCandidate> = Vec::new();
    loop {
        let model = decided.model.id.clone();
        let attempt = Attempt { gateway, incoming, inspected: &inspected, decided: &decided };
        let Failure { call: ran, failed: failure } = match attempt.make(call).await {
            Ok(mut response) => {
                // No byte reaches the client before its decision is durable.
                for durable in recorded {
                    durable.wait().await?;
                }
                decided.label(&mut response, failed.len());
                return Ok(response);
            }
            Err(failure) => failure,
        };
        let class = failure.class;
        // A model that was not even asked, for want of words, is one more that cannot take the turn.
        let again = class.counts_against_provider() || failure.unsayable;
        if again {
            failed.push(FailedCandidate { model, class });
        }
        let (status, retries) = (failure.status.map(|status| status.as_u16()), failure.retries);
        let next = Next {
            call: ran,
            failure: CallFailure { class, status, retries, usage: None, raw_usage: None },
            failed: again.then(|| failed.clone()),
        };
        let (next, durable) = decided::next(gateway, &decided, &inspected, next, &lineage).await?;
        recorded.push(durable);
        if let Some(next) = next {
            (decided, call) = next;
            continue;
        }
        for durable in recorded {
            durable.wait().await?;
        }
        let mut response = told(incoming.api, &decided, &failure, &failed);
        decided.label(&mut response, failed.len());
        return Ok(response);
    }
}

/// An attempt that brought no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) call: crate::call::RunningCall,
    pub(crate) failed: Failed,
}
