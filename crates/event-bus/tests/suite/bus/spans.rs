//! The tracing span of a reactor's step.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use event_bus::{Expected, MemoryLog, Reactor, RetryAfter};
use event_core::{NewEvent, Recorded};
use serde_json::{Value, json};
use tracing_subscriber::{filter::LevelFilter, fmt::format::FmtSpan};

use super::{numbers, start};
use crate::support::run;

/// A reactor that fails once with a warning, then records an event for each event but its own.
#[derive(Default)]
struct FailsOnce {
    /// Whether it has failed.
    has_failed: bool,
}

#[async_trait]
impl Reactor for FailsOnce {
    fn name(&self) -> &'static str {
        "test.fails_once"
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        if !std::mem::replace(&mut self.has_failed, true) {
            tracing::warn!("unreachable");
            return Err(RetryAfter(Duration::from_millis(1)));
        }
        let answered = events.iter().filter(|event| event.event.kind != "test.answered");
        Ok(answered.map(super::reactors::answer).collect())
    }
}

/// A writer that collects the bytes written to it.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a bus with a reactor that fails once and three events. Returns the lines logged at `level` and above, as JSON.
fn lines(level: LevelFilter) -> Vec<Value> {
    let buffer = Buffer::default();
    let writer = buffer.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(level)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(move || writer.clone());
    tracing::subscriber::with_default(subscriber.finish(), || {
        run(async {
            let bus = start(Arc::new(MemoryLog::new()));
            bus.run(Box::new(FailsOnce::default())).await.unwrap();
            bus.append(Expected::Any, numbers(0, 3)).await.unwrap();
            while bus.head().0 < 6 {
                bus.head_after(bus.head()).await.unwrap();
            }
            bus.close().await.unwrap();
        });
    });
    let written = buffer.0.lock().unwrap();
    written.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns the expected fields of the span of one step with three events.
fn step(after: u64, attempts: u64, recorded: u64) -> Value {
    let (name, reactor) = ("reactor_step", "test.fails_once");
    json!({ "name": name, "reactor": reactor, "after": after, "events": 3, "attempts": attempts, "recorded": recorded })
}

#[test]
fn each_step_of_a_reactor_is_a_span_with_its_position_and_attempts() {
    let lines = lines(LevelFilter::DEBUG);
    let closed: Vec<_> = lines.iter().filter(|line| line["fields"]["message"] == "close").collect();
    let spans: Vec<_> = closed.iter().map(|line| line["span"].clone()).collect();
    assert_eq!(spans, [step(0, 2, 3), step(3, 1, 0)]);
    let warned = lines.iter().find(|line| line["level"] == "WARN").unwrap();
    assert_eq!((&warned["span"]["reactor"], &warned["span"]["attempts"]), (&"test.fails_once".into(), &1.into()));
}

#[test]
fn a_disabled_level_creates_no_span() {
    let lines = lines(LevelFilter::WARN);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["level"], &lines[0]["span"]), (&"WARN".into(), &Value::Null));
}
