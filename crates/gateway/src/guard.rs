//! Access control: checks `Host`, `Origin` and, if required, a token.

use std::{collections::BTreeMap, net::SocketAddr, path::Path};

use adapters::{KEY_HEADERS, KeyError, check_owner_only};
use hyper::{
    HeaderMap,
    header::{HOST, HeaderName, HeaderValue, ORIGIN},
};

/// The header for a token of the gateway. Clients use it if they send a provider's key in the usual headers.
pub(crate) const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-turnwise-token");

/// The access tokens of clients: the BLAKE3 hash of each token by its name.
#[derive(Debug, Clone, Default)]
pub struct Tokens(BTreeMap<String, blake3::Hash>);

impl Tokens {
    /// Loads a file with lines of `name hash`; blank lines and lines that begin with `#` are skipped. A missing file
    /// has no tokens.
    ///
    /// # Errors
    /// [`KeyError`] if the file cannot be read or parsed, or if other users have access to it.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::Read { path: path.to_owned(), source };
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
        };
        check_owner_only(path, &metadata)?;
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let mut tokens = BTreeMap::new();
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let parsed = content
                .split_once(' ')
                .and_then(|(name, hash)| blake3::Hash::from_hex(hash.trim()).ok().map(|hash| (name.to_owned(), hash)));
            let Some((name, hash)) = parsed else { return Err(KeyError::Line { path: path.to_owned(), line }) };
            tokens.insert(name, hash);
        }
        Ok(Self(tokens))
    }

    /// Formats a line of a token file: the name, a space, and the BLAKE3 hash of the token in hexadecimal. `name` must
    /// not contain a space.
    pub fn format_line(name: &str, token: &str) -> String {
        format!("{name} {}\n", blake3::hash(token.as_bytes()).to_hex())
    }

    /// Returns whether there are no tokens, in which case requests need none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the token is valid. Compares every hash, each in constant time.
    fn contains(&self, token: &str) -> bool {
        let given = blake3::hash(token.as_bytes());
        self.0.values().filter(|hash| **hash == given).count() != 0
    }
}

/// The access rules of a gateway: the hosts that requests may name, and the tokens that they need.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// The accepted tokens; if it is empty, requests need none.
    tokens: Tokens,
    /// The hosts allowed in `Host`, without port. Compared without regard to case.
    hosts: Vec<String>,
}

/// The reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessError {
    /// `Host` names another host, as in a DNS rebinding attack.
    Host,
    /// `Origin` names another origin.
    Origin,
    /// The token is missing or unknown.
    Token,
}

impl AccessError {
    /// Returns the error message for the client.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Host => {
                "the Host header names no address of this gateway; add the name to `hosts` in gateway.yaml if it is yours"
            }
            Self::Origin => "requests from pages of another origin are not allowed",
            Self::Token => {
                "this gateway demands a token: send it as a bearer token, as x-api-key or as x-turnwise-token; \
                 `turnwise token add NAME` makes one"
            }
        }
    }

    /// Returns the HTTP status: 403 or 401.
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::Host | Self::Origin => 403,
            Self::Token => 401,
        }
    }
}

impl Guard {
    /// Creates the rules of a gateway that listens on `address`. `hosts` are the names allowed in `Host` in addition to
    /// the address and the names of this machine's loopback interface.
    pub(crate) fn new(tokens: Tokens, address: SocketAddr, hosts: &[String]) -> Self {
        let own = [address.ip().to_string(), "localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        let hosts = own.into_iter().chain(hosts.iter().map(|host| host.to_lowercase())).collect();
        Self { tokens, hosts }
    }

    /// Checks `Host` and `Origin`, which prevents requests from other web sites. `Host` is required, `Origin` is not.
    ///
    /// # Errors
    /// [`AccessError::Host`] if `Host` is missing or names another host; [`AccessError::Origin`] if `Origin` differs
    /// from `Host`.
    pub(crate) fn check_host_and_origin(&self, headers: &HeaderMap) -> Result<(), AccessError> {
        // HTTP/1.1 requires the header.
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).ok_or(AccessError::Host)?;
        if !self.is_own_host(host) {
            return Err(AccessError::Host);
        }
        let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().map_err(|_| AccessError::Origin)?;
        let is_same_origin = origin.split_once("://").is_some_and(|(_, origin)| origin.eq_ignore_ascii_case(host));
        if is_same_origin { Ok(()) } else { Err(AccessError::Origin) }
    }

    /// Checks that a header contains a valid token; accepts every request if no token is configured.
    ///
    /// # Errors
    /// [`AccessError::Token`] if no header contains a valid token.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), AccessError> {
        if self.tokens.is_empty() || credentials(headers).any(|token| self.tokens.contains(token)) {
            return Ok(());
        }
        Err(AccessError::Token)
    }

    /// Removes the gateway's tokens from the headers, so that they are not forwarded to a provider. Also removes key
    /// headers that are empty or not text.
    pub(crate) fn remove_tokens(&self, headers: &mut HeaderMap) {
        headers.remove(TOKEN_HEADER);
        for name in KEY_HEADERS {
            let is_token =
                |value: &HeaderValue| header_key(value).is_none_or(|key| key.is_empty() || self.tokens.contains(key));
            if headers.get(&name).is_some_and(is_token) {
                headers.remove(name);
            }
        }
    }

    /// Returns whether a `Host` value, with or without port, names this gateway.
    fn is_own_host(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or(rest, |(address, _)| address),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Iterates over the header values that may contain a token: the gateway's own header and those for keys of providers.
fn credentials(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    std::iter::once(TOKEN_HEADER).chain(KEY_HEADERS).filter_map(|name| headers.get(name).and_then(header_key))
}

/// Returns whether the request contains a provider's key. Call it after [`Guard::remove_tokens`].
pub(crate) fn has_provider_key(headers: &HeaderMap) -> bool {
    KEY_HEADERS.iter().any(|name| headers.contains_key(name))
}

/// Returns the key in a header value, trimmed and without the prefix `Bearer`; `None` if the value is not text.
fn header_key(value: &HeaderValue) -> Option<&str> {
    let value = value.to_str().ok()?;
    Some(value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")).unwrap_or(value).trim())
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, header::HeaderName, header::HeaderValue};

    use super::{AccessError, Guard, Tokens};

    /// Creates headers from names and values.
    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair =
            |(name, value): &(&str, &str)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
        pairs.iter().map(pair).collect()
    }

    /// Creates the rules of a gateway on port 4141 of this machine with one further host name.
    fn guard(tokens: Tokens) -> Guard {
        Guard::new(tokens, "127.0.0.1:4141".parse().unwrap(), &["gateway.example".to_owned()])
    }

    /// Writes a token file with mode 0600 and loads it.
    fn token_file(content: &str) -> Tokens {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens");
        std::fs::write(&path, content).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        Tokens::load(&path).unwrap()
    }

    #[test]
    fn only_own_names_are_answered_whatever_the_port() {
        let guard = guard(Tokens::default());
        for host in ["127.0.0.1:4141", "localhost", "LOCALHOST:9", "[::1]:4141", "gateway.example:443"] {
            assert_eq!(guard.check_host_and_origin(&headers(&[("host", host)])), Ok(()), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:4141", "", "[::2]:4141"] {
            assert_eq!(guard.check_host_and_origin(&headers(&[("host", host)])), Err(AccessError::Host), "{host}");
        }
        assert_eq!(guard.check_host_and_origin(&HeaderMap::new()), Err(AccessError::Host));
    }

    #[test]
    fn a_page_of_another_origin_is_refused() {
        let guard = guard(Tokens::default());
        let from = |origin| guard.check_host_and_origin(&headers(&[("host", "localhost:4141"), ("origin", origin)]));
        assert_eq!(from("http://localhost:4141"), Ok(()));
        for origin in ["http://evil.example", "null", "http://localhost:9999", "file://"] {
            assert_eq!(from(origin), Err(AccessError::Origin), "{origin}");
        }
    }

    #[test]
    fn a_token_is_taken_from_any_of_the_usual_headers_and_a_wrong_one_from_none() {
        let guard = guard(token_file(&Tokens::format_line("laptop", "tw-secret")));
        for (name, value) in [
            ("authorization", "Bearer tw-secret"),
            ("x-api-key", "tw-secret"),
            ("x-goog-api-key", "tw-secret"),
            ("x-turnwise-token", "tw-secret"),
        ] {
            assert_eq!(guard.check_token(&headers(&[(name, value)])), Ok(()), "{name}");
        }
        for (name, value) in
            [("authorization", "Bearer tw-secre"), ("authorization", "Basic tw-secret"), ("x-api-key", "")]
        {
            assert_eq!(guard.check_token(&headers(&[(name, value)])), Err(AccessError::Token), "{name}: {value}");
        }
        assert_eq!(guard.check_token(&HeaderMap::new()), Err(AccessError::Token));
        assert!(!format!("{guard:?}").contains("tw-secret"));
    }

    #[test]
    fn tokens_are_taken_out_of_the_headers_and_keys_of_providers_stay() {
        let guard = guard(token_file(&Tokens::format_line("laptop", "tw-secret")));
        let left = |pairs: &[(&str, &str)]| {
            let mut headers = headers(pairs);
            guard.remove_tokens(&mut headers);
            headers.keys().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(left(&[("authorization", "Bearer tw-secret"), ("x-api-key", "sk-own")]), "x-api-key");
        assert_eq!(left(&[("x-turnwise-token", "junk"), ("authorization", "Bearer tw-secret")]), "");
        assert_eq!(left(&[("x-turnwise-token", "tw-secret"), ("authorization", "Bearer sk-own")]), "authorization");
        assert_eq!(left(&[("x-api-key", "tw-secret"), ("x-goog-api-key", "")]), "");
    }

    #[test]
    fn without_tokens_everyone_on_this_machine_may_come_in() {
        assert_eq!(guard(Tokens::default()).check_token(&HeaderMap::new()), Ok(()));
    }
}
