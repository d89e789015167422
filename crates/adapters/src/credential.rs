//! Credentials of providers, and the headers that carry them.

use std::fmt;

use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// Request headers in which clients send provider keys.
pub const KEY_HEADERS: [HeaderName; 3] =
    [AUTHORIZATION, HeaderName::from_static("x-api-key"), HeaderName::from_static("x-goog-api-key")];

/// Credential of a provider by its source: environment, file, not needed, or the client's own.
#[derive(Clone)]
pub enum Credential {
    /// A key from an environment variable.
    Environment(HeaderSecret),
    /// A key from the file `keys`.
    File(HeaderSecret),
    /// The provider needs no key.
    NotNeeded,
    /// No key is configured: requests carry the client's own, if any.
    None,
}

impl Credential {
    /// Returns the name of the source that users see.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Environment(_) => "environment",
            Self::File(_) => "file",
            Self::NotNeeded => "not_needed",
            Self::None => "client",
        }
    }

    /// Returns whether requests carry the client's own key.
    pub const fn is_clients_own(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Returns the configured key; `None` if there is none.
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

/// A key as header values. Its `Debug` output omits the key.
#[derive(Clone)]
pub struct HeaderSecret {
    /// The key alone.
    pub(crate) plain: HeaderValue,
    /// The key after `Bearer`.
    pub(crate) bearer: HeaderValue,
}

impl HeaderSecret {
    /// Creates a secret from a key, trimmed; `None` if it contains characters that no header value may have.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let sensitive = |text: &str| {
            let mut value = HeaderValue::from_str(text).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let key = key.trim();
        Some(Self { plain: sensitive(key)?, bearer: sensitive(&format!("Bearer {key}"))? })
    }
}

impl fmt::Debug for HeaderSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeaderSecret")
    }
}
