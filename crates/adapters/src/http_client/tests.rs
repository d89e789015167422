//! Connections with and without a proxy, each to a listener on this machine.

use std::time::Duration;

use http_body_util::Full;
use hyper::{Request, body::Bytes};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::proxy::matcher::Matcher;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{AllowedAddresses, HttpClient, http_client_with};

/// Time limit for a connection and for a test's exchange.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The certificate authorities of the system.
fn native() -> std::io::Result<HttpsConnectorBuilder<hyper_rustls::builderstates::WantsSchemes>> {
    HttpsConnectorBuilder::new().with_native_roots()
}

/// Creates a client that uses `proxies`.
fn client(proxies: Matcher) -> HttpClient {
    http_client_with(TIMEOUT, 4, AllowedAddresses::default(), proxies, native()).unwrap()
}

/// Sends a request to `url` and returns the first line that a listener receives on its next connection.
async fn first_line_at(listener: &TcpListener, client: &HttpClient, url: &str) -> String {
    let request = Request::post(url).body(Full::new(Bytes::new())).unwrap();
    let response = client.request(request);
    let served = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut received = vec![0; 1024];
        let length = stream.read(&mut received).await.unwrap();
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&received[..length]).into_owned()
    };
    let (_, received) = tokio::time::timeout(TIMEOUT, async { tokio::join!(response, served) }).await.unwrap();
    received.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn an_https_url_is_reached_through_a_tunnel_of_the_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let client = client(Matcher::builder().https(proxy).build());
    let line = first_line_at(&listener, &client, "https://provider.invalid/v1/messages").await;
    assert_eq!(line, "CONNECT provider.invalid:443 HTTP/1.1");
}

#[tokio::test]
async fn without_certificate_authorities_http_urls_are_reached_and_https_urls_are_not_trusted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let missing = Err(std::io::Error::other("no certificates"));
    let client =
        http_client_with(TIMEOUT, 4, AllowedAddresses::default(), Matcher::builder().build(), missing).unwrap();
    let line = first_line_at(&listener, &client, &format!("http://{address}/v1/models")).await;
    assert_eq!(line, "POST /v1/models HTTP/1.1");
    let request = Request::post(format!("https://{address}/v1/models")).body(Full::new(Bytes::new())).unwrap();
    let refuse = async { drop(listener.accept().await.unwrap()) };
    let (response, ()) = tokio::join!(client.request(request), refuse);
    assert!(response.unwrap_err().is_connect(), "no connection without a trusted certificate");
}

#[tokio::test]
async fn hosts_in_no_proxy_and_http_urls_are_reached_directly() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    // Nothing listens at the proxy's address.
    let proxies = || Matcher::builder().all("http://127.0.0.1:1");
    let http = first_line_at(&listener, &client(proxies().build()), &format!("http://{address}/v1/models")).await;
    assert_eq!(http, "POST /v1/models HTTP/1.1");
    let excluded = client(proxies().no("127.0.0.1").build());
    let line = first_line_at(&listener, &excluded, &format!("https://{address}/v1/models")).await;
    // The first bytes of a TLS handshake.
    assert!(line.starts_with('\u{16}'), "{line:?}");
}

#[test]
fn a_proxy_that_is_not_reached_over_http_is_refused() {
    for proxy in ["socks5://127.0.0.1:1080", "https://127.0.0.1:8443"] {
        let proxies = Matcher::builder().all(proxy).build();
        let error =
            http_client_with(TIMEOUT, 4, AllowedAddresses::default(), proxies, native()).unwrap_err().to_string();
        assert!(error.contains("HTTPS_PROXY"), "{error}");
    }
}
