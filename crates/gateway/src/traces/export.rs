//! Telling the collector of turns that have ended: a task that follows the log and that nobody waits for.
//!
//! What was not told yet stands in the log, so nothing is kept here but the batch that is being sent.

use std::time::Duration;

use hyper::body::Bytes;
use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{Instant, sleep},
};

use super::{
    following::{Batch, Following},
    otlp,
    post::{Told, post},
};
use crate::{configuration::Collector, upstream::HttpClient};

/// How long the last traces may take when the gateway stops.
pub(crate) const FINISH_WITHIN: Duration = Duration::from_secs(2);
/// How long a batch waits for more turns.
const GATHER: Duration = Duration::from_secs(1);
/// How often the log is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(100);
/// Before a batch is sent again; each further time twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest of these, whatever the collector asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What telling the collector takes.
#[derive(Debug)]
pub(crate) struct Export {
    client: HttpClient,
    collector: Collector,
    /// Where the log ends, as it grows.
    heads: watch::Receiver<u64>,
    /// Set when the gateway stops.
    finish: watch::Receiver<bool>,
    /// Since the last try the collector could not be told.
    failing: bool,
    /// That it refuses spans was said once.
    refusing: bool,
}

impl Export {
    pub(crate) const fn new(
        client: HttpClient,
        collector: Collector,
        heads: watch::Receiver<u64>,
        finish: watch::Receiver<bool>,
    ) -> Self {
        Self { client, collector, heads, finish, failing: false, refusing: false }
    }

    /// Tells the collector of what ends, until the gateway stops and everything that has ended by then was told, or
    /// cannot be.
    pub(crate) async fn run(mut self, mut following: Following) {
        let (mut batch, mut since) = (Batch::default(), None::<Instant>);
        loop {
            let finishing = self.is_finishing();
            self.heads.borrow_and_update();
            let reading = spawn_blocking(move || {
                let read = following.read(&mut batch);
                read.map(|()| (following, batch))
            });
            // The log cannot be read, or reading it broke off.
            match reading.await.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(read) => (following, batch) = read,
                Err(error) => {
                    tracing::error!(error, "the log cannot be read: no more traces are sent");
                    return;
                }
            }
            if batch.is_empty() {
                if finishing {
                    return;
                }
                self.news().await;
                continue;
            }
            let waited = since.get_or_insert_with(Instant::now).elapsed();
            if !batch.is_full() && !finishing && waited < GATHER {
                self.pause(LOOK).await;
                continue;
            }
            since = None;
            if !self.deliver(std::mem::take(&mut batch)).await {
                return;
            }
        }
    }

    /// Sends a batch until the collector has it or does not want it; false when the gateway stops before that.
    async fn deliver(&mut self, batch: Batch) -> bool {
        let body = match otlp::request(&batch.spans) {
            Ok(body) => Bytes::from(body),
            Err(error) => {
                tracing::error!(%error, "traces cannot be written");
                return true;
            }
        };
        let (spans, mut pause) = (batch.spans.len(), FIRST_PAUSE);
        drop(batch);
        let host = self.collector.host().to_owned();
        loop {
            // Asked before: a stop in the middle of a try is still worth one more.
            let finishing = self.is_finishing();
            match post(&self.client, &self.collector, body.clone()).await {
                Told::Taken { rejected } => {
                    self.recovered(&host);
                    if rejected != 0 && !std::mem::replace(&mut self.refusing, true) {
                        tracing::warn!(host, rejected, spans, "the collector did not take all spans; said once");
                    }
                    return true;
                }
                Told::Refused(status) => {
                    self.recovered(&host);
                    if !std::mem::replace(&mut self.refusing, true) {
                        tracing::warn!(host, %status, spans, "the collector refused spans, which are lost; said once");
                    }
                    return true;
                }
                Told::Later { cause, after } => {
                    if !std::mem::replace(&mut self.failing, true) {
                        tracing::warn!(host, cause, "traces cannot be sent; they wait in the log");
                    }
                    if finishing {
                        tracing::warn!(host, "the gateway stops before its last traces could be sent");
                        return false;
                    }
                    self.pause(after.unwrap_or(pause).clamp(FIRST_PAUSE, LONGEST_PAUSE)).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    fn recovered(&mut self, host: &str) {
        if std::mem::take(&mut self.failing) {
            tracing::warn!(host, "traces are sent again");
        }
    }

    /// Whether the gateway stops, or nobody is left to say so.
    fn is_finishing(&self) -> bool {
        *self.finish.borrow() || self.finish.has_changed().is_err() || self.heads.has_changed().is_err()
    }

    /// Returns when the log has grown, or the gateway stops.
    async fn news(&mut self) {
        tokio::select! {
            _ = self.heads.changed() => {}
            _ = self.finish.wait_for(|finish| *finish) => {}
        }
    }

    /// Returns after a while, or when the gateway stops.
    async fn pause(&mut self, pause: Duration) {
        tokio::select! {
            () = sleep(pause) => {}
            _ = self.finish.wait_for(|finish| *finish) => {}
        }
    }
}
