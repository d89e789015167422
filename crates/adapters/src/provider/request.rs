//! [`UpstreamRequest`], a request to a provider.

use std::time::Duration;

use contracts::WireApi;
use hyper::{HeaderMap, body::Bytes};
use tokio::time::Instant;

use crate::retry::RetryBudget;

/// A request to a provider, in one of the wire APIs it accepts. [`Provider::send`](super::Provider::send) sends it.
#[derive(Debug, Clone)]
pub struct UpstreamRequest<'a> {
    /// The API of `body`.
    pub api: WireApi,
    /// The endpoint of the API.
    pub operation: Operation,
    /// The provider's name of the model. Gemini's URLs contain it.
    pub model: &'a str,
    /// Whether the response is to be a stream of events. Gemini's URLs contain it.
    pub stream: bool,
    /// The JSON body. Retries share it.
    pub body: Bytes,
    /// The client's request, if it is forwarded in the API in which it was received; `None` for a converted request and
    /// for one of turnwise's own.
    pub client: Option<ClientRequestParts<'a>>,
    /// Time limits of the response.
    pub timeouts: ResponseTimeouts,
    /// Limits of retries.
    pub retry: RetryBudget,
    /// The time after which no retry starts; `None` without such a limit.
    pub retry_until: Option<Instant>,
}

/// The parts of a client's HTTP request that are forwarded to the provider beside its body.
#[derive(Debug, Clone, Copy)]
pub struct ClientRequestParts<'a> {
    /// The headers. Those of the connection and of turnwise are not forwarded, nor are keys if turnwise has one.
    pub headers: &'a HeaderMap,
    /// The query of the URL, without the question mark.
    pub query: Option<&'a str>,
}

/// An endpoint of a wire API: generation, counting of tokens, embeddings, or the list of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Generates a response.
    Generate,
    /// Counts the tokens of a prompt. Only the Messages API of Anthropic has this endpoint here.
    CountTokens,
    /// Computes embeddings. Only the Chat Completions API of `OpenAI` has this endpoint here.
    Embed,
    /// Lists the models: a `GET` without a body. Only `OpenAI`'s Responses API has this endpoint here.
    ListModels,
}

/// Time limits of a response: to its headers, and between chunks of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseTimeouts {
    /// From sending the request to the response's headers. Includes connecting and, for an error, reading its body.
    pub first_byte: Duration,
    /// Between two chunks of the body.
    pub idle: Duration,
}
