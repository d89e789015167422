//! Credentials of providers, and the request headers that contain them.

use std::fmt;

use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// Request headers in which clients send the API keys of providers.
pub const KEY_HEADERS: [HeaderName; 3] =
    [AUTHORIZATION, HeaderName::from_static("x-api-key"), HeaderName::from_static("x-goog-api-key")];

/// The API key of a provider, by its source: environment, file, not needed, or the client's own.
#[derive(Clone)]
pub enum Credential {
    /// A key from an environment variable.
    Environment(HeaderSecret),
    /// A key from the file `keys`.
    File(HeaderSecret),
    /// The provider needs no key.
    NotNeeded,
    /// No key is configured: a request contains the client's own, if the client sent one.
    None,
}

impl Credential {
    /// Returns the name of the API key's source that users see, such as `environment`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Environment(_) => "environment",
            Self::File(_) => "file",
            Self::NotNeeded => "not_needed",
            Self::None => "client",
        }
    }

    /// Returns whether requests contain the client's own key, because none is configured.
    pub const fn is_clients_own(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Returns the configured key; `None` if there is none or the provider needs none.
    pub(crate) const fn secret(&self) -> Option<&HeaderSecret> {
        match self {
            Self::Environment(secret) | Self::File(secret) => Some(secret),
            Self::NotNeeded | Self::None => None,
        }
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An API key as the values of request headers. Its `Debug` output omits the key.
#[derive(Clone)]
pub struct HeaderSecret {
    /// The key alone, for `x-api-key` and `x-goog-api-key`.
    pub(crate) plain: HeaderValue,
    /// `Bearer` and the key, for `Authorization`.
    pub(crate) bearer: HeaderValue,
}

impl HeaderSecret {
    /// Creates a secret from an API key, without the white space around it; `None` if the key contains characters that
    /// no header value may have.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let sensitive_value = |text: &str| {
            let mut value = HeaderValue::from_str(text).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let key = key.trim();
        Some(Self { plain: sensitive_value(key)?, bearer: sensitive_value(&format!("Bearer {key}"))? })
    }
}

impl fmt::Debug for HeaderSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeaderSecret")
    }
}
