//! The table of faults: the bytes that a provider sends, and the outcome that must follow.

use std::time::Duration;

use contracts::{WireApi, events::ErrorClass};
use mock_upstream::RawStep;

use super::healthy::{event, events, overload, whole};

/// The outcome of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The call fails with this class before the client has received anything, so that another model may respond. The
    /// status is that of the error response if there is no other model; `None` for the one of the class.
    Before(ErrorClass, Option<u16>),
    /// The stream fails after its first events: the client receives an error event.
    Within(ErrorClass),
    /// The response is complete.
    Complete,
}

use Outcome::{Before, Complete, Within};

/// A fault: its name, the steps of the provider, and the outcomes if a stream was requested and if not.
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) steps: fn(WireApi, bool) -> Vec<RawStep>,
    pub(super) streamed: Outcome,
    pub(super) whole: Outcome,
}

const INVALID: Outcome = Before(ErrorClass::InvalidResponse, None);
const NETWORK: Outcome = Before(ErrorClass::Network, None);

/// The largest response that the gateway of the tests accepts, in bytes.
pub(super) const MAX_RESPONSE_BYTES: usize = 100_000;

/// A web page, as a captive portal sends it.
const PAGE: &str = "<!DOCTYPE html>\n<html><body>Please log in to the network.</body></html>\n";

fn send(bytes: impl Into<Vec<u8>>) -> RawStep {
    RawStep::Send(bytes.into())
}

/// A response with a status and headers, whose body ends with the connection.
fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<RawStep> {
    vec![send(format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").into_bytes()), send(body.as_ref())]
}

const fn media_type(streams: bool) -> &'static str {
    if streams { "content-type: text/event-stream\r\n" } else { "content-type: application/json\r\n" }
}

/// A response with status 200 and the media type of the API.
fn ok(streams: bool, body: impl AsRef<[u8]>) -> Vec<RawStep> {
    response("200 OK", media_type(streams), body)
}

/// A response with status 200, the media type of the API and a length.
fn with_length(streams: bool, length: usize, body: &str) -> Vec<RawStep> {
    response("200 OK", &format!("{}content-length: {length}\r\n", media_type(streams)), body)
}

/// A complete body.
fn complete(api: WireApi, streams: bool) -> String {
    if streams { events(api).concat() } else { whole(api).to_owned() }
}

/// The first two events of a stream, or the first half of another response.
fn half(api: WireApi, streams: bool) -> String {
    if streams { events(api)[..2].concat() } else { whole(api)[..whole(api).len() / 2].to_owned() }
}

/// A stream with `inserted` after two events and then its rest; any other response is `inserted`.
fn inserted(api: WireApi, streams: bool, inserted: &[u8]) -> Vec<RawStep> {
    if !streams {
        return ok(false, inserted);
    }
    let events = events(api);
    ok(true, [events[..2].concat().as_bytes(), inserted, events[2..].concat().as_bytes()].concat())
}

/// A response with a status and the JSON of another API.
fn status(status: &str) -> Vec<RawStep> {
    response(status, "content-type: application/json\r\nlocation: http://127.0.0.1:9/\r\n", "")
}

/// An error response with a web page.
fn error_page(status: &str) -> Vec<RawStep> {
    response(status, "content-type: text/html\r\n", PAGE)
}

macro_rules! faults {
    ($($name:literal: |$api:pat_param, $streams:pat_param| $steps:expr => $streamed:expr, $whole:expr;)*) => {
        /// All faults.
        pub(super) const FAULTS: &[Fault] = &[$(Fault {
            name: $name,
            steps: |$api, $streams| $steps,
            streamed: $streamed,
            whole: $whole,
        }),*];
    };
}

faults! {
    "a web page": |_, _| error_page("200 OK") => INVALID, INVALID;
    "a web page as JSON or events": |_, streams| ok(streams, PAGE) => INVALID, INVALID;
    "an empty body with a length": |_, streams| with_length(streams, 0, "") => INVALID, INVALID;
    "an empty body": |_, streams| ok(streams, "") => INVALID, INVALID;
    "white space": |_, streams| ok(streams, "\n\n \n") => INVALID, INVALID;
    "an empty object": |_, streams| ok(streams, "{}") => INVALID, INVALID;
    "an empty list": |_, streams| ok(streams, "[]") => INVALID, INVALID;
    "null": |_, streams| ok(streams, "null") => INVALID, INVALID;
    "an empty object as an event": |api, streams| ok(streams, if streams { event(api, "{}") } else { "{}".to_owned() })
        => INVALID, INVALID;
    "half of the JSON": |api, _| ok(false, half(api, false)) => INVALID, INVALID;
    "half of the first event": |api, streams| ok(streams, &events(api)[0][..40])
        => INVALID, INVALID;
    "garbage": |_, streams| ok(streams, [0x9c, 0xff, 0x00, 0x13, 0xfe, 0x0a, 0x80, 0x81]) => INVALID, INVALID;
    "text": |_, streams| ok(streams, "upstream connect error or disconnect/reset before headers\n")
        => INVALID, INVALID;
    "status 407": |_, _| response("407 Proxy Authentication Required", "content-type: application/json\r\nproxy-authenticate: Basic\r\n", "{}")
        => INVALID, INVALID;
    "gzip": |_, streams| response("200 OK", &format!("{}content-encoding: gzip\r\n", media_type(streams)), [31, 139, 8, 0])
        => INVALID, INVALID;
    "br": |_, streams| response("200 OK", &format!("{}content-encoding: br\r\n", media_type(streams)), [1, 2, 3])
        => INVALID, INVALID;
    "zstd": |_, streams| response("200 OK", &format!("{}content-encoding: zstd\r\n", media_type(streams)), [40, 181, 47, 253])
        => INVALID, INVALID;
    "gzip without a header": |_, streams| ok(streams, [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72]) => INVALID, INVALID;
    "fewer bytes than promised": |api, streams| with_length(streams, 9_000, &half(api, streams))
        => Within(ErrorClass::Network), NETWORK;
    "more bytes than promised": |api, streams| with_length(streams, half(api, streams).len() + 9, &complete(api, streams))
        => Within(ErrorClass::Network), INVALID;
    "no response": |_, _| Vec::new() => NETWORK, NETWORK;
    "no HTTP": |_, _| vec![send("SSH-2.0-OpenSSH_9.2\r\n")] => NETWORK, NETWORK;
    "half of a head": |_, _| vec![send("HTTP/1.1 200 OK\r\ncontent-ty")] => NETWORK, NETWORK;
    "an invalid chunk": |_, streams| response("200 OK", &format!("{}transfer-encoding: chunked\r\n", media_type(streams)), "zz\r\n")
        => NETWORK, NETWORK;
    "an end between events": |api, streams| ok(streams, half(api, streams)) => Within(ErrorClass::Network), INVALID;
    "an end within an event": |api, streams| ok(streams, if streams { half(api, true) + "data: {\"ty" } else { half(api, false) })
        => Within(ErrorClass::Network), INVALID;
    "an event that is not JSON": |api, streams| inserted(api, streams, b"data: {\"broken\": \n\n")
        => Within(ErrorClass::InvalidResponse), INVALID;
    "lines that are no event": |api, streams| inserted(api, streams, b"<html>oops</html>\n\n")
        => Within(ErrorClass::InvalidResponse), INVALID;
    "bytes that are not UTF-8": |api, streams| inserted(api, streams, b"data: {\"type\":\"\xff\xfe\"}\n\n")
        => Within(ErrorClass::InvalidResponse), INVALID;
    "JSON of something else": |api, streams| inserted(api, streams, if streams { b"data: {\"hello\":1}\n\n" } else { b"{\"hello\":1}" })
        => Within(ErrorClass::InvalidResponse), INVALID;
    "an error at the start": |api, streams| ok(streams, if streams { event(api, overload(api)) } else { overload(api).to_owned() })
        => Before(ErrorClass::Overloaded, None), Before(ErrorClass::Overloaded, None);
    "an error within": |api, streams| if streams {
        // In the same chunk as the first events it would precede the first byte for the client.
        let error = event(api, overload(api)).into_bytes();
        [ok(true, half(api, true)), vec![RawStep::Wait(Duration::from_millis(500)), send(error)]].concat()
    } else {
        ok(false, overload(api))
    }
        => Within(ErrorClass::Overloaded), Before(ErrorClass::Overloaded, None);
    "a response that is too large": |api, streams| ok(streams, half(api, streams) + &format!(": {}\n\n", "x".repeat(90)).repeat(1_200))
        => Within(ErrorClass::InvalidResponse), INVALID;
    "silence before the response": |_, _| vec![RawStep::Stall]
        => Before(ErrorClass::Timeout, None), Before(ErrorClass::Timeout, None);
    "silence after the head": |_, streams| [ok(streams, ""), vec![RawStep::Stall]].concat()
        => Before(ErrorClass::Timeout, None), Before(ErrorClass::Timeout, None);
    "silence within": |api, streams| [ok(streams, half(api, streams)), vec![RawStep::Stall]].concat()
        => Within(ErrorClass::Timeout), Before(ErrorClass::Timeout, None);
    "events that were not requested": |api, streams| ok(true, if streams { String::new() } else { complete(api, true) })
        => INVALID, INVALID;
    "101": |_, _| status("101 Switching Protocols") => INVALID, INVALID;
    "201": |_, _| status("201 Created") => INVALID, INVALID;
    "204": |_, _| status("204 No Content") => INVALID, INVALID;
    "206": |_, _| status("206 Partial Content") => INVALID, INVALID;
    "302": |_, _| status("302 Found") => INVALID, INVALID;
    "304": |_, _| status("304 Not Modified") => INVALID, INVALID;
    "307": |_, _| status("307 Temporary Redirect") => INVALID, INVALID;
    "600": |_, _| status("600 Odd") => INVALID, INVALID;
    "999": |_, _| status("999 Odd") => INVALID, INVALID;
    "429 with a web page": |_, _| error_page("429 Too Many Requests")
        => Before(ErrorClass::RateLimit, Some(429)), Before(ErrorClass::RateLimit, Some(429));
    "500 with a web page": |_, _| error_page("500 Internal Server Error")
        => Before(ErrorClass::ServerError, Some(500)), Before(ErrorClass::ServerError, Some(500));
    "503 with an empty body": |_, _| status("503 Service Unavailable")
        => Before(ErrorClass::Overloaded, Some(503)), Before(ErrorClass::Overloaded, Some(503));
    "529 with a web page": |_, _| error_page("529 Overloaded")
        => Before(ErrorClass::Overloaded, Some(529)), Before(ErrorClass::Overloaded, Some(529));
    "comments, CRLF and no end of the last event": |api, streams| ok(streams, if streams {
        let events = events(api).concat().replace('\n', "\r\n");
        format!(": ping\r\n\r\n{}", events.trim_end())
    } else {
        format!("\r\n {} \r\n", whole(api))
    }) => Complete, Complete;
    "a response in small pieces": |api, streams| {
        let body = complete(api, streams);
        let pieces = body.as_bytes().chunks(97).flat_map(|piece| {
            [send(piece), RawStep::Wait(Duration::from_micros(200))]
        });
        ok(streams, "").into_iter().chain(pieces).collect()
    } => Complete, Complete;
    "garbage after the end": |api, streams| with_length(streams, complete(api, streams).len(), &(complete(api, streams) + PAGE))
        => Complete, Complete;
}
