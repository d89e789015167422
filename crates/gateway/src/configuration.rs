//! `gateway.yaml`: address, TLS, providers, timeouts, limits and traces. Everything has a default.

mod range;
mod traces;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use adapters::{KeyError, ProviderEntry, ProviderError, ResponseTimeouts, RetryBudget, read_own_file};
use serde::Deserialize;

pub use traces::{Collector, TracesEntry};

/// The maximum size of the configuration file, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// The default address to listen on.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:4141";

/// The settings of the gateway, read from `gateway.yaml`.
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
    /// Link-local addresses and addresses of metadata services to which requests may be sent; requests to all others
    /// are refused.
    pub allowed_addresses: BTreeSet<IpAddr>,
    /// Timeouts and retries.
    pub timeouts: Timeouts,
    /// Limits of requests, responses and connections.
    pub limits: Limits,
    /// Limits of the log's age and size, applied when the gateway starts; `None` without the block.
    pub retention: Option<Retention>,
    /// Where the spans of turns are exported to; `None` without the block.
    #[serde(deserialize_with = "traces::block")]
    pub traces: Option<TracesEntry>,
}

/// Limits of the log. When the gateway starts, the contents of the sessions that exceed them are removed from the log.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// The number of days since its last event for which a session is kept; `None` for no limit.
    #[serde(deserialize_with = "range::within_optional::<_, _, 1, 36_500>")]
    pub days: Option<u64>,
    /// The size of the log in megabytes above which the oldest sessions are removed; `None` for no limit.
    #[serde(deserialize_with = "range::within_optional::<_, _, 1, 1_000_000>")]
    pub megabytes: Option<u64>,
}

/// The certificate and the private key with which the gateway serves TLS. Both files are PEM.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate chain, the server's certificate first.
    pub certificate: PathBuf,
    /// The private key; only the owner may have access to the file.
    pub key: PathBuf,
}

/// Timeouts and retries of requests. Fields that end in `_ms` are in milliseconds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// The time to connect to a provider.
    #[serde(deserialize_with = "range::within::<_, _, 1, 600_000>")]
    pub connect_ms: u64,
    /// The time from a request to a provider to the first byte of its response.
    #[serde(deserialize_with = "range::within::<_, _, 1, 3_600_000>")]
    pub first_byte_ms: u64,
    /// The time between two chunks of a response.
    #[serde(deserialize_with = "range::within::<_, _, 1, 3_600_000>")]
    pub idle_ms: u64,
    /// The time to receive a request from a client.
    #[serde(deserialize_with = "range::within::<_, _, 1, 3_600_000>")]
    pub request_ms: u64,
    /// Maximum number of retries of a request to a busy provider.
    #[serde(deserialize_with = "range::within::<_, _, 0, 100>")]
    pub retries: u32,
    /// The pause before the first retry; it doubles with each further one. Up to half of it is random.
    #[serde(deserialize_with = "range::within::<_, _, 0, 60_000>")]
    pub backoff_ms: u64,
    /// The longest pause that a provider may request. If it requests a longer one, the next model of the chain is used
    /// instead.
    #[serde(deserialize_with = "range::within::<_, _, 0, 600_000>")]
    pub longest_backoff_ms: u64,
    /// The time from the arrival of a request after which no retry and no other model is started, if all models so far
    /// have refused it; the client then gets an error. A call that a provider has accepted may take longer.
    #[serde(deserialize_with = "range::within::<_, _, 0, 3_600_000>")]
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
    /// Returns the time to connect to a provider.
    pub(crate) const fn connect(&self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    /// Returns the time limits of a provider's response.
    pub(crate) const fn response(&self) -> ResponseTimeouts {
        ResponseTimeouts { first_byte: self.first_byte(), idle: self.idle() }
    }

    /// Returns the limits of the retries of a request to a provider.
    pub(crate) const fn retry(&self) -> RetryBudget {
        RetryBudget {
            retries: self.retries,
            backoff: Duration::from_millis(self.backoff_ms),
            longest_pause: Duration::from_millis(self.longest_backoff_ms),
        }
    }

    /// Returns the time to the first byte of a provider's response.
    pub(crate) const fn first_byte(&self) -> Duration {
        Duration::from_millis(self.first_byte_ms)
    }

    /// Returns the time after which no further model is tried for a request that all models so far have refused.
    pub(crate) const fn refusals(&self) -> Duration {
        Duration::from_millis(self.refusals_ms)
    }

    /// Returns the time between two chunks of a response.
    pub(crate) const fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    /// Returns the time to receive a request from a client.
    pub(crate) const fn request(&self) -> Duration {
        Duration::from_millis(self.request_ms)
    }
}

/// Limits of requests, responses and connections of clients.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest request body, in bytes.
    #[serde(deserialize_with = "range::within::<_, _, 1_024, 1_073_741_824>")]
    pub body_bytes: usize,
    /// The maximum size of all request bodies in memory together, in bytes; at least `body_bytes`.
    #[serde(deserialize_with = "range::within::<_, _, 1_048_576, 1_099_511_627_776>")]
    pub total_body_bytes: usize,
    /// The largest response, streamed or not, in bytes.
    #[serde(deserialize_with = "range::within::<_, _, 1_024, 1_073_741_824>")]
    pub answer_bytes: usize,
    /// The maximum number of headers in a request.
    #[serde(deserialize_with = "range::within::<_, _, 8, 1_000>")]
    pub headers: usize,
    /// The maximum number of simultaneous connections.
    #[serde(deserialize_with = "range::within::<_, _, 1, 1_000_000>")]
    pub connections: usize,
    /// How long running requests may continue after the gateway stops accepting connections, in milliseconds.
    #[serde(deserialize_with = "range::within::<_, _, 0, 600_000>")]
    pub shutdown_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 64 * 1024 * 1024,
            total_body_bytes: 256 * 1024 * 1024,
            answer_bytes: 64 * 1024 * 1024,
            headers: 100,
            connections: 16_384,
            shutdown_ms: 2_500,
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
    /// Loads and parses the settings of the gateway from a file. A missing file results in the defaults.
    ///
    /// # Errors
    /// [`ConfigurationError`] if the file cannot be read or is invalid.
    pub fn load(path: &Path) -> Result<Self, ConfigurationError> {
        let text = match read_own_file(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ConfigurationError::Read { path: path.to_owned(), source }),
        };
        let mut configuration = Self::parse(path, &text)?;
        if let (Some(tls), Some(folder)) = (&mut configuration.tls, path.parent()) {
            tls.certificate = folder.join(&tls.certificate);
            tls.key = folder.join(&tls.key);
        }
        Ok(configuration)
    }

    /// Parses the text of the configuration file; `path` is its path, for the error. A file without settings results in
    /// the defaults.
    ///
    /// # Errors
    /// [`ConfigurationError`] if the text is too large, no YAML, or contains unknown or invalid settings.
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

    /// Parses the text of a configuration file; returns the message of an error.
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
    fn a_number_out_of_range_is_an_error_with_its_line_and_column() {
        for (setting, problem) in [
            ("limits: {connections: 18446744073709551615}", "from 1 to 1000000"),
            ("limits: {connections: 0}", "from 1 to 1000000"),
            ("timeouts: {request_ms: 0}", "from 1 to 3600000"),
            ("timeouts: {retries: 101}", "from 0 to 100"),
            ("timeouts: {idle_ms: -1}", ""),
            ("limits: {body_bytes: 1e30}", ""),
        ] {
            let error = parse(&format!("listen: 127.0.0.1:1\n{setting}\n")).unwrap_err();
            assert!(
                error.contains("line 2") && error.contains("column") && error.contains(problem),
                "{setting}: {error}"
            );
        }
    }

    #[test]
    fn an_unknown_key_is_told_with_its_place() {
        let error = parse("listen: 127.0.0.1:1\nproviderz: {}\n").unwrap_err();
        assert!(error.contains("providerz") && error.contains("line 2"), "{error}");
    }
}
