//! Records the last requests, and how their responses ended.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, AtomicU16, Ordering},
    },
};

use hyper::body::Bytes;
use serde::Serialize;
use serde_json::Value;

/// The number of requests that are kept.
const MOST: usize = 1_000;

/// How a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It has not ended.
    Open,
    /// It was sent completely.
    Complete,
    /// A requested failure ended it.
    Cut,
    /// The client disconnected before its end.
    Cancelled,
}

/// A recorded request.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The headers in the order of arrival; names are in lower case.
    pub headers: Vec<(String, String)>,
    /// The length of the body in bytes.
    pub length: usize,
    /// The body, lossily decoded as UTF-8; `None` unless bodies are kept.
    pub body: Option<String>,
    /// The status of the response; 0 before there is one.
    pub status: u16,
    /// How the response ended.
    pub ended: Ended,
}

impl Request {
    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON; null if it is not JSON or was not kept.
    pub fn json(&self) -> Value {
        self.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default()
    }
}

/// The status and end of a response, shared between the response and its record.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// 0 open, 1 complete, 2 cut, 3 cancelled.
    ended: AtomicU8,
    status: AtomicU16,
}

impl Progress {
    fn ended(&self) -> Ended {
        match self.ended.load(Ordering::Acquire) {
            0 => Ended::Open,
            1 => Ended::Complete,
            2 => Ended::Cut,
            _ => Ended::Cancelled,
        }
    }
}

/// Records how a response ends. Dropping it before means that the client disconnected.
#[derive(Debug, Default)]
pub(crate) struct EndRecorder(Arc<Progress>);

impl EndRecorder {
    pub(crate) fn status(&self, status: u16) {
        self.0.status.store(status, Ordering::Release);
    }

    pub(crate) fn complete(&self) {
        self.end(1);
    }

    pub(crate) fn cut(&self) {
        self.end(2);
    }

    /// Records the end, unless one is recorded.
    fn end(&self, how: u8) {
        let _ = self.0.ended.compare_exchange(0, how, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Drop for EndRecorder {
    fn drop(&mut self) {
        self.end(3);
    }
}

/// A request in its recorded form, before it is converted to a [`Request`].
struct Kept {
    head: hyper::http::request::Parts,
    length: usize,
    body: Option<Bytes>,
    progress: Arc<Progress>,
}

/// The record of the last requests.
#[derive(Default)]
pub(crate) struct Requests(Mutex<VecDeque<Kept>>);

impl Requests {
    /// Records a request; the oldest one is removed if there are too many.
    pub(crate) fn keep(
        &self,
        head: hyper::http::request::Parts,
        length: usize,
        body: Option<Bytes>,
        watch: &EndRecorder,
    ) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.pop_front();
        }
        kept.push_back(Kept { head, length, body, progress: Arc::clone(&watch.0) });
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the requests, the oldest first.
    pub(crate) fn all(&self) -> Vec<Request> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(request).collect()
    }
}

fn request(kept: &Kept) -> Request {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = kept.head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())));
    Request {
        method: kept.head.method.to_string(),
        path: kept.head.uri.to_string(),
        headers: headers.collect(),
        length: kept.length,
        body: kept.body.as_deref().map(text),
        status: kept.progress.status.load(Ordering::Acquire),
        ended: kept.progress.ended(),
    }
}
