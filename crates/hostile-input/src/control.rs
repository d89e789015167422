//! Fuzz target for the control socket: its frames, and the operations in them.

use std::sync::{Arc, LazyLock};

use ::control::{decode_request, decode_response, encode_request, encode_response, execute};
use engine::{Engine, Home, Models, Stores};
use event_bus::{EventLog, ManualClock, MemoryLog, MemoryTexts};
use event_core::{Position, Timestamp};

/// The models of the engine.
static MODELS: LazyLock<Models> =
    LazyLock::new(|| Models::from_registry(catalogue::load_registry(None).expect("the built-in models are read")));

/// A time on 1 January 2027.
const NOW: Timestamp = Timestamp::from_secs(1_798_761_600);

/// Reads each line as a response and as a request of the control protocol, and executes the requests on one engine.
///
/// Panics if a request or response changes in a round trip, if a command cannot read the response to a request, if an
/// error is much longer than its line, or if the log cannot be folded again after the requests.
pub fn check_control(data: &[u8]) {
    let log = Arc::new(MemoryLog::new());
    let mut engine = None;
    for line in data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        check_response(line);
        let request = match decode_request(line) {
            Ok(request) => request,
            Err(error) => {
                assert!(error.message.len() <= line.len() + 500, "an error of {} bytes", error.message.len());
                continue;
            }
        };
        let encoded = encode_request(&request).expect("a request can be encoded");
        let again = decode_request(&encoded).expect("an encoded request can be decoded");
        assert_eq!(encode_request(&again).ok(), Some(encoded), "a request changes in a round trip");
        let engine = engine.get_or_insert_with(|| open(&log));
        let result = execute(engine, request);
        let frame = encode_response(result.clone());
        assert_eq!(frame.iter().position(|byte| *byte == b'\n'), Some(frame.len() - 1), "a response is one line");
        assert_eq!(decode_response(&frame), result, "a response changes in a round trip");
    }
    let Some(mut engine) = engine else { return };
    engine.commit().expect("what was recorded can be made durable");
    let events = log.read_after(Position::ORIGIN, usize::MAX).expect("the log reads");
    let folded = open(&log);
    assert_eq!(folded.position(), Position(events.len() as u64));
}

/// Opens an engine on a log in memory, without a home folder.
fn open(log: &Arc<MemoryLog>) -> Engine {
    let stores = Stores {
        log: Arc::clone(log) as Arc<dyn EventLog>,
        texts: Arc::new(MemoryTexts::default()),
        clock: Box::new(ManualClock::new(NOW)),
        offset: |_| 0,
    };
    Engine::with_models(&Home::new("/nonexistent", None), MODELS.clone(), stores).expect("an engine opens")
}

/// Parses a line as a response of the control socket, as commands do.
fn check_response(line: &[u8]) {
    let response = decode_response(line);
    let frame = encode_response(response.clone());
    if let Err(error) = &response {
        assert!(error.message.len() <= line.len() + 500, "an error of {} bytes", error.message.len());
    }
    assert_eq!(decode_response(&frame), response, "a response changes in a round trip");
}
