//! [`ScriptedProvider`], a provider for tests that returns prepared responses.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use contracts::WireApi;
use hyper::{HeaderMap, StatusCode, body::Bytes};

use super::{Operation, Provider, ResponseStream, StreamError, UpstreamFailure, UpstreamRequest, UpstreamResponse};
use crate::providers::ProviderConfig;

/// Chunks of a prepared response.
type Chunks = Vec<Result<Bytes, StreamError>>;

/// A provider for tests that returns prepared responses in order and records the requests it receives.
#[derive(Debug)]
pub struct ScriptedProvider {
    /// Configuration of the provider.
    config: ProviderConfig,
    /// Prepared responses that were not returned yet.
    script: Mutex<VecDeque<Result<Chunks, UpstreamFailure>>>,
    /// Received requests.
    sent: Mutex<Vec<SentRequest>>,
}

/// A request that a [`ScriptedProvider`] received, for the assertions of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    /// The wire API of the request.
    pub api: WireApi,
    /// Whether the request generates a response or counts tokens.
    pub operation: Operation,
    /// The name of the model at the provider.
    pub model: String,
    /// Whether a stream was requested.
    pub stream: bool,
    /// The body of the request.
    pub body: Bytes,
}

impl ScriptedProvider {
    /// Creates a provider without prepared responses.
    pub const fn new(config: ProviderConfig) -> Self {
        Self { config, script: Mutex::new(VecDeque::new()), sent: Mutex::new(Vec::new()) }
    }

    /// Prepares a response of status 200 with these chunks, to be returned after the ones prepared before. An error
    /// among the chunks ends the stream.
    pub fn respond(&self, chunks: impl IntoIterator<Item = Result<Bytes, StreamError>>) {
        lock(&self.script).push_back(Ok(chunks.into_iter().collect()));
    }

    /// Prepares a failure, to be returned after the responses prepared before.
    pub fn fail(&self, failure: UpstreamFailure) {
        lock(&self.script).push_back(Err(failure));
    }

    /// Returns the requests received so far, oldest first.
    pub fn sent(&self) -> Vec<SentRequest> {
        lock(&self.sent).clone()
    }
}

#[async_trait]
impl Provider for ScriptedProvider {
    fn config(&self) -> &ProviderConfig {
        &self.config
    }

    /// Returns the next prepared response or failure, without retries; [`UpstreamFailure`] of class `other` if none is
    /// left.
    async fn send(&self, request: &UpstreamRequest<'_>) -> Result<UpstreamResponse, UpstreamFailure> {
        let UpstreamRequest { api, operation, stream, .. } = *request;
        let (model, body) = (request.model.to_owned(), request.body.clone());
        lock(&self.sent).push(SentRequest { api, operation, model, stream, body });
        let next_response = lock(&self.script).pop_front();
        let exhausted_script = || Err(UpstreamFailure::without_response(contracts::events::ErrorClass::Other));
        let body = ResponseStream::from_chunks(next_response.unwrap_or_else(exhausted_script)?);
        Ok(UpstreamResponse { status: StatusCode::OK, headers: HeaderMap::new(), body })
    }
}

/// Locks a mutex, ignoring poisoning: a test that panicked while holding it has already failed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
