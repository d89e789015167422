//! Shutdown of a gateway: it stops accepting connections, finishes or cancels running requests, records their outcome,
//! drains the reactors, makes the log durable and closes it.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use contracts::events::TurnEnded;
use event_bus::{BusError, EventLog as _, Reactor, RetryAfter};
use event_core::{EventType as _, NewEvent, Position, Recorded};

use crate::support::{Wish, World, streamed};

/// A policy that chooses Sonnet for every turn.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\n";

/// Head and first events of a streamed response of the Messages API.
const FIRST_HALF: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\
\"role\":\"assistant\",\"model\":\"claude-sonnet-5-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\
\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n\
event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\
\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";

/// The remaining events of the response.
const SECOND_HALF: &str = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\
\"stop_sequence\":null},\"usage\":{\"output_tokens\":2}}\n\n\
event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/// Starts a provider that streams the first half of a response, and the second when the returned sender sends. If the
/// sender is dropped instead, the provider leaves the connection open until the gateway closes it.
fn provider() -> (String, Sender<()>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (release, released) = channel();
    (url, release, std::thread::spawn(move || respond(&listener, &released)))
}

/// Accepts a connection, reads its request and streams the response of [`provider`].
fn respond(listener: &TcpListener, released: &Receiver<()>) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        let mut chunk = [0; 4_096];
        let bytes = stream.read(&mut chunk).unwrap();
        request.extend_from_slice(&chunk[..bytes]);
    }
    stream.write_all(FIRST_HALF.as_bytes()).unwrap();
    if released.recv().is_ok() {
        stream.write_all(SECOND_HALF.as_bytes()).unwrap();
    } else {
        // Blocks until the gateway closes the connection.
        let _ = stream.read(&mut [0]);
    }
}

/// A reactor that records an event for each turn that ends.
struct Witness;

#[async_trait]
impl Reactor for Witness {
    fn name(&self) -> &'static str {
        "test.witness"
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        let ended = events.iter().filter(|event| event.event.kind == TurnEnded::KIND);
        Ok(ended
            .map(|event| NewEvent {
                id: event.event.id.then("test.witnessed", 0),
                kind: "test.witnessed".into(),
                ..event.event.clone().caused_by(event.event.id)
            })
            .collect())
    }
}

/// Stops a gateway while it forwards a stream, and returns the kinds of the events recorded after the stream began,
/// without verdicts. If `completes` is set, the provider completes the stream during the shutdown.
fn stop_during_a_stream(completes: bool) -> Vec<String> {
    let (url, release, provider) = provider();
    let upstream = Some(url);
    let world = World::wished(&Wish { policy: POLICY, upstream, shutdown_ms: Some(500), ..Wish::default() });
    world.run(world.gateway.bus().run(Box::new(Witness))).unwrap();
    let address = world.url.strip_prefix("http://").unwrap().to_owned();
    let body = streamed("turnwise", "hello").to_string();
    let mut client = TcpStream::connect(&address).unwrap();
    write!(
        client,
        "POST /v1/messages HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains("content_block_start") {
        let mut chunk = [0; 4_096];
        let bytes = client.read(&mut chunk).unwrap();
        received.extend_from_slice(&chunk[..bytes]);
    }
    let begun = world.log.head().unwrap();
    let (log, bus) = (world.log.clone(), world.gateway.bus().clone());
    let finish = completes.then(|| {
        std::thread::spawn(move || {
            // After the gateway has stopped accepting.
            while TcpStream::connect(&address).is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
            release.send(()).unwrap();
        })
    });
    let runtime = world.stop();
    let _ = client.read_to_end(&mut received);
    let complete = String::from_utf8_lossy(&received).contains("message_stop");
    assert_eq!(complete, completes, "a stream that finishes in time is relayed to its end");
    if let Some(finish) = finish {
        finish.join().unwrap();
    }
    provider.join().unwrap();
    let closed = runtime.block_on(bus.query(|_| ()));
    assert!(matches!(closed, Err(BusError::Closed)), "{closed:?}");
    let head = log.head().unwrap();
    assert_eq!(log.load_checkpoint("reactor.test.witness").unwrap().unwrap().position, head);
    assert_eq!(log.load_checkpoint("sessions").unwrap().unwrap().position, head, "the state is saved last");
    let events = log.read_after(begun, 100).unwrap();
    events.iter().map(|event| event.event.kind.to_string()).filter(|kind| !kind.starts_with("eval.")).collect()
}

#[test]
fn a_stream_that_completes_in_time_is_recorded_before_the_reactors_are_drained_and_the_log_closed() {
    let kinds = stop_during_a_stream(true);
    assert_eq!(kinds, ["llm.call_completed", "turn.ended", "test.witnessed"]);
}

#[test]
fn a_stream_that_takes_too_long_is_cancelled_and_recorded_before_the_reactors_are_drained() {
    let kinds = stop_during_a_stream(false);
    assert_eq!(kinds, ["llm.call_failed", "turn.ended", "test.witnessed"]);
}

#[test]
fn a_live_stream_of_the_page_ends_when_the_shutdown_begins() {
    let world = World::new(POLICY);
    let address = world.url.strip_prefix("http://").unwrap().to_owned();
    let mut page = TcpStream::connect(&address).unwrap();
    write!(page, "GET /api/live HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains("event: status") {
        let mut chunk = [0; 4_096];
        let bytes = page.read(&mut chunk).unwrap();
        assert_ne!(bytes, 0, "{}", String::from_utf8_lossy(&received));
        received.extend_from_slice(&chunk[..bytes]);
    }
    let begun = Instant::now();
    let _runtime = world.stop();
    assert!(begun.elapsed() < Duration::from_secs(5), "of the 10 that requests may take: {:?}", begun.elapsed());
    page.read_to_end(&mut received).unwrap();
    assert!(received.ends_with(b"0\r\n\r\n"), "the response ends as a whole");
}

#[test]
fn the_log_is_unchanged_after_the_stop() {
    let world = World::new(POLICY);
    world.post("/v1/messages", &[("connection", "close")], &streamed("turnwise", "hello"));
    let log = world.log.clone();
    let _runtime = world.stop();
    let head = log.head().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!((log.head().unwrap(), head < Position(4)), (head, false));
}
