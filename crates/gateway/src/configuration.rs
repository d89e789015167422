//! `gateway.yaml`: where to listen, whom to talk to, how long to wait. Without the file everything has its default.

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

/// The largest file, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Where the gateway listens unless it is told otherwise.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:4141";

/// What `gateway.yaml` says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Configuration {
    /// The address, such as `127.0.0.1:4141`; port 0 takes any free one.
    pub listen: Option<SocketAddr>,
    /// Names under which clients reach the gateway beside its address, as in a `Host` header.
    pub hosts: Vec<String>,
    /// A certificate and its key, both PEM, to speak TLS.
    pub tls: Option<Tls>,
    /// Providers beside the built-in ones, or what differs of those.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// How much to take.
    pub limits: Limits,
    /// Where the spans of turns go; nowhere without the block.
    #[serde(deserialize_with = "traces::block")]
    pub traces: Option<TracesEntry>,
}

/// A certificate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate and those that vouch for it.
    pub certificate: PathBuf,
    /// Its private key; only its owner may read the file.
    pub key: PathBuf,
}

/// Timeouts and retries. The fields that end in `_ms` are milliseconds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// For a connection to a provider.
    pub connect_ms: u64,
    /// From a request to a provider to the first byte of its response.
    pub first_byte_ms: u64,
    /// Between two chunks of a response.
    pub idle_ms: u64,
    /// For a client to send its request.
    pub request_ms: u64,
    /// How often a request is sent again to a busy provider.
    pub retries: u32,
    /// The pause before the first retry, of which up to a half is random; it doubles with each further one.
    pub backoff_ms: u64,
    /// The longest pause a provider may ask for; beyond it the chain goes on without a retry.
    pub longest_backoff_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_ms: 10_000,
            // A large model that thinks first may say nothing for minutes.
            first_byte_ms: 300_000,
            idle_ms: 300_000,
            request_ms: 60_000,
            retries: 2,
            backoff_ms: 250,
            longest_backoff_ms: 5_000,
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

    pub(crate) const fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    pub(crate) const fn request(&self) -> Duration {
        Duration::from_millis(self.request_ms)
    }
}

/// How much to take.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest request, in bytes.
    pub body_bytes: usize,
    /// The largest answer that is not streamed, where it has to be converted, in bytes.
    pub answer_bytes: usize,
    /// The most headers of a request.
    pub headers: usize,
    /// The most connections at once.
    pub connections: usize,
    /// How long requests may take to finish once the gateway stops, in milliseconds.
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

/// Why `gateway.yaml` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// It cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is larger than such a file may be.
    #[error("`{path}` has {bytes} bytes, the most is {MAX_BYTES}")]
    Large {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: usize,
    },
    /// It is not what it should be.
    #[error("`{path}` cannot be used: {cause}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line.
        cause: String,
    },
    /// A provider cannot be used.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// Traces cannot be sent as asked.
    #[error("traces cannot be sent: `{key}` {cause}")]
    Traces {
        /// The key of the file, or the variable of the environment.
        key: String,
        /// What is wrong with it; never what it holds.
        cause: String,
    },
    /// A file of keys or tokens cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyError),
}

impl Configuration {
    /// Reads the file; everything has its default when there is none.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a file that cannot be read or used.
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
        // A file of comments alone says nothing.
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

    /// Where to listen.
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
