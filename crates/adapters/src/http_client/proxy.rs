//! [`ProxyConnector`], which opens connections directly or through an HTTP proxy.

use std::{
    error::Error,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::Uri;
use hyper_util::{
    client::{
        legacy::connect::{HttpConnector, proxy::Tunnel},
        proxy::matcher::Matcher,
    },
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tower_service::Service;

use super::addresses::{AllowedAddresses, CheckedResolver, refusal};

/// Error of a connection attempt, from the TCP connection or the proxy.
type BoxError = Box<dyn Error + Send + Sync>;

/// Opens TCP connections. Connections for https URLs go through a `CONNECT` tunnel if a proxy is configured.
#[derive(Debug, Clone)]
pub struct ProxyConnector {
    /// Connector for direct connections and for those to the proxy.
    direct: HttpConnector<CheckedResolver>,
    /// The restricted addresses to which connections are allowed.
    allowed: AllowedAddresses,
    /// Proxies by URL, from the environment.
    proxies: Arc<Matcher>,
}

impl ProxyConnector {
    /// Creates a connector that opens connections with `direct`, for https URLs through a proxy in `proxies` if there
    /// is one.
    ///
    /// # Errors
    /// [`io::Error`] if the proxy for https URLs is not an http URL. A direct connection would bypass a proxy that the
    /// user configured.
    pub(super) fn new(
        direct: HttpConnector<CheckedResolver>,
        allowed: AllowedAddresses,
        proxies: Matcher,
    ) -> io::Result<Self> {
        // No entry of NO_PROXY but `*` matches this host.
        let proxy = proxies.intercept(&Uri::from_static("https://any-host.invalid"));
        if proxy.is_some_and(|proxy| proxy.uri().scheme_str() != Some("http")) {
            let message =
                "the proxy in HTTPS_PROXY or ALL_PROXY is not an `http://` URL; other proxies are not supported";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        Ok(Self { direct, allowed, proxies: Arc::new(proxies) })
    }
}

impl Service<Uri> for ProxyConnector {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<TokioIo<TcpStream>, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.direct.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        if let Some(address) = target.host().and_then(|host| self.allowed.refused_literal(host)) {
            return Box::pin(async move { Err(refusal(address).into()) });
        }
        let is_https = target.scheme_str() == Some("https");
        let Some(proxy) = self.proxies.intercept(&target).filter(|_| is_https) else {
            let connection = self.direct.call(target);
            return Box::pin(async { connection.await.map_err(Into::into) });
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        let connection = tunnel.call(target);
        Box::pin(async { connection.await.map_err(Into::into) })
    }
}
