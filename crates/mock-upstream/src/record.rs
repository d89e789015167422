//! The last requests, and how each of them ended.

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

/// The most requests that are kept.
const MOST: usize = 1_000;

/// How far an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It is still being given.
    Open,
    /// It was given whole.
    Complete,
    /// A failure on demand ended it.
    Cut,
    /// The client went away before its end.
    Cancelled,
}

/// A request as it arrived.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Such as `POST`.
    pub method: String,
    /// With the query.
    pub path: String,
    /// Names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
    /// Of the request in bytes.
    pub length: usize,
    /// Lossy where it is no UTF-8; `None` unless bodies are kept.
    pub body: Option<String>,
    /// Of the answer; 0 before there is one.
    pub status: u16,
    /// How far the answer came.
    pub ended: Ended,
}

impl Request {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is not JSON or was not kept.
    pub fn json(&self) -> Value {
        self.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default()
    }
}

/// How far an answer came, shared between whoever gives it and the record.
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

/// Notes how an answer ends; dropped before it said, the client went away.
#[derive(Debug, Default)]
pub(crate) struct Watch(Arc<Progress>);

impl Watch {
    pub(crate) fn status(&self, status: u16) {
        self.0.status.store(status, Ordering::Release);
    }

    pub(crate) fn complete(&self) {
        self.end(1);
    }

    pub(crate) fn cut(&self) {
        self.end(2);
    }

    /// Only the first end counts.
    fn end(&self, how: u8) {
        let _ = self.0.ended.compare_exchange(0, how, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end(3);
    }
}

/// A request before anybody asks for it.
struct Kept {
    head: hyper::http::request::Parts,
    length: usize,
    body: Option<Bytes>,
    progress: Arc<Progress>,
}

/// The last requests.
#[derive(Default)]
pub(crate) struct Requests(Mutex<VecDeque<Kept>>);

impl Requests {
    /// Keeps a request, and forgets the oldest when there are too many.
    pub(crate) fn keep(&self, head: hyper::http::request::Parts, length: usize, body: Option<Bytes>, watch: &Watch) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.pop_front();
        }
        kept.push_back(Kept { head, length, body, progress: Arc::clone(&watch.0) });
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The oldest first.
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
