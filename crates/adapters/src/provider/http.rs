//! [`HttpProvider`], the client of a provider over HTTP.

pub(crate) mod headers;
mod url;

use std::{error::Error, io, time::SystemTime};

use async_trait::async_trait;
use contracts::events::ErrorClass;
use http_body_util::{BodyExt as _, Collected, Full, Limited};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_ENCODING, RETRY_AFTER},
};
use tokio::time::{Instant, sleep, timeout_at};

use super::{Operation, Provider, ResponseStream, UpstreamFailure, UpstreamRequest, UpstreamResponse};
use crate::{
    http_client::HttpClient,
    providers::ProviderConfig,
    redaction::{KeyRedactor, StreamRedactor},
    retry_after,
};

/// Maximum number of bytes that are read of an error response.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Client of one model provider over HTTP, which retries requests.
#[derive(Debug, Clone)]
pub struct HttpProvider {
    /// Configuration of the provider.
    config: ProviderConfig,
    /// Shared HTTP client.
    client: HttpClient,
    /// Source of the retry jitter.
    random: fn() -> u32,
    /// Replaces API keys in everything that is received from the provider.
    keys: KeyRedactor,
}

impl HttpProvider {
    /// Creates a client of the provider that sends its requests over `client`.
    pub fn new(config: ProviderConfig, client: HttpClient) -> Self {
        let keys = KeyRedactor::new(config.credential.secret().map(|secret| secret.plain.as_bytes()));
        Self { config, client, random: || fastrand::u32(..), keys }
    }

    /// Sets the keys that are replaced in responses. Without it, those are the keys of this provider.
    #[must_use]
    pub(crate) fn with_redactor(self, keys: KeyRedactor) -> Self {
        Self { keys, ..self }
    }

    /// Replaces the source of the retry jitter. `random` must return numbers uniformly distributed over all of `u32`.
    #[must_use]
    pub fn with_random(self, random: fn() -> u32) -> Self {
        Self { random, ..self }
    }

    /// Sends a request to the provider without retries. Resolves when the headers of a successful response have
    /// arrived.
    async fn send_once(&self, request: &UpstreamRequest<'_>) -> Result<UpstreamResponse, UpstreamFailure> {
        let timeouts = request.timeouts;
        let http_request = self.http_request(request)?;
        let deadline = Instant::now() + timeouts.first_byte;
        let response = match timeout_at(deadline, self.client.request(http_request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                let class = if is_timeout(&error) { ErrorClass::Timeout } else { ErrorClass::Network };
                return Err(UpstreamFailure::without_response(class));
            }
            Err(_) => return Err(UpstreamFailure::without_response(ErrorClass::Timeout)),
        };
        let status = response.status();
        if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            // It is from a proxy on the way. Passed on, a client could send the login of its own proxy.
            let defect = "has the status 407: a proxy requires a login";
            return Err(UpstreamFailure { status: None, ..UpstreamFailure::invalid_response(status, defect) });
        }
        if status.is_client_error() || status.is_server_error() {
            return Err(self.read_failure(request, response, deadline).await);
        }
        if status != StatusCode::OK {
            let defect = format!("has the status {}", status.as_u16());
            return Err(UpstreamFailure::invalid_response(status, defect));
        }
        if is_compressed(response.headers()) {
            return Err(UpstreamFailure::invalid_response(status, "is compressed, which was not requested"));
        }
        let (mut parts, body) = response.into_parts();
        self.keys.redact_headers(&mut parts.headers);
        let body = ResponseStream::http(body, timeouts.idle, StreamRedactor::new(self.keys.clone()));
        Ok(UpstreamResponse { status: parts.status, headers: parts.headers, body })
    }

    /// Creates the HTTP request for a request to the provider. An unparsable URL is an error of class `InvalidRequest`.
    fn http_request(&self, request: &UpstreamRequest<'_>) -> Result<Request<Full<Bytes>>, UpstreamFailure> {
        let mut http_request = Request::new(Full::new(request.body.clone()));
        if request.operation != Operation::ListModels {
            *http_request.method_mut() = Method::POST;
        }
        // The only untrusted part of the URL is the model name, so a parse failure means that the client sent a bad one.
        let login_url = self.config.login_url.as_ref().filter(|_| headers::is_login(&self.config.credential, request));
        *http_request.uri_mut() = url::request_url(login_url.unwrap_or(&self.config.url), request)
            .parse()
            .map_err(|_| UpstreamFailure::without_response(ErrorClass::InvalidRequest))?;
        *http_request.headers_mut() = headers::request_headers(&self.config.credential, request);
        Ok(http_request)
    }

    /// Reads an error response of the provider and classifies the error. If its body is not complete before `deadline`,
    /// only the status is used.
    async fn read_failure(
        &self,
        request: &UpstreamRequest<'_>,
        response: Response<Incoming>,
        deadline: Instant,
    ) -> UpstreamFailure {
        let (parts, body) = response.into_parts();
        let read = timeout_at(deadline, Limited::new(body, MAX_ERROR_BYTES).collect()).await;
        let body = read.ok().and_then(Result::ok).map(Collected::to_bytes).unwrap_or_default();
        let body = self.keys.redact(body);
        let class = match wire::classify(request.api, parts.status.as_u16(), &body) {
            // A client's own key that is rejected does not count against the provider.
            ErrorClass::Auth if self.config.credential.is_clients_own() => ErrorClass::ClientKey,
            class => class,
        };
        let retry_after =
            parts.headers.get(RETRY_AFTER).and_then(|value| retry_after::retry_after(value, SystemTime::now()));
        // A compressed body cannot be forwarded.
        let body = if is_compressed(&parts.headers) { Bytes::new() } else { body };
        UpstreamFailure { status: Some(parts.status), body, retry_after, ..UpstreamFailure::without_response(class) }
    }
}

#[async_trait]
impl Provider for HttpProvider {
    fn config(&self) -> &ProviderConfig {
        &self.config
    }

    async fn send(&self, request: &UpstreamRequest<'_>) -> Result<UpstreamResponse, UpstreamFailure> {
        let mut retries = 0;
        loop {
            let failure = match self.send_once(request).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let in_time = |pause| request.retry_until.is_none_or(|until| Instant::now() + pause < until);
            match request.retry.pause(retries, failure.retry_after, (self.random)()) {
                Some(pause) if failure.is_temporary() && in_time(pause) => sleep(pause).await,
                _ => return Err(UpstreamFailure { retries, ..failure }),
            }
            retries += 1;
        }
    }
}

/// Returns whether a response has a content encoding, although [`headers`] requests none.
fn is_compressed(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Returns whether an error is a timeout of the connection attempt.
fn is_timeout(error: &hyper_util::client::legacy::Error) -> bool {
    let causes = std::iter::successors(Some(error as &dyn Error), |error| (*error).source());
    let mut io_errors = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    io_errors.any(|error| error.kind() == io::ErrorKind::TimedOut)
}
