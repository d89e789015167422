//! The HTTP client that providers, the embedder and the trace exporter share.

mod addresses;
mod proxy;

use std::{io, time::Duration};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, builderstates::WantsSchemes};
use hyper_util::{
    client::{
        legacy::{Client, connect::HttpConnector},
        proxy::matcher::Matcher,
    },
    rt::{TokioExecutor, TokioTimer},
};

use tokio_rustls::rustls::{ClientConfig, RootCertStore};

pub use addresses::AllowedAddresses;
use addresses::CheckedResolver;
pub use proxy::ProxyConnector;

/// Time after which an unused connection is closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// An HTTP/1.1 client with a connection pool. Clones share the pool.
pub type HttpClient = Client<HttpsConnector<ProxyConnector>, Full<Bytes>>;

/// Creates an HTTP client that trusts the system's certificate authorities. `connect_timeout` limits the opening of a
/// connection; at most `max_idle_per_host` unused connections to a host stay open.
///
/// https URLs are reached through the proxy of `HTTPS_PROXY` or `ALL_PROXY` unless `NO_PROXY` excludes the host; http
/// URLs are always reached directly. The variables are read once, here.
///
/// Without certificate authorities on the system the client still reaches http URLs, such as those of a local model;
/// connections to https URLs fail. `no_authorities` is called with the cause.
///
/// # Errors
/// [`io::Error`] if the variables contain a proxy that is not an http URL.
pub fn http_client(
    connect_timeout: Duration,
    max_idle_per_host: usize,
    no_authorities: impl FnOnce(&io::Error),
) -> io::Result<HttpClient> {
    http_client_allowing(connect_timeout, max_idle_per_host, AllowedAddresses::default(), no_authorities)
}

/// Creates an HTTP client as [`http_client`] does, which may also connect to the link-local addresses and metadata
/// services in `allowed`.
///
/// # Errors
/// Those of [`http_client`].
pub fn http_client_allowing(
    connect_timeout: Duration,
    max_idle_per_host: usize,
    allowed: AllowedAddresses,
    no_authorities: impl FnOnce(&io::Error),
) -> io::Result<HttpClient> {
    let authorities = HttpsConnectorBuilder::new().with_native_roots();
    if let Err(error) = &authorities {
        no_authorities(error);
    }
    http_client_with(connect_timeout, max_idle_per_host, allowed, Matcher::from_env(), authorities)
}

/// Creates an HTTP client that uses `proxies` for https URLs, and trusts `authorities`, or none if they could not be
/// loaded. The other parameters are those of [`http_client_allowing`].
///
/// # Errors
/// Those of [`http_client`].
fn http_client_with(
    connect_timeout: Duration,
    max_idle_per_host: usize,
    allowed: AllowedAddresses,
    proxies: Matcher,
    authorities: io::Result<HttpsConnectorBuilder<WantsSchemes>>,
) -> io::Result<HttpClient> {
    let mut connector = HttpConnector::new_with_resolver(CheckedResolver::new(allowed.clone()));
    connector.set_connect_timeout(Some(connect_timeout));
    connector.set_nodelay(true);
    connector.enforce_http(false);
    let connector = ProxyConnector::new(connector, allowed, proxies)?;
    let trusts_nobody = || ClientConfig::builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth();
    let builder = authorities.unwrap_or_else(|_| HttpsConnectorBuilder::new().with_tls_config(trusts_nobody()));
    let connector = builder.https_or_http().enable_http1().wrap_connector(connector);
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .pool_max_idle_per_host(max_idle_per_host)
        .build(connector))
}

#[cfg(test)]
mod tests;
