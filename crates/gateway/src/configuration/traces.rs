//! The configuration of the collector that spans are exported to: its URL, and the headers that authenticate the
//! gateway.
//!
//! The environment variables of OpenTelemetry are used only if the block `traces:` exists and names no endpoint.
//! Otherwise they may be meant for another program, and their headers are a secret of its collector.

use std::fmt;

use adapters::parse_http_url;
use hyper::{
    HeaderMap, Uri,
    header::{HeaderName, HeaderValue},
};
use serde::{Deserialize, Deserializer};

use super::{Configuration, ConfigurationError};

/// The URL of a collector on this machine, as specified by OTLP.
const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:4318";
/// The path of the endpoint for spans, which OTLP specifies.
const TRACES_PATH: &str = "/v1/traces";

/// The key of the endpoint in `gateway.yaml`, for error messages.
const ENDPOINT_KEY: &str = "traces.endpoint";
/// The environment variable with the complete URL for spans.
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
/// The environment variable with the base URL for all signals, to which the path for spans is appended.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// The environment variables with the headers of requests; the first that is set is used.
const HEADERS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"];

/// The block `traces` of `gateway.yaml`: the collector to which the spans of turns are exported.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TracesEntry {
    /// The base URL of the collector, such as `http://127.0.0.1:4318`; `/v1/traces` is appended.
    pub endpoint: Option<String>,
    /// The name of the environment variable with the headers to send, as `name=value,name=value`.
    pub headers_env: Option<String>,
}

/// Deserializes the value of the key `traces`. An empty value enables traces with the defaults. Without the key the
/// configuration is `None`, and this function is not called.
pub(super) fn block<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TracesEntry>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or_default()))
}

/// The endpoint of an OpenTelemetry collector for spans, with the headers that authenticate the gateway. The `Debug`
/// output contains only the host.
#[derive(Clone)]
pub struct Collector {
    /// The URL that accepts spans.
    pub(crate) url: Uri,
    /// The headers of every request. They are secret.
    pub(crate) headers: HeaderMap,
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").field("host", &self.host()).finish_non_exhaustive()
    }
}

impl Collector {
    /// Resolves the collector from the configuration; `None` without the block `traces`. `environment` looks up an
    /// environment variable.
    ///
    /// The endpoint is the first of: `endpoint` of the block, the variable for spans, the variable for all signals,
    /// port 4318 of this machine. The headers are those in the variable that `headers_env` names; without `headers_env`
    /// and `endpoint`, those in the variables of OpenTelemetry.
    ///
    /// # Errors
    /// [`ConfigurationError::Traces`] if the endpoint or the headers are invalid, or the variable that `headers_env`
    /// names is not set.
    pub fn new(
        configuration: &Configuration,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ConfigurationError> {
        let Some(entry) = &configuration.traces else { return Ok(None) };
        // By the specification an empty variable counts as unset.
        let variable = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let url = match (&entry.endpoint, variable(TRACES_ENDPOINT), variable(ENDPOINT)) {
            (Some(endpoint), ..) => traces_url(ENDPOINT_KEY, endpoint)?,
            (None, Some(complete_url), _) => {
                parse_http_url(complete_url.trim()).map_err(|cause| unusable(TRACES_ENDPOINT, cause))?
            }
            (None, None, Some(endpoint)) => traces_url(ENDPOINT, &endpoint)?,
            (None, None, None) => traces_url(ENDPOINT_KEY, DEFAULT_ENDPOINT)?,
        };
        let headers = match &entry.headers_env {
            Some(name) => {
                let cause = || format!("names `{name}`, which is not set");
                let value = variable(name).ok_or_else(|| unusable("traces.headers_env", cause()))?;
                Some((name.as_str(), value))
            }
            None if entry.endpoint.is_some() => None,
            None => HEADERS.iter().find_map(|name| Some((*name, variable(name)?))),
        };
        let headers = match headers {
            Some((name, value)) => parse_headers(&value).map_err(|cause| unusable(name, cause))?,
            None => HeaderMap::new(),
        };
        Ok(Some(Self { url, headers }))
    }

    /// Returns host and port of the collector: the only part of its URL that is logged.
    pub(crate) fn host(&self) -> &str {
        self.url.authority().map_or("", hyper::http::uri::Authority::as_str)
    }
}

/// Creates the error for the value of `key`, a key in the file or an environment variable.
fn unusable(key: &str, cause: impl Into<String>) -> ConfigurationError {
    ConfigurationError::Traces { key: key.to_owned(), cause: cause.into() }
}

/// Appends the path for spans to the URL of a collector, unless the URL already ends with it. `key` is the name of the
/// setting, for errors.
///
/// # Errors
/// [`ConfigurationError::Traces`] if the endpoint is not an http or https URL, or has a user, a query or a fragment.
fn traces_url(key: &str, endpoint: &str) -> Result<Uri, ConfigurationError> {
    let endpoint = endpoint.trim();
    parse_http_url(endpoint).map_err(|cause| unusable(key, cause))?;
    if endpoint.contains(['?', '#']) {
        return Err(unusable(key, format!("has more behind its path, where `{TRACES_PATH}` belongs")));
    }
    let base = endpoint.trim_end_matches('/');
    let base = base.strip_suffix(TRACES_PATH).unwrap_or(base);
    parse_http_url(&format!("{base}{TRACES_PATH}")).map_err(|cause| unusable(key, cause))
}

/// Parses HTTP headers from `name=value,name=value` with percent-encoded values, and marks the values as sensitive. The
/// error does not contain the text, which is secret.
fn parse_headers(text: &str) -> Result<HeaderMap, &'static str> {
    /// The error message for any text in another format.
    const FORM: &str = "is not `name=value,name=value` with names and values that headers may have";
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or(FORM)?;
        let name: HeaderName = name.trim().parse().map_err(|_| FORM)?;
        let mut value = HeaderValue::from_bytes(&percent_decode(value.trim()).ok_or(FORM)?).map_err(|_| FORM)?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    Ok(headers)
}

/// Decodes a percent-encoded text to bytes; `None` if a `%` is not followed by two hexadecimal digits.
fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    let digit = |byte: u8| char::from(byte).to_digit(16);
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
            decoded.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    Some(decoded)
}

#[cfg(test)]
mod tests;
