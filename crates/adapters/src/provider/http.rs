//! [`HttpProvider`], the client of a provider over HTTP.

mod headers;
mod url;

use std::{error::Error, io, time::SystemTime};

use async_trait::async_trait;
use contracts::events::ErrorClass;
use http_body_util::{BodyExt as _, Collected, Full, Limited};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
    header::RETRY_AFTER,
};
use tokio::time::{Instant, sleep, timeout_at};

use super::{Provider, ResponseStream, UpstreamFailure, UpstreamRequest, UpstreamResponse};
use crate::{http_client::HttpClient, providers::ProviderConfig, retry_after};

/// Maximum number of bytes that are read of an error response.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Client of one provider over HTTP, with retries.
#[derive(Debug, Clone)]
pub struct HttpProvider {
    /// Configuration of the provider.
    config: ProviderConfig,
    /// Shared HTTP client.
    client: HttpClient,
    /// Source of the retry jitter.
    random: fn() -> u32,
}

impl HttpProvider {
    /// Creates a client of the provider that sends its requests over `client`.
    pub fn new(config: ProviderConfig, client: HttpClient) -> Self {
        Self { config, client, random: || fastrand::u32(..) }
    }

    /// Replaces the source of the retry jitter. `random` must return numbers uniformly distributed over all of `u32`.
    #[must_use]
    pub fn with_random(self, random: fn() -> u32) -> Self {
        Self { random, ..self }
    }

    /// Sends a request without retries, and resolves when the headers of a successful response have arrived.
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
        if !response.status().is_success() {
            return Err(self.read_failure(request, response, deadline).await);
        }
        let (parts, body) = response.into_parts();
        let body = ResponseStream::http(body, timeouts.idle);
        Ok(UpstreamResponse { status: parts.status, headers: parts.headers, body })
    }

    /// Creates the HTTP request. An unparsable URL is an error of class `InvalidRequest`.
    fn http_request(&self, request: &UpstreamRequest<'_>) -> Result<Request<Full<Bytes>>, UpstreamFailure> {
        let mut http_request = Request::new(Full::new(request.body.clone()));
        *http_request.method_mut() = Method::POST;
        // The only untrusted part of the URL is the model name, so a parse failure means that the client sent a bad one.
        let login_url = self.config.login_url.as_ref().filter(|_| headers::is_login(&self.config.credential, request));
        *http_request.uri_mut() = url::request_url(login_url.unwrap_or(&self.config.url), request)
            .parse()
            .map_err(|_| UpstreamFailure::without_response(ErrorClass::InvalidRequest))?;
        *http_request.headers_mut() = headers::request_headers(&self.config.credential, request);
        Ok(http_request)
    }

    /// Reads and classifies an error response. If its body is not complete before `deadline`, only the status is used.
    async fn read_failure(
        &self,
        request: &UpstreamRequest<'_>,
        response: Response<Incoming>,
        deadline: Instant,
    ) -> UpstreamFailure {
        let (parts, body) = response.into_parts();
        let read = timeout_at(deadline, Limited::new(body, MAX_ERROR_BYTES).collect()).await;
        let body = read.ok().and_then(Result::ok).map(Collected::to_bytes).unwrap_or_default();
        let class = match wire::classify(request.api, parts.status.as_u16(), &body) {
            // A client's own key that is rejected does not count against the provider.
            ErrorClass::Auth if self.config.credential.is_clients_own() => ErrorClass::ClientKey,
            class => class,
        };
        let retry_after =
            parts.headers.get(RETRY_AFTER).and_then(|value| retry_after::retry_after(value, SystemTime::now()));
        UpstreamFailure { class, status: Some(parts.status), retries: 0, body, retry_after }
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

/// Returns whether an error is a timeout of the connection attempt.
fn is_timeout(error: &hyper_util::client::legacy::Error) -> bool {
    let causes = std::iter::successors(Some(error as &dyn Error), |error| (*error).source());
    let mut io_errors = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    io_errors.any(|error| error.kind() == io::ErrorKind::TimedOut)
}
