//! The one thread that writes: drain the queue, append, one barrier, publish, answer.

use std::{sync::Arc, time::Duration};

use event_core::Position;

use super::producer::{Append, Request, Requests};
use crate::{
    Appended, Clock, EventLog, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, frame,
    sync::{oneshot, queue::RecvTimeoutError, watch},
};

/// How long the queue may be empty before the log gets the chance to write down its head.
const IDLE: Duration = Duration::from_millis(100);

type Reply = oneshot::Sender<Result<Appended, LogError>>;

pub(super) struct Writer {
    log: Arc<dyn EventLog>,
    clock: Box<dyn Clock>,
    requests: Requests,
    heads: watch::Sender<Position>,
    /// Taken from the queue, but too large for the group before it.
    held: Option<Append>,
    closing: bool,
    /// Whether there was a barrier since the last rest.
    wrote: bool,
}

/// Requests that share a barrier.
#[derive(Default)]
struct Group {
    requests: Vec<Append>,
    events: usize,
    bytes: usize,
}

impl Writer {
    pub(super) fn new(
        log: Arc<dyn EventLog>,
        clock: Box<dyn Clock>,
        requests: Requests,
        heads: watch::Sender<Position>,
    ) -> Self {
        Self { log, clock, requests, heads, held: None, closing: false, wrote: false }
    }

    /// Serves producers until the bus is closed, then tells followers by dropping the head's sender.
    pub(super) fn run(mut self) -> Arc<dyn EventLog> {
        while let Some(first) = self.wait() {
            let group = self.gather(first);
            self.commit(group);
        }
        self.log
    }

    /// The next request, or `None` when there will be none.
    fn wait(&mut self) -> Option<Append> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        if self.wrote && !self.closing {
            match self.requests.queue.recv_timeout(IDLE) {
                Ok(request) => return self.take(request),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.rest(),
            }
        }
        let request = if self.closing { self.requests.queue.try_recv().ok() } else { self.requests.queue.recv().ok() };
        self.take(request?)
    }

    fn take(&mut self, request: Request) -> Option<Append> {
        match request {
            Request::Append(append) => {
                self.requests.release(1);
                Some(append)
            }
            Request::Close => {
                self.closing = true;
                match self.requests.queue.try_recv() {
                    Ok(request) => self.take(request),
                    Err(_) => None,
                }
            }
        }
    }

    /// Nothing to do: a barrier of nothing lets the log bring its head file up to date.
    fn rest(&mut self) {
        self.wrote = false;
        if let Err(error) = self.log.sync() {
            tracing::error!(%error, "the log stopped while idle");
        }
    }

    /// What waits in the queue, as far as one barrier goes.
    fn gather(&mut self, first: Append) -> Group {
        let mut group = Group::default();
        group.add(first);
        while group.events < MAX_BATCH_EVENTS {
            let Ok(request) = self.requests.queue.try_recv() else { break };
            let Some(append) = self.take(request) else { break };
            if !group.has_room_for(&append) {
                self.held = Some(append);
                break;
            }
            group.add(append);
        }
        group
    }

    fn commit(&mut self, group: Group) {
        self.wrote = true;
        let now = self.clock.now();
        let staged: Vec<(Reply, Result<Appended, LogError>)> = group
            .requests
            .into_iter()
            .map(|request| (request.reply, self.log.append(request.expected, now, &request.batch)))
            .collect();
        let synced = self.log.sync().and_then(|()| self.log.head());
        match &synced {
            Ok(head) => {
                self.heads.send_if_modified(|published| std::mem::replace(published, *head) != *head);
            }
            Err(error) => tracing::error!(%error, batches = staged.len(), "a group was not recorded"),
        }
        for (reply, appended) in staged {
            // Nothing staged stands after a failed barrier, not even as the reason of a conflict. A producer that
            // went away needs no answer.
            drop(reply.send(synced.clone().and(appended)));
        }
    }
}

impl Group {
    fn has_room_for(&self, append: &Append) -> bool {
        self.events + append.batch.len() <= MAX_BATCH_EVENTS && self.bytes + bytes(append) <= MAX_BATCH_BYTES
    }

    fn add(&mut self, append: Append) {
        self.events += append.batch.len();
        self.bytes += bytes(&append);
        self.requests.push(append);
    }
}

fn bytes(append: &Append) -> usize {
    append.batch.iter().map(frame::size).sum()
}
