//! `gateway.yaml`: address, TLS, providers, timeouts, limits and traces. Everything has a default.

mod traces;

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use adapters::{KeyError, ProviderEntry, ProviderError, ResponseTimeouts, RetryBudget};
use serde::Deserialize;

pub use traces::{Collector, TracesEntry};

/// The largest accepted file, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// The default address to listen on.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:4141";

/// The content of `gateway.yaml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Configuration {
    /// The address to listen on, such as `127.0.0.1:4141`; port 0 takes any free port.
    pub listen: Option<SocketAddr>,
    /// Host names that clients may use in the `Host` header, in addition to the address.
    pub hosts: Vec<String>,
    /// Certificate and private key for TLS; `None` for plain HTTP.
    pub tls: Option<Tls>,
    /// Additional providers, and changes to built-in ones, by name.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// Timeouts and retries.
    pub timeouts: Timeouts,
    /// Limits of requests, responses and connections.
    pub limits: Limits,
    /// Where the spans of turns are exported to; `None` without the block.
    #[serde(deserialize_with = "traces::block")]
    pub traces: Option<TracesEntry>,
}

/// A certificate for TLS. Both files are PEM.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate chain, the server's certificate first.
    pub certificate: PathBuf,
    /// The private key; only the owner may have access to the file.
    pub key: PathBuf,
}

/// Timeouts and retries. The fields that end in `_ms` are milliseconds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// To connect to a provider.
    pub connect_ms: u64,
    /// From a request to a provider to the first byte of its response.
    pub first_byte_ms: u64,
    /// Between two chunks of a response.
    pub idle_ms: u64,
    /// To receive a request from a client.
    pub request_ms: u64,
    /// The most retries of a request to a busy provider.
    pub retries: u32,
    /// The pause before the first retry; it doubles with each further one. Up to half of it is random.
    pub backoff_ms: u64,
    /// The longest pause that a provider may request. If it requests a longer one, the next model of the chain is used
    /// instead.
    pub longest_backoff_ms: u64,
    /// How long a request whose models all refuse is tried, from its arrival: after it no retry and no other model is
    /// started, and the client gets an error. A call that a provider has accepted may take longer.
    pub refusals_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_ms: 10_000,
            // A large model may think for minutes before its first byte.
            first_byte_ms: 300_000,
            idle_ms: 300_000,
            request_ms: 60_000,
            retries: 2,
            backoff_ms: 250,
            longest_backoff_ms: 5_000,
            refusals_ms: 20_000,
        }
    }
}

impl Timeouts {
    pub(crate) const fn connect(&self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    pub(crate) const fn response(&self) -> ResponseTimeouts {
        ResponseTimeouts { first_byte: self.first_byte(), idle: self.idle() }
    }

    pub(crate) const fn retry(&self) -> RetryBudget {
        RetryBudget {
            retries: self.retries,
            backoff: Duration::from_millis(self.backoff_ms),
            longest_pause: Duration::from_millis(self.longest_backoff_ms),
        }
    }

    pub(crate) const fn first_byte(&self) -> Duration {
        Duration::from_millis(self.first_byte_ms)
    }

    pub(crate) const fn refusals(&self) -> Duration {
        Duration::from_millis(self.refusals_ms)
    }

    pub(crate) const fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    pub(crate) const fn request(&self) -> Duration {
        Duration::from_millis(self.request_ms)
    }
}

/// Limits of requests, responses and connections.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest request body, in bytes.
    pub body_bytes: usize,
    /// The largest non-streaming response that is converted, in bytes.
    pub answer_bytes: usize,
    /// The most headers in a request.
    pub headers: usize,
    /// The most simultaneous connections.
    pub connections: usize,
    /// How long running requests may continue after the gateway stops accepting connections, in milliseconds.
    pub shutdown_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 64 * 1024 * 1024,
            answer_bytes: 64 * 1024 * 1024,
            headers: 100,
            connections: 16_384,
            shutdown_ms: 10_000,
        }
    }
}

/// The error of loading `gateway.yaml` and the files it names.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// The file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is larger than the limit.
    #[error("`{path}` has {bytes} bytes, the most is {MAX_BYTES}")]
    Large {
        /// The path of the file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: usize,
    },
    /// The file is invalid.
    #[error("`{path}` cannot be used: {cause}")]
    Content {
        /// The path of the file.
        path: PathBuf,
        /// The problem, with its line.
        cause: String,
    },
    /// The configuration of a provider is invalid.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The configuration of traces is invalid.
    #[error("traces cannot be sent: `{key}` {cause}")]
    Traces {
        /// The key in the file, or the environment variable.
        key: String,
        /// The problem, without the value, which may be secret.
        cause: String,
    },
    /// The file of keys or tokens is invalid.
    #[error(transparent)]
    Keys(#[from] KeyError),
}

impl Configuration {
    /// Loads and parses the file. A missing file results in the defaults.
    ///
    /// # Errors
    /// [`ConfigurationError`] if the file cannot be read or is invalid.
    pub fn load(path: &Path) -> Result<Self, ConfigurationError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ConfigurationError::Read { path: path.to_owned(), source }),
        };
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigurationError> {
        if MAX_BYTES < text.len() {
            return Err(ConfigurationError::Large { path: path.to_owned(), bytes: text.len() });
        }
        // A file with comments only is no YAML mapping.
        if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
            return Ok(Self::default());
        }
        let options = serde_saphyr::options! {
            budget: serde_saphyr::budget! { max_depth: 8, max_aliases: 0, max_anchors: 0, max_events: 20_000, max_nodes: 10_000, },
            with_snippet: false,
        };
        serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| ConfigurationError::Content { path: path.to_owned(), cause: error.to_string() })
    }

    /// Returns the address to listen on.
    pub fn address(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 4141)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Configuration;

    fn parse(text: &str) -> Result<Configuration, String> {
        Configuration::parse(Path::new("gateway.yaml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn without_a_word_everything_has_its_default() {
        for text in ["", "# nothing yet\n\n"] {
            let configuration = parse(text).unwrap();
            assert_eq!(configuration.address().to_string(), super::DEFAULT_ADDRESS);
            assert_eq!(configuration.timeouts.retries, 2);
        }
    }

    #[test]
    fn what_is_said_counts_and_what_is_not_has_its_default() {
        let text = "listen: 127.0.0.1:0\nproviders:\n  groq: {url: 'https://api.groq.com/openai/v1', key_env: GROQ_API_KEY}\n\
                    timeouts: {retries: 0}\n";
        let configuration = parse(text).unwrap();
        assert_eq!(configuration.address().port(), 0);
        assert_eq!((configuration.timeouts.retries, configuration.timeouts.connect_ms), (0, 10_000));
        assert_eq!(configuration.providers["groq"].key_env.as_deref(), Some("GROQ_API_KEY"));
    }

    #[test]
    fn traces_are_off_unless_the_file_has_the_block_even_if_that_says_nothing() {
        assert!(parse("timeouts: {retries: 1}\n").unwrap().traces.is_none());
        for text in ["traces:\n", "traces: {}\n", "traces: {headers_env: MINE}\n"] {
            assert!(parse(text).unwrap().traces.is_some(), "{text}");
        }
        assert!(parse("traces: {endpont: 'http://x'}\n").unwrap_err().contains("endpont"));
    }

    #[test]
    fn an_unknown_key_is_told_with_its_place() {
        let error = parse("listen: 127.0.0.1:1\nproviderz: {}\n").unwrap_err();
        assert!(error.contains("providerz") && error.contains("line 2"), "{error}");
    }
}
