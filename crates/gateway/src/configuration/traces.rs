//! Where the spans of turns go, if anywhere: a collector, and the headers by which it knows who sends them.
//!
//! The variables of OpenTelemetry count only under a `traces:` that names no endpoint. They may be meant for another
//! program, and what they hold is a secret of its collector.

use std::fmt;

use adapters::parse_http_url;
use hyper::{
    HeaderMap, Uri,
    header::{HeaderName, HeaderValue},
};
use serde::{Deserialize, Deserializer};

use super::{Configuration, ConfigurationError};

/// Where a collector on this machine listens, by the specification of OTLP.
const USUAL: &str = "http://127.0.0.1:4318";
/// Where a collector takes spans, below its endpoint.
const PATH: &str = "/v1/traces";

const FILE: &str = "traces.endpoint";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"];

/// What the file says of traces.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TracesEntry {
    /// Where the collector is, such as `http://127.0.0.1:4318`; `/v1/traces` is put behind it.
    pub endpoint: Option<String>,
    /// The environment variable that holds the headers to send, as `name=value,name=value`.
    pub headers_env: Option<String>,
}

/// Reads the block: one that says nothing turns traces on as well.
pub(super) fn block<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TracesEntry>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or_default()))
}

/// A collector of traces, ready to be told.
#[derive(Clone)]
pub struct Collector {
    /// Where it takes spans.
    pub(crate) address: Uri,
    /// What it is sent beside them: secret.
    pub(crate) headers: HeaderMap,
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").field("host", &self.host()).finish_non_exhaustive()
    }
}

impl Collector {
    /// The collector that the file asks for; none when it does not speak of traces. `environment` looks up a variable.
    ///
    /// # Errors
    /// [`ConfigurationError::Traces`] for an endpoint or headers that cannot be used.
    pub fn new(
        configuration: &Configuration,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ConfigurationError> {
        let Some(entry) = &configuration.traces else { return Ok(None) };
        // An empty variable counts as none, by the specification.
        let variable = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let address = match (&entry.endpoint, variable(TRACES_ENDPOINT), variable(ENDPOINT)) {
            (Some(endpoint), ..) => below(FILE, endpoint)?,
            (None, Some(whole), _) => parse_http_url(whole.trim()).map_err(|cause| unusable(TRACES_ENDPOINT, cause))?,
            (None, None, Some(endpoint)) => below(ENDPOINT, &endpoint)?,
            (None, None, None) => below(FILE, USUAL)?,
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
            Some((name, value)) => headers_of(&value).map_err(|cause| unusable(name, cause))?,
            None => HeaderMap::new(),
        };
        Ok(Some(Self { address, headers }))
    }

    /// The host and port: all of the address that is said to anyone.
    pub(crate) fn host(&self) -> &str {
        self.address.authority().map_or("", hyper::http::uri::Authority::as_str)
    }
}

fn unusable(key: &str, cause: impl Into<String>) -> ConfigurationError {
    ConfigurationError::Traces { key: key.to_owned(), cause: cause.into() }
}

/// Where a collector takes spans, by its endpoint. One that ends there already is left as it is.
fn below(key: &str, endpoint: &str) -> Result<Uri, ConfigurationError> {
    let endpoint = endpoint.trim();
    parse_http_url(endpoint).map_err(|cause| unusable(key, cause))?;
    if endpoint.contains(['?', '#']) {
        return Err(unusable(key, format!("has more behind its path, where `{PATH}` belongs")));
    }
    let base = endpoint.trim_end_matches('/');
    let base = base.strip_suffix(PATH).unwrap_or(base);
    parse_http_url(&format!("{base}{PATH}")).map_err(|cause| unusable(key, cause))
}

/// Reads `name=value,name=value`, the values percent-encoded. What is wrong is told without what was read.
fn headers_of(text: &str) -> Result<HeaderMap, &'static str> {
    const FORM: &str = "is not `name=value,name=value` with names and values that headers may have";
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or(FORM)?;
        let name: HeaderName = name.trim().parse().map_err(|_| FORM)?;
        let mut value = HeaderValue::from_bytes(&decoded(value.trim()).ok_or(FORM)?).map_err(|_| FORM)?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    Ok(headers)
}

/// Text without its percent-encoding, or none where that is broken.
fn decoded(text: &str) -> Option<Vec<u8>> {
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
