//! The HTTP client that providers, the embedder and the trace exporter share.

mod proxy;

use std::{io, time::Duration};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::{
        legacy::{Client, connect::HttpConnector},
        proxy::matcher::Matcher,
    },
    rt::{TokioExecutor, TokioTimer},
};

pub use proxy::ProxyConnector;

/// Time after which an unused connection is closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// An HTTP/1.1 client with a connection pool. Clones share the pool.
pub type HttpClient = Client<HttpsConnector<ProxyConnector>, Full<Bytes>>;

/// Creates a client that trusts the system's certificate authorities. `connect_timeout` limits the opening of a
/// connection.
///
/// https URLs are reached through the proxy of `HTTPS_PROXY` or `ALL_PROXY` unless `NO_PROXY` excludes the host; http
/// URLs are always reached directly. The variables are read once, here.
///
/// # Errors
/// [`io::Error`] if the system has no certificate authorities, or the variables contain a proxy that is not an http
/// URL.
pub fn http_client(connect_timeout: Duration) -> io::Result<HttpClient> {
    http_client_with(connect_timeout, Matcher::from_env())
}

/// Creates a client that uses `proxies` for https URLs.
///
/// # Errors
/// As [`http_client`].
fn http_client_with(connect_timeout: Duration, proxies: Matcher) -> io::Result<HttpClient> {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(connect_timeout));
    connector.set_nodelay(true);
    connector.enforce_http(false);
    let connector = ProxyConnector::new(connector, proxies)?;
    let connector =
        HttpsConnectorBuilder::new().with_native_roots()?.https_or_http().enable_http1().wrap_connector(connector);
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .build(connector))
}

#[cfg(test)]
mod tests;
