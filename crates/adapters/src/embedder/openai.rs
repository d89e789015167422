//! [`OpenAiEmbedder`], a client for the embeddings API of `OpenAI`.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{
    Request, Response, Uri,
    body::{Bytes, Incoming},
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, ResponseFuture, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::Serialize;
use tokio::time::{sleep, timeout};

use super::{EmbedError, Embedder, MOST_ANSWER_BYTES, MOST_TEXT_BYTES, MOST_TEXTS, answer};

/// Maximum number of attempts at a busy endpoint.
const TRIES: u32 = 3;

/// Timeouts and pauses of requests to an embeddings endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Time limit for opening a connection.
    pub connect: Duration,
    /// Time limit for a request and its complete response.
    pub whole: Duration,
    /// Pause before the first retry, if the endpoint states none; doubled before the second.
    pub pause: Duration,
    /// Maximum pause that an endpoint may request; after a longer one the request is not retried.
    pub longest_pause: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            whole: Duration::from_secs(30),
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
        }
    }
}

/// Client for an endpoint with the embeddings API of `OpenAI`. Requires a tokio runtime with time and network.
///
/// Redirections are not followed, so texts and key are only sent to the configured host.
pub struct OpenAiEmbedder {
    /// URL of the endpoint.
    endpoint: Uri,
    /// Name of the model.
    model: String,
    /// Value of the `Authorization` header, if a key is configured.
    key: Option<HeaderValue>,
    /// HTTP client of the endpoint.
    client: AnyClient,
    /// Timeouts and pauses.
    timeouts: Timeouts,
}

impl std::fmt::Debug for OpenAiEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (endpoint, model) = (&self.endpoint, &self.model);
        f.debug_struct("OpenAiEmbedder").field("endpoint", endpoint).field("model", model).finish_non_exhaustive()
    }
}

/// An HTTP client, with TLS and the system's certificate authorities or without.
enum AnyClient {
    /// For http URLs.
    Plain(Client<HttpConnector, Full<Bytes>>),
    /// For https URLs.
    Tls(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// Layout of the body of a request for embeddings.
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
enum Tried {
    /// The body of a successful response.
    Answered(Bytes),
    /// A temporary error: status and requested pause, if any.
    Busy(u16, Option<Duration>),
}

impl OpenAiEmbedder {
    /// Creates a client for `model` at `url`, to which `/embeddings` is appended. `key` is sent as a bearer token.
    ///
    /// # Errors
    /// [`EmbedError::Address`] for an unusable URL, [`EmbedError::Key`] for an invalid key.
    pub fn new(url: &str, model: &str, key: Option<&str>, timeouts: Timeouts) -> Result<Self, EmbedError> {
        if url.contains('@') {
            let (endpoint, cause) = ("an address with a user or a password", "a key goes into `embedding.key_env`");
            return Err(EmbedError::Address { endpoint: endpoint.to_owned(), cause: cause.to_owned() });
        }
        let endpoint = format!("{}/embeddings", url.trim_end_matches('/'));
        let unusable = |cause: String| EmbedError::Address { endpoint: endpoint.clone(), cause };
        let uri: Uri = endpoint.parse().map_err(|error: hyper::http::uri::InvalidUri| unusable(error.to_string()))?;
        let key = match key.map(|key| HeaderValue::from_str(&format!("Bearer {key}"))) {
            Some(Ok(mut value)) => {
                value.set_sensitive(true);
                Some(value)
            }
            Some(Err(_)) => return Err(EmbedError::Key { endpoint }),
            None => None,
        };
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(timeouts.connect));
        let builder = Client::builder(TokioExecutor::new());
        let client = match uri.scheme_str() {
            Some("http") => AnyClient::Plain(builder.build(connector)),
            Some("https") => {
                connector.enforce_http(false);
                let roots = HttpsConnectorBuilder::new().with_native_roots();
                let roots = roots.map_err(|error| unusable(format!("no certificate authorities: {error}")))?;
                AnyClient::Tls(builder.build(roots.https_only().enable_http1().wrap_connector(connector)))
            }
            _ => return Err(unusable("it starts with neither `http://` nor `https://`".to_owned())),
        };
        Ok(Self { endpoint: uri, model: model.to_owned(), key, client, timeouts })
    }

    fn name_of_endpoint(&self) -> String {
        self.endpoint.to_string()
    }

    fn malformed(&self, problem: String) -> EmbedError {
        EmbedError::Malformed { endpoint: self.name_of_endpoint(), problem }
    }

    /// Sends one request and returns the embeddings, with retries while the endpoint is busy. `texts` must not exceed
    /// [`MOST_TEXTS`].
    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let input = texts.iter().map(|text| &text[..text.floor_char_boundary(MOST_TEXT_BYTES)]).collect();
        let body = Body { model: &self.model, input, encoding_format: "float" };
        // Strings always encode.
        let body = Bytes::from(serde_json::to_vec(&body).unwrap_or_default());
        let (mut pause, mut tries) = (self.timeouts.pause, 0);
        loop {
            tries += 1;
            let tried = timeout(self.timeouts.whole, self.try_once(body.clone(), tries)).await;
            let slow = || EmbedError::Slow { endpoint: self.name_of_endpoint(), after: self.timeouts.whole };
            match tried.map_err(|_| slow())?? {
                Tried::Answered(bytes) => {
                    return answer::read(&bytes, texts.len()).map_err(|problem| self.malformed(problem));
                }
                Tried::Busy(status, wanted) => {
                    let next = wanted.unwrap_or(pause);
                    if tries == TRIES || self.timeouts.longest_pause < next {
                        return Err(EmbedError::Refused { endpoint: self.name_of_endpoint(), status, tries });
                    }
                    sleep(next).await;
                    pause *= 2;
                }
            }
        }
    }

    /// Sends one request and classifies its response. `tries` is the number of the attempt.
    async fn try_once(&self, body: Bytes, tries: u32) -> Result<Tried, EmbedError> {
        let answer = self.request(body)?.await;
        let answer = answer.map_err(|error| self.unreachable(&error))?;
        let status = answer.status().as_u16();
        match status {
            200..300 => self.whole(answer).await.map(Tried::Answered),
            429 | 500.. => {
                let wanted = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
                Ok(Tried::Busy(status, wanted.map(Duration::from_secs)))
            }
            _ => Err(EmbedError::Refused { endpoint: self.name_of_endpoint(), status, tries }),
        }
    }

    /// Creates the request and starts sending it.
    fn request(&self, body: Bytes) -> Result<ResponseFuture, EmbedError> {
        let mut request = Request::post(&self.endpoint)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("turnwise/", env!("CARGO_PKG_VERSION")));
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key);
        }
        let request = request
            .body(Full::new(body))
            .map_err(|error| EmbedError::Address { endpoint: self.name_of_endpoint(), cause: error.to_string() })?;
        Ok(match &self.client {
            AnyClient::Plain(client) => client.request(request),
            AnyClient::Tls(client) => client.request(request),
        })
    }

    /// Reads a complete response body of at most [`MOST_ANSWER_BYTES`].
    async fn whole(&self, answer: Response<Incoming>) -> Result<Bytes, EmbedError> {
        let collected = Limited::new(answer.into_body(), MOST_ANSWER_BYTES).collect().await;
        match collected {
            Ok(whole) => Ok(whole.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                Err(EmbedError::Oversize { endpoint: self.name_of_endpoint(), most: MOST_ANSWER_BYTES })
            }
            Err(error) => Err(self.unreachable(error.as_ref())),
        }
    }

    /// Creates the error for a failed connection, with the innermost cause, which is the most specific.
    fn unreachable(&self, error: &(dyn std::error::Error + 'static)) -> EmbedError {
        let mut innermost = error;
        while let Some(cause) = innermost.source() {
            innermost = cause;
        }
        EmbedError::Unreachable { endpoint: self.name_of_endpoint(), cause: innermost.to_string() }
    }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    fn name(&self) -> &str {
        &self.model
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut directions = Vec::with_capacity(texts.len());
        for texts in texts.chunks(MOST_TEXTS) {
            directions.extend(self.ask(texts).await?);
        }
        answer::same_dimensions(&directions).map_err(|problem| self.malformed(problem))?;
        Ok(directions)
    }
}
