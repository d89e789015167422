//! Access control: checks `Host`, `Origin` and, if required, a token.

mod tokens;

use std::net::SocketAddr;

use adapters::KEY_HEADERS;
use hyper::{
    HeaderMap, Uri,
    header::{HOST, HeaderName, HeaderValue, ORIGIN},
};

use crate::host_name::host_of_authority;

pub use tokens::{NameTaken, Scope, Token, Tokens};

/// The header for a token of the gateway. Clients use it if they send a provider's key in the usual headers.
pub(crate) const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-turnwise-token");

/// The header in which a browser names the relation between the page that started a request and the gateway.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The access rules of a gateway: the hosts that requests may name, and the tokens that they need.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// The accepted tokens; if it is empty, requests need none.
    tokens: Tokens,
    /// The hosts allowed in `Host`, without port. Compared without regard to case.
    hosts: Vec<String>,
}

/// The reason why a request is refused by access control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessError {
    /// `Host` names another host, as in a DNS rebinding attack.
    Host,
    /// `Origin` names another origin.
    Origin,
    /// The token is missing or unknown.
    Token,
    /// The token does not have the scope of the endpoint.
    Scope(Scope),
}

impl AccessError {
    /// Returns the error message for a client that is refused.
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
            Self::Scope(Scope::Use) => "this token has not the scope `use`, which requests to models need",
            Self::Scope(Scope::Read) => {
                "this token has not the scope `read`; `turnwise token add NAME --scope read` makes one for the page"
            }
            Self::Scope(Scope::Admin) => {
                "this token has not the scope `admin`, which changes need; `turnwise token add NAME --scope admin` makes one"
            }
        }
    }

    /// Returns the HTTP status: 403 or 401.
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::Host | Self::Origin | Self::Scope(_) => 403,
            Self::Token => 401,
        }
    }
}

impl Guard {
    /// Creates the access rules of a gateway that listens on `address`. `hosts` are the names allowed in `Host` in
    /// addition to the address and the names of this machine's loopback interface.
    pub(crate) fn new(tokens: Tokens, address: SocketAddr, hosts: &[String]) -> Self {
        let own = [address.ip().to_string(), "localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        let hosts = own.into_iter().chain(hosts.iter().map(|host| host.to_lowercase())).collect();
        Self { tokens, hosts }
    }

    /// Checks the target of a request, `Host` and `Origin`, which prevents requests from other web sites. `Host` is
    /// required once, `Origin` is not. A target with an authority of its own must name the same host and port as `Host`.
    ///
    /// # Errors
    /// [`AccessError::Host`] if `Host` is missing, repeated, malformed or names another host; [`AccessError::Origin`] if
    /// `Origin` differs from `Host`.
    pub(crate) fn check_host_and_origin(&self, target: &Uri, headers: &HeaderMap) -> Result<(), AccessError> {
        let mut hosts = headers.get_all(HOST).iter();
        // HTTP/1.1 requires the header.
        let host = hosts.next().and_then(|host| host.to_str().ok()).ok_or(AccessError::Host)?;
        let is_other = target.authority().is_some_and(|authority| !authority.as_str().eq_ignore_ascii_case(host));
        if hosts.next().is_some() || is_other || !self.is_own_host(host) {
            return Err(AccessError::Host);
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(()) };
        let origin = origin.to_str().map_err(|_| AccessError::Origin)?;
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let is_same_origin = authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host));
        if is_same_origin && origins.next().is_none() { Ok(()) } else { Err(AccessError::Origin) }
    }

    /// Checks `Sec-Fetch-Site`, which browsers send and pages cannot set: a request that a page of another site started has
    /// no `Origin` if it is a GET, and may still have an effect or a cost.
    ///
    /// # Errors
    /// [`AccessError::Origin`] unless the request comes from the gateway's own page, from the user, or from no browser.
    pub(crate) fn check_fetch_site(headers: &HeaderMap) -> Result<(), AccessError> {
        match headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes) {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => Err(AccessError::Origin),
        }
    }

    /// Checks that a header contains a token with a scope; accepts every request if no token is configured.
    ///
    /// # Errors
    /// [`AccessError::Token`] if no header contains a valid token, [`AccessError::Scope`] if none of them has the scope.
    pub(crate) fn check_token(&self, headers: &HeaderMap, scope: Scope) -> Result<(), AccessError> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        let mut granted = credentials(headers).filter_map(|token| self.tokens.scopes(token)).peekable();
        if granted.peek().is_none() {
            return Err(AccessError::Token);
        }
        let is_granted = granted.any(|scopes| scopes.contains(&scope) || scopes.contains(&Scope::Admin));
        if is_granted { Ok(()) } else { Err(AccessError::Scope(scope)) }
    }

    /// Returns whether requests need a token.
    pub(crate) const fn requires_token(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Removes the gateway's access tokens from the headers of a request, so that they are not forwarded to a provider.
    /// Also removes key headers that are empty or not text.
    pub(crate) fn remove_tokens(&self, headers: &mut HeaderMap) {
        headers.remove(TOKEN_HEADER);
        for name in KEY_HEADERS {
            let is_token = |value: &HeaderValue| {
                header_key(value).is_none_or(|key| key.is_empty() || self.tokens.scopes(key).is_some())
            };
            if headers.get(&name).is_some_and(is_token) {
                headers.remove(name);
            }
        }
    }

    /// Returns whether a `Host` value, with or without port, names this gateway.
    fn is_own_host(&self, host: &str) -> bool {
        let Some(name) = host_of_authority(host) else { return false };
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
    use hyper::{HeaderMap, Uri, header::HeaderName, header::HeaderValue};

    use super::{AccessError, Guard, Scope, Token, Tokens};

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

    /// Tokens of which each has the scopes beside it.
    fn tokens(granted: &[(&str, &[Scope])]) -> Tokens {
        let mut tokens = Tokens::default();
        for (number, (token, scopes)) in granted.iter().enumerate() {
            tokens
                .add(Token::new(&format!("client-{number}"), token, scopes.iter().copied().collect()), false)
                .unwrap();
        }
        tokens
    }

    #[test]
    fn only_own_names_are_answered_whatever_the_port() {
        let guard = guard(Tokens::default());
        for host in ["127.0.0.1:4141", "localhost", "LOCALHOST:9", "[::1]:4141", "gateway.example:443"] {
            assert_eq!(
                guard.check_host_and_origin(&Uri::from_static("/"), &headers(&[("host", host)])),
                Ok(()),
                "{host}"
            );
        }
        for host in [
            "127.0.0.1:evil",
            "[::1].evil",
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:4141",
            "",
            "[::2]:4141",
        ] {
            assert_eq!(
                guard.check_host_and_origin(&Uri::from_static("/"), &headers(&[("host", host)])),
                Err(AccessError::Host),
                "{host}"
            );
        }
        assert_eq!(guard.check_host_and_origin(&Uri::from_static("/"), &HeaderMap::new()), Err(AccessError::Host));
    }

    #[test]
    fn a_page_of_another_origin_is_refused() {
        let guard = guard(Tokens::default());
        let from = |origin| {
            guard.check_host_and_origin(
                &Uri::from_static("/"),
                &headers(&[("host", "localhost:4141"), ("origin", origin)]),
            )
        };
        assert_eq!(from("http://localhost:4141"), Ok(()));
        for origin in ["http://evil.example", "evil://localhost:4141", "null", "http://localhost:9999", "file://"] {
            assert_eq!(from(origin), Err(AccessError::Origin), "{origin}");
        }
    }

    #[test]
    fn a_second_host_or_a_target_with_another_one_is_refused() {
        let guard = guard(Tokens::default());
        let mut twice = headers(&[("host", "localhost:4141")]);
        twice.append("host", HeaderValue::from_static("localhost:4141"));
        assert_eq!(guard.check_host_and_origin(&Uri::from_static("/"), &twice), Err(AccessError::Host));
        let one = headers(&[("host", "localhost:4141")]);
        let target = |target| guard.check_host_and_origin(&Uri::from_static(target), &one);
        assert_eq!(target("http://localhost:4141/v1/models"), Ok(()));
        for other in
            ["http://evil.example/", "http://localhost/", "http://me@localhost:4141/", "http://127.0.0.1:4141/"]
        {
            assert_eq!(target(other), Err(AccessError::Host), "{other}");
        }
    }

    #[test]
    fn a_request_that_a_page_of_another_site_started_is_refused_without_an_origin_too() {
        let from = |site| Guard::check_fetch_site(&headers(&[("sec-fetch-site", site)]));
        assert_eq!((from("same-origin"), from("none")), (Ok(()), Ok(())));
        for site in ["cross-site", "same-site", "", "Same-Origin"] {
            assert_eq!(from(site), Err(AccessError::Origin), "{site}");
        }
        assert_eq!(Guard::check_fetch_site(&HeaderMap::new()), Ok(()));
    }

    #[test]
    fn a_token_is_taken_from_any_of_the_usual_headers_and_a_wrong_one_from_none() {
        let guard = guard(tokens(&[("tw-secret", &[Scope::Use])]));
        for (name, value) in [
            ("authorization", "Bearer tw-secret"),
            ("x-api-key", "tw-secret"),
            ("x-goog-api-key", "tw-secret"),
            ("x-turnwise-token", "tw-secret"),
        ] {
            assert_eq!(guard.check_token(&headers(&[(name, value)]), Scope::Use), Ok(()), "{name}");
        }
        for (name, value) in
            [("authorization", "Bearer tw-secre"), ("authorization", "Basic tw-secret"), ("x-api-key", "")]
        {
            assert_eq!(
                guard.check_token(&headers(&[(name, value)]), Scope::Use),
                Err(AccessError::Token),
                "{name}: {value}"
            );
        }
        assert_eq!(guard.check_token(&HeaderMap::new(), Scope::Use), Err(AccessError::Token));
        assert!(!format!("{guard:?}").contains("tw-secret"));
    }

    #[test]
    fn a_token_gives_access_to_its_scopes_alone() {
        let all = [("tw-use", &[Scope::Use][..]), ("tw-read", &[Scope::Read]), ("tw-admin", &[Scope::Admin])];
        let guard = guard(tokens(&all));
        let check = |token, scope| guard.check_token(&headers(&[("x-api-key", token)]), scope);
        for (token, granted) in all {
            for scope in Scope::ALL {
                let expected =
                    if granted == [scope] || token == "tw-admin" { Ok(()) } else { Err(AccessError::Scope(scope)) };
                assert_eq!(check(token, scope), expected, "{token}: {scope}");
            }
        }
        let both = headers(&[("x-turnwise-token", "tw-read"), ("x-api-key", "tw-use")]);
        assert_eq!(guard.check_token(&both, Scope::Use), Ok(()), "each header may have one");
    }

    #[test]
    fn tokens_are_taken_out_of_the_headers_and_keys_of_providers_stay() {
        let guard = guard(tokens(&[("tw-secret", &[Scope::Use])]));
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
        assert_eq!(guard(Tokens::default()).check_token(&HeaderMap::new(), Scope::Admin), Ok(()));
    }
}
