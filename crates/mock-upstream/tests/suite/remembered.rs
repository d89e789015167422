//! Recorded requests and the control endpoints.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use mock_upstream::{Failure, Fault, MockUpstream, ResponseState, Settings};
use serde_json::json;

use crate::support::{CHAT, MESSAGES, first_requests, send, send_with_headers, start_mock};

/// Sends a request and disconnects: after the first bytes of the response, or once the mock has recorded the request.
fn send_and_disconnect(mock: &MockUpstream, path: &str, body: &serde_json::Value, wait_for_bytes: bool) {
    let mut stream = TcpStream::connect(mock.address()).unwrap();
    let body = body.to_string();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    if wait_for_bytes {
        assert!(stream.read(&mut [0; 16]).unwrap() > 0);
    } else {
        wait_until(|| mock.requests().len() == 1);
    }
}

/// Waits up to 10 seconds until another thread has made the condition true.
#[track_caller]
fn wait_until(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the condition is still false");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_request_is_recorded_with_headers_and_body() {
    let mock = start_mock();
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "unknown": [1]});
    send_with_headers(
        &mock,
        "/v1/messages?beta=true",
        &body,
        &[("x-api-key", "k"), ("anthropic-version", "2023-06-01")],
    );
    let request = mock.requests().pop().unwrap();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/messages?beta=true"));
    assert_eq!(request.header("x-api-key"), Some("k"));
    assert_eq!(request.json(), body);
    assert_eq!((request.status, request.ended), (200, ResponseState::Complete));
}

#[test]
fn a_disconnected_client_is_recorded() {
    let mock = start_mock();
    let (path, body) = first_requests("LONG:100", true).swap_remove(1);
    for (fault, wait) in [(Fault::SlowChunks(20), true), (Fault::Stall(2), true), (Fault::Never, false)] {
        mock.reset();
        mock.fail(Failure::once(fault));
        send_and_disconnect(&mock, &path, &body, wait);
        wait_until(|| mock.requests()[0].ended == ResponseState::Cancelled);
    }
}

#[test]
fn only_the_last_thousand_requests_are_recorded() {
    let mock = MockUpstream::start(Settings { keep_bodies: false, ..Settings::default() }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let address = mock.address();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let io = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        for number in 0..1_005 {
            sender.ready().await.unwrap();
            let request = hyper::Request::get(format!("/v1/models/{number}")).body(String::new()).unwrap();
            let answer = sender.send_request(request).await.unwrap();
            http_body_util::BodyExt::collect(answer.into_body()).await.unwrap();
        }
    });
    let requests = mock.requests();
    assert_eq!((requests.len(), mock.count()), (1_000, 1_005));
    assert_eq!(requests[0].path, "/v1/models/5");
    assert_eq!(requests[0].body, None);
}

#[test]
fn the_control_endpoints_configure_the_mock() {
    let mock = start_mock();
    let (path, body) = first_requests("hi", false).swap_remove(1);
    let told = json!({"fault": {"status": {"status": 503}}, "times": 1});
    assert_eq!(send(&mock, "/control/fail", &told).status, 200);
    assert_eq!(send(&mock, "/control/fail", &json!({"fault": "unheard-of"})).status, 400);
    assert_eq!(send(&mock, &path, &body).status, 503);
    assert_eq!(mock.requests().len(), 1, "what is said to the mock itself does not count");
    assert_eq!(send(&mock, "/control/reset", &json!({})).status, 200);
    assert!(mock.requests().is_empty());
}

#[test]
fn a_plain_mock_does_not_validate_and_still_fails_on_request() {
    let mock = MockUpstream::start(Settings { plain: true, ..Settings::default() }).unwrap();
    let half = json!({"model": "m", "stream": true});
    assert!(send(&mock, MESSAGES, &half).text.contains("message_stop"));
    assert_eq!(send(&mock, CHAT, &json!({"model": "m"})).json()["model"], "m");
    mock.fail(Failure::once(Failure::status(500)));
    assert_eq!(send(&mock, CHAT, &half).status, 500);
    assert!(mock.requests().is_empty());
}

#[test]
fn a_dropped_mock_stops_listening() {
    let mock = start_mock();
    let address = mock.address();
    let mut open = TcpStream::connect(address).unwrap();
    drop(mock);
    open.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert!(!matches!(open.read(&mut [0; 1]), Ok(1..)), "its connections are closed");
    assert!(TcpStream::connect(address).is_err());
}
