//! The reactor that exports ended turns to the collector.
//!
//! The log is the queue: only the spans of the events being handled are in memory, and an unreachable collector delays
//! this reactor alone.

use std::time::Duration;

use adapters::HttpClient;
use async_trait::async_trait;
use event_bus::{EventLog, LogError, Reactor, RetryAfter};
use event_core::{NewEvent, Position, Recorded};
use hyper::body::Bytes;

use super::{
    otlp::{self, Span},
    post::{Export, post},
    turns::Turns,
};
use crate::configuration::Collector;

/// The number of events per read while resuming.
const RESUME_BATCH: usize = 512;
/// The number of events before the resume position that are folded again, to restore the turns that were running then.
const LOOKBACK: u64 = 20_000;
/// How long the bus collects events, so that several turns are exported in one request.
const BATCH_DELAY: Duration = Duration::from_secs(1);
/// The pause before the first retry; it doubles with each further one.
const MIN_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause, even if the collector requests a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Exports the spans of turns that end to an OpenTelemetry collector, at least once each unless the collector refuses
/// them.
pub(crate) struct Exporter {
    /// The HTTP client that the gateway shares.
    client: HttpClient,
    /// The endpoint for spans.
    collector: Collector,
    /// The open turns, folded up to `folded`.
    turns: Turns,
    /// The position of the last event folded into `turns`. A retry delivers folded events again.
    folded: Position,
    /// Spans of the events being handled that the collector has not accepted.
    unsent: Vec<Span>,
    /// The pause before the next retry; `None` if the last request succeeded.
    retry: Option<Duration>,
    /// Whether a rejection by the collector was logged, which happens once.
    rejection_logged: bool,
}

impl Exporter {
    /// Creates an exporter to `collector` without open turns. The bus calls `resume` before it passes the first events.
    pub(crate) fn new(client: HttpClient, collector: Collector) -> Self {
        Self {
            client,
            collector,
            turns: Turns::default(),
            folded: Position::ORIGIN,
            unsent: Vec::new(),
            retry: None,
            rejection_logged: false,
        }
    }

    /// Adds events of the log to the open turns, and returns the spans of the turns that end with them. Skips events up
    /// to `folded`, and events that cannot be decoded.
    fn fold(&mut self, events: &[Recorded]) -> Vec<Span> {
        let mut spans = Vec::new();
        for event in events.iter().filter(|event| self.folded < event.position) {
            match self.turns.apply(event) {
                Ok(ended) => spans.extend(ended.into_iter().flatten()),
                // An event of an unknown version is skipped.
                Err(error) => tracing::debug!(%error, "an event cannot be exported"),
            }
        }
        if let Some(last) = events.last() {
            self.folded = self.folded.max(last.position);
        }
        spans
    }

    /// Sends the unsent spans to the collector in one request. Spans that the collector refuses are dropped; only the
    /// first refusal is logged.
    ///
    /// # Errors
    /// [`RetryAfter`] with the pause before the next request, if the collector is unreachable or busy.
    async fn send(&mut self) -> Result<(), RetryAfter> {
        let body = match otlp::encode_request(&self.unsent) {
            Ok(body) => Bytes::from(body),
            Err(error) => {
                tracing::error!(%error, "spans cannot be encoded");
                return Ok(());
            }
        };
        let (host, spans) = (self.collector.host().to_owned(), self.unsent.len());
        match post(&self.client, &self.collector, body).await {
            Export::Accepted { rejected: 0 } => self.log_recovery(&host),
            Export::Accepted { rejected } => {
                self.log_recovery(&host);
                self.log_rejection(|| {
                    tracing::warn!(host, rejected, spans, "the collector rejected spans; logged once");
                });
            }
            Export::Refused(status) => {
                self.log_recovery(&host);
                self.log_rejection(|| {
                    tracing::warn!(host, %status, spans, "the collector refused spans, which are lost; logged once");
                });
            }
            Export::Retry { cause, after } => {
                if self.retry.is_none() {
                    tracing::warn!(host, cause, "traces cannot be exported; they are exported later");
                }
                let pause = self.retry.unwrap_or(MIN_PAUSE);
                self.retry = Some(pause.saturating_mul(2).min(MAX_PAUSE));
                return Err(RetryAfter(after.unwrap_or(pause).clamp(MIN_PAUSE, MAX_PAUSE)));
            }
        }
        Ok(())
    }

    /// Resets the pause between requests. If the last request failed, also logs that the collector is reachable again.
    fn log_recovery(&mut self, host: &str) {
        if self.retry.take().is_some() {
            tracing::warn!(host, "traces are exported again");
        }
    }

    /// Calls `log` for the first rejection by the collector, and does nothing for later ones.
    fn log_rejection(&mut self, log: impl FnOnce()) {
        if !std::mem::replace(&mut self.rejection_logged, true) {
            log();
        }
    }
}

#[async_trait]
impl Reactor for Exporter {
    fn name(&self) -> &'static str {
        "traces"
    }

    fn resume(&mut self, log: &dyn EventLog, handled: Position) -> Result<(), LogError> {
        self.folded = Position(handled.0.saturating_sub(LOOKBACK));
        while self.folded < handled {
            let mut events = log.read_after(self.folded, RESUME_BATCH)?;
            events.retain(|event| event.position <= handled);
            if events.is_empty() {
                break;
            }
            // These turns were exported before.
            drop(self.fold(&events));
        }
        self.folded = handled;
        Ok(())
    }

    fn batch_delay(&self) -> Duration {
        BATCH_DELAY
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        let spans = self.fold(events);
        self.unsent.extend(spans);
        if !self.unsent.is_empty() {
            self.send().await?;
            self.unsent.clear();
        }
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests;
