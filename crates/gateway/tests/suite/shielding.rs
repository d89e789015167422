//! Keys in responses, headers in both directions, the joint limit of request bodies, and addresses of providers.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use contracts::{
    Usage,
    events::{LlmCallCompleted, LlmCallFailed},
};
use mock_upstream::{RawStep, RawUpstream};

use crate::support::{KEY, Wish, World, message, streamed};

const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\n";

/// Returns a gateway whose provider sends these parts of a response to every request.
fn before(parts: &[String]) -> World {
    let parts = parts.to_vec();
    let upstream = RawUpstream::start(move |_| {
        let steps = parts
            .iter()
            .flat_map(|part| [RawStep::Send(part.clone().into_bytes()), RawStep::Wait(Duration::from_millis(20))]);
        steps.collect()
    });
    World::wished(&Wish { policy: POLICY, upstream: Some(upstream.unwrap().url()), ..Wish::default() })
}

/// The head of a response with further headers.
fn head(status: &str, kind: &str, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close, x-ratelimit-hop\r\ncontent-type: {kind}\r\n{headers}\r\n")
}

#[test]
fn a_key_in_an_error_a_body_or_a_header_does_not_reach_the_client_or_the_log() {
    let error = format!(
        "{{\"type\":\"error\",\"error\":{{\"type\":\"invalid_request_error\",\"message\":\"bad key {KEY}\"}}}}"
    );
    let body = format!(
        "{{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{{\"type\":\"text\",\"text\":\"{KEY}\"}}],\
         \"stop_reason\":\"end_turn\",\"usage\":{{\"input_tokens\":1,\"output_tokens\":1,\"note\":\"{KEY}\"}}}}"
    );
    for (status, content) in [("400 Bad Request", error), ("200 OK", body)] {
        let world = before(&[head(status, "application/json", &format!("request-id: {KEY}\r\n")) + &content]);
        let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
        assert_eq!(answer.status.as_u16().to_string(), status[..3]);
        assert!(answer.body.contains("*****") && !answer.body.contains(KEY), "{status}: {answer:?}");
        assert!(!format!("{:?}", answer.headers).contains(KEY), "{answer:?}");
        world.ended(1);
        assert!(!world.log_text().contains(KEY), "{status}");
    }
}

/// Attack: a provider that repeats the key in an encoded form.
/// Holds: neither the client nor the log receives it.
#[test]
fn an_encoded_key_in_a_response_does_not_reach_the_client_or_the_log() {
    // The base64 of the key, and of `user:` and the key.
    let base64 = ["c2stb2YtdGhlLWdhdGV3YXk=", "dXNlcjpzay1vZi10aGUtZ2F0ZXdheQ=="];
    let escaped = KEY.bytes().map(|byte| format!("\\u{byte:04x}")).collect::<Vec<_>>().concat();
    let percent = KEY.replace('-', "%2D");
    for form in base64.into_iter().chain([escaped.as_str(), percent.as_str()]) {
        let body = format!(
            "{{\"type\":\"error\",\"error\":{{\"type\":\"invalid_request_error\",\"message\":\"bad key {form}\"}}}}"
        );
        let headers = if form.contains('\\') { String::new() } else { format!("request-id: {form}\r\n") };
        let world = before(&[head("400 Bad Request", "application/json", &headers) + &body]);
        let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
        let received = format!("{:?} {}", answer.headers, answer.body);
        assert!(received.contains("*****"), "{form}: {received}");
        for secret in [form, KEY, &form[8..form.len() - 4]] {
            assert!(!received.contains(secret), "{secret}: {received}");
        }
        assert!(!answer.json()["error"]["message"].as_str().unwrap().contains(KEY), "{received}");
        world.ended(1);
        assert!(!world.log_text().contains(&form[8..form.len() - 4]), "{form}");
    }
}

/// Sends bytes that are no request and returns the whole response.
fn raw(world: &World, bytes: &str) -> String {
    let mut stream = TcpStream::connect(world.url.strip_prefix("http://").unwrap()).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut received = Vec::new();
    // The gateway may reset the connection after its response.
    let _ = stream.read_to_end(&mut received);
    String::from_utf8(received).unwrap()
}

/// Attack: bytes that are no HTTP request, and headers beyond the limits.
/// Holds: the response has no body, so no browser can guess its type.
#[test]
fn bytes_that_are_no_request_get_a_response_without_a_body() {
    let world = World::new(POLICY);
    let many = "x-many: 1\r\n".repeat(300);
    let long = format!("x-long: {}\r\n", "a".repeat(400_000));
    for (request, status) in [
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n".to_owned(), "400"),
        ("<script>alert(1)</script>\r\n\r\n".to_owned(), "400"),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), "400"),
        ("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n".to_owned(), "400"),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), "431"),
        (format!("GET / HTTP/1.1\r\n{long}\r\n"), "431"),
    ] {
        let response = raw(&world, &request);
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{request:.60}: {response:?}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request:.60}: {head}");
        assert_eq!(body, "", "{request:.60}");
        assert!(head.contains("content-length: 0"), "{request:.60}: {head}");
    }
    assert_eq!(world.send(&hyper::Method::GET, "/health", &[], "").status, 200);
}

#[test]
fn a_key_divided_over_chunks_of_a_stream_does_not_reach_the_client() {
    let delta = format!(
        "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{KEY}\"}}}}\n\n"
    );
    let start =
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"content\":[]}}\n\n";
    let end = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let middle = delta.find(KEY).unwrap() + KEY.len() / 2;
    let (first, second) = delta.split_at(middle);
    let parts = [head("200 OK", "text/event-stream", "") + start, first.to_owned(), format!("{second}{end}")];
    let answer = before(&parts).post("/v1/messages", &[], &streamed("turnwise", "hello"));
    assert!(answer.body.contains("*****") && answer.body.contains("message_stop"), "{answer:?}");
    assert!(!answer.body.contains("sk-of") && !answer.body.contains("gateway\""), "{answer:?}");
}

#[test]
fn headers_are_forwarded_by_name_in_both_directions() {
    let headers = "access-control-allow-origin: *\r\nset-cookie: a=b\r\nclear-site-data: \"*\"\r\nx-turnwise-model: fake\r\n\
                   x-turnwise-extra: fake\r\nstrict-transport-security: max-age=1\r\nrequest-id: req_1\r\n\
                   anthropic-ratelimit-requests-remaining: 7\r\nx-ratelimit-hop: 1\r\ncontent-encoding: identity\r\n";
    let body = "{\"type\":\"message\",\"content\":[],\"stop_reason\":\"end_turn\"}";
    let world = before(&[head("200 OK", "application/json", headers) + body]);
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    for name in [
        "access-control-allow-origin",
        "set-cookie",
        "clear-site-data",
        "x-turnwise-extra",
        "strict-transport-security",
        "x-ratelimit-hop",
    ] {
        assert_eq!(answer.header(name), "", "{name}");
    }
    assert_eq!(answer.header("request-id"), "req_1");
    assert_eq!(answer.header("anthropic-ratelimit-requests-remaining"), "7");
    assert_eq!(answer.headers.get_all("x-turnwise-model").iter().count(), 1);
    assert_eq!(answer.header("x-turnwise-model"), "anthropic:claude-sonnet-5-5");

    let world = World::new(POLICY);
    let sent = [
        ("connection", "keep-alive, x-session-hop"),
        ("x-session-hop", "1"),
        ("x-forwarded-for", "10.0.0.1"),
        ("cookie", "a=b"),
        ("x-turnwise-model", "fake"),
        ("x-evil", "1"),
        ("anthropic-beta", "context-1m"),
        ("x-stainless-lang", "js"),
        ("user-agent", "claude-cli/2"),
    ];
    world.post("/v1/messages", &sent, &message("turnwise", "hello"));
    let received = world.mock.requests().pop().unwrap();
    for name in ["x-session-hop", "x-forwarded-for", "cookie", "x-turnwise-model", "x-evil"] {
        assert_eq!(received.header(name), None, "{name}");
    }
    assert_eq!(received.header("anthropic-beta"), Some("context-1m"));
    assert_eq!(
        (received.header("x-stainless-lang"), received.header("user-agent")),
        (Some("js"), Some("claude-cli/2"))
    );
}

#[test]
fn every_response_forbids_to_guess_its_type() {
    let world = World::new(POLICY);
    for path in ["/", "/health", "/metrics", "/v1/models", "/turns/unknown", "/page/none.js", "/nothing"] {
        let answer = world.send(&hyper::Method::GET, path, &[], "");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    }
    let refused = world.send(&hyper::Method::GET, "/", &[("host", "evil.example")], "");
    assert_eq!((refused.status.as_u16(), refused.header("x-content-type-options")), (403, "nosniff"));
}

/// Connects and sends the head of a request and a part of its body.
fn stall(world: &World, announced: usize, sent: usize) -> TcpStream {
    let address = world.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "POST /v1/messages HTTP/1.1\r\nhost: {address}\r\ncontent-length: {announced}\r\n\r\n").unwrap();
    stream.write_all(&vec![b' '; sent]).unwrap();
    stream
}

#[test]
fn stalled_requests_give_way_to_new_ones_when_their_joint_limit_is_reached() {
    const BUDGET: usize = 2 * 1024 * 1024;
    let wish = Wish { policy: POLICY, body_bytes: Some(BUDGET), total_body_bytes: Some(BUDGET), ..Wish::default() };
    let world = World::wished(&wish);
    let mut stalled: Vec<_> = (0..4).map(|_| stall(&world, BUDGET, BUDGET / 4 - 2_000)).collect();
    std::thread::sleep(Duration::from_millis(1_200));
    let began = Instant::now();
    let answer = world.post("/v1/messages", &[], &message("turnwise", &"a".repeat(300_000)));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    let refused = stalled.iter_mut().map(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let mut received = [0; 2_000];
        let bytes = stream.read(&mut received).unwrap_or(0);
        let text = String::from_utf8_lossy(&received[..bytes]);
        text.starts_with("HTTP/1.1 503") && text.contains("retry-after: 5") && text.contains("total_body_bytes")
    });
    assert_eq!(refused.filter(|refused| *refused).count(), 1, "one sender gave way");
}

#[test]
fn a_provider_whose_name_resolves_to_a_metadata_service_is_not_connected() {
    // The resolver of the operating system reads the number as 169.254.169.254.
    let upstream = Some("http://2852039166".to_owned());
    let world = World::wished(&Wish { policy: POLICY, upstream, ..Wish::default() });
    let began = Instant::now();
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!(answer.status, 502, "{}", answer.body);
    assert!(began.elapsed() < Duration::from_secs(5), "no connection was attempted: {:?}", began.elapsed());
    world.ended(1);
    assert_eq!(world.events::<LlmCallFailed>()[0].class, contracts::events::ErrorClass::Network);
}

#[test]
fn an_absurd_usage_is_recorded_as_sent_and_neither_counted_nor_charged() {
    for count in ["18446744073709551615", "9000000000000"] {
        let body = format!(
            "{{\"type\":\"message\",\"content\":[],\"stop_reason\":\"end_turn\",\"usage\":{{\"input_tokens\":5,\"output_tokens\":{count}}}}}"
        );
        let policy = "schema_version: 1\nglobal_default: sonnet\nbudgets: [{limit_usd: 1, period: day}]\n";
        let world = before(&[head("200 OK", "application/json", "") + &body]);
        world.set_policy(policy);
        let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        world.ended(1);
        let call = &world.events::<LlmCallCompleted>()[0];
        assert_eq!((call.usage, call.cost), (Usage::default(), None));
        assert!(call.raw_usage.as_ref().unwrap().contains(count), "{call:?}");
        let turn = world.send(&hyper::Method::GET, &format!("/turns/{}", answer.header("x-turnwise-turn")), &[], "");
        assert!(turn.body.contains("\"usage_is_implausible\":true"), "{}", turn.body);
        let next = world.post("/v1/messages", &[], &message("turnwise", "hello again"));
        assert_eq!(next.status, 200, "the budget is not spent: {}", next.body);
    }
}
