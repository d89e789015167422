//! [`OpenAiEmbedder`], a client for the embeddings API of `OpenAI`.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{
    Request, Response, Uri,
    body::{Bytes, Incoming},
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use hyper_util::client::legacy::ResponseFuture;
use serde::Serialize;
use tokio::time::{sleep, timeout};

use super::{EmbedError, Embedder, MAX_RESPONSE_BYTES, MAX_TEXT_BYTES, MAX_TEXTS, response};
use crate::{USER_AGENT_VALUE, http_client::HttpClient, retry::RetryBudget, retry_after::retry_after};

/// Time limit and retries of requests to an embeddings endpoint. The default is 30 seconds for each attempt, and two
/// retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Time limit for one attempt: the request and its complete response.
    pub whole: Duration,
    /// Retries after the statuses 429 and 5xx.
    pub retry: RetryBudget,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            whole: Duration::from_secs(30),
            retry: RetryBudget {
                retries: 2,
                backoff: Duration::from_millis(500),
                longest_pause: Duration::from_secs(30),
            },
        }
    }
}

/// Client for an endpoint with the embeddings API of `OpenAI`. Requires a tokio runtime with time and network.
///
/// Redirections are not followed, so texts and key are only sent to the configured host.
pub struct OpenAiEmbedder {
    /// URL of the endpoint, including `/embeddings`.
    endpoint: Uri,
    /// Name of the model.
    model: String,
    /// Value of the `Authorization` header; `None` if no key is configured.
    key: Option<HeaderValue>,
    /// Shared HTTP client.
    client: HttpClient,
    /// Time limit and retries.
    timeouts: Timeouts,
}

impl std::fmt::Debug for OpenAiEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (endpoint, model) = (&self.endpoint, &self.model);
        f.debug_struct("OpenAiEmbedder").field("endpoint", endpoint).field("model", model).finish_non_exhaustive()
    }
}

/// Layout of the JSON body of a request for embeddings.
#[derive(Serialize)]
struct Body<'a> {
    /// Name of the model.
    model: &'a str,
    /// Texts to embed.
    input: Vec<&'a str>,
    /// Always `float`.
    encoding_format: &'static str,
}

/// Result of one attempt: the response, or a temporary error after which the request is retried.
enum Attempt {
    /// The body of a successful response.
    Succeeded(Bytes),
    /// A temporary error: the HTTP status, and the pause in `Retry-After` if the endpoint sent one.
    Busy(u16, Option<Duration>),
}

impl OpenAiEmbedder {
    /// Creates an embedder whose API key is in the environment variable `key_env`; it sends no key if that is `None`.
    /// The other parameters are those of [`OpenAiEmbedder::new`].
    ///
    /// # Errors
    /// [`EmbedError::KeyUnset`] if the variable is not set or blank; otherwise those of [`OpenAiEmbedder::new`].
    pub fn with_key_env(
        url: &str,
        model: &str,
        key_env: Option<&str>,
        client: HttpClient,
        timeouts: Timeouts,
    ) -> Result<Self, EmbedError> {
        let key = match key_env {
            None => None,
            Some(name) => {
                let key = std::env::var(name).ok().filter(|key| !key.trim().is_empty());
                Some(key.ok_or_else(|| EmbedError::KeyUnset { name: name.to_owned() })?)
            }
        };
        Self::new(url, model, key.as_deref().map(str::trim), client, timeouts)
    }

    /// Creates an embedder for `model` at `url`, to which `/embeddings` is appended. `key` is sent as a bearer token;
    /// `None` sends none. Opens no connection.
    ///
    /// # Errors
    /// [`EmbedError::Address`] for a URL that is invalid, not http or https, or contains a user or password;
    /// [`EmbedError::Key`] for a key with characters that no header may have.
    pub fn new(
        url: &str,
        model: &str,
        key: Option<&str>,
        client: HttpClient,
        timeouts: Timeouts,
    ) -> Result<Self, EmbedError> {
        if url.contains('@') {
            let (endpoint, cause) = ("an address with a user or a password", "a key goes into `embedding.key_env`");
            return Err(EmbedError::Address { endpoint: endpoint.to_owned(), cause: cause.to_owned() });
        }
        let endpoint = format!("{}/embeddings", url.trim_end_matches('/'));
        let address_error = |cause: String| EmbedError::Address { endpoint: endpoint.clone(), cause };
        let uri: Uri =
            endpoint.parse().map_err(|error: hyper::http::uri::InvalidUri| address_error(error.to_string()))?;
        let key = match key.map(|key| HeaderValue::from_str(&format!("Bearer {key}"))) {
            Some(Ok(mut value)) => {
                value.set_sensitive(true);
                Some(value)
            }
            Some(Err(_)) => return Err(EmbedError::Key { endpoint }),
            None => None,
        };
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(address_error("it starts with neither `http://` nor `https://`".to_owned()));
        }
        Ok(Self { endpoint: uri, model: model.to_owned(), key, client, timeouts })
    }

    /// Returns the URL of the endpoint for error messages.
    fn endpoint_url(&self) -> String {
        self.endpoint.to_string()
    }

    /// Creates the error for a response that is not a valid list of embeddings.
    fn malformed(&self, problem: String) -> EmbedError {
        EmbedError::Malformed { endpoint: self.endpoint_url(), problem }
    }

    /// Requests the embeddings of texts with one request, with retries while the endpoint is busy. `texts` must not
    /// exceed [`MAX_TEXTS`]; each is cut to [`MAX_TEXT_BYTES`] at a character boundary.
    ///
    /// # Errors
    /// Any error but [`EmbedError::KeyUnset`] and [`EmbedError::Key`]. Timeouts and connection errors are not retried.
    async fn send_batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let input = texts.iter().map(|text| &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]).collect();
        let body = Body { model: &self.model, input, encoding_format: "float" };
        // Strings always encode.
        let body = Bytes::from(serde_json::to_vec(&body).unwrap_or_default());
        let mut tries = 0;
        loop {
            let retry = tries;
            tries += 1;
            let attempt = timeout(self.timeouts.whole, self.try_once(body.clone(), tries)).await;
            let timed_out = || EmbedError::Timeout { endpoint: self.endpoint_url(), after: self.timeouts.whole };
            match attempt.map_err(|_| timed_out())?? {
                Attempt::Succeeded(bytes) => {
                    return response::parse_embeddings(&bytes, texts.len()).map_err(|problem| self.malformed(problem));
                }
                Attempt::Busy(status, retry_after) => {
                    match self.timeouts.retry.pause(retry, retry_after, fastrand::u32(..)) {
                        Some(pause) => sleep(pause).await,
                        None => return Err(EmbedError::Refused { endpoint: self.endpoint_url(), status, tries }),
                    }
                }
            }
        }
    }

    /// Sends one request for embeddings and classifies its response. `tries` is the number of the attempt, from 1, for
    /// the error.
    async fn try_once(&self, body: Bytes, tries: u32) -> Result<Attempt, EmbedError> {
        let response = self.request(body)?.await;
        let response = response.map_err(|error| self.unreachable(&error))?;
        let status = response.status().as_u16();
        match status {
            200..300 => self.read_body(response).await.map(Attempt::Succeeded),
            429 | 500.. => {
                let header = response.headers().get(RETRY_AFTER);
                Ok(Attempt::Busy(status, header.and_then(|value| retry_after(value, SystemTime::now()))))
            }
            _ => Err(EmbedError::Refused { endpoint: self.endpoint_url(), status, tries }),
        }
    }

    /// Creates an HTTP request with this body and starts to send it. The future resolves when the head of the response
    /// has arrived.
    fn request(&self, body: Bytes) -> Result<ResponseFuture, EmbedError> {
        let mut request = Request::post(&self.endpoint)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, USER_AGENT_VALUE);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key);
        }
        let request = request
            .body(Full::new(body))
            .map_err(|error| EmbedError::Address { endpoint: self.endpoint_url(), cause: error.to_string() })?;
        Ok(self.client.request(request))
    }

    /// Reads the complete body of an HTTP response of the embeddings endpoint.
    ///
    /// # Errors
    /// [`EmbedError::Oversize`] beyond [`MAX_RESPONSE_BYTES`]; [`EmbedError::Unreachable`] if the connection is
    /// interrupted.
    async fn read_body(&self, response: Response<Incoming>) -> Result<Bytes, EmbedError> {
        let body_result = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        match body_result {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                Err(EmbedError::Oversize { endpoint: self.endpoint_url(), max_bytes: MAX_RESPONSE_BYTES })
            }
            Err(error) => Err(self.unreachable(error.as_ref())),
        }
    }

    /// Creates the error for a failed connection to the endpoint, with the innermost cause, which is the most specific.
    fn unreachable(&self, error: &(dyn std::error::Error + 'static)) -> EmbedError {
        let mut innermost_cause = error;
        while let Some(cause) = innermost_cause.source() {
            innermost_cause = cause;
        }
        EmbedError::Unreachable { endpoint: self.endpoint_url(), cause: innermost_cause.to_string() }
    }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    fn name(&self) -> &str {
        &self.model
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut embeddings = Vec::with_capacity(texts.len());
        for texts in texts.chunks(MAX_TEXTS) {
            embeddings.extend(self.send_batch(texts).await?);
        }
        response::check_dimensions(&embeddings).map_err(|problem| self.malformed(problem))?;
        Ok(embeddings)
    }
}
