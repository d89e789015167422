//! The record of the last requests, with the state of their responses.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hyper::body::Bytes;
use serde::Serialize;
use serde_json::Value;

/// The maximum number of recorded requests; older ones are dropped.
const MAX_RECORDED: usize = 1_000;

/// The state of the mock's response to a recorded request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseState {
    /// The response has not ended.
    #[default]
    Open,
    /// The response was sent completely.
    Complete,
    /// A requested failure ended the response.
    Cut,
    /// The client disconnected before the end of the response.
    Cancelled,
}

/// A request that the mock received, with the state of its response.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// The HTTP method.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The headers in the order of arrival; names are in lower case.
    pub headers: Vec<(String, String)>,
    /// The length of the body in bytes.
    pub length: usize,
    /// The body, lossily decoded as UTF-8; `None` if bodies are not recorded.
    pub body: Option<String>,
    /// The HTTP status of the response; 0 before the response starts.
    pub status: u16,
    /// The state of the response.
    pub ended: ResponseState,
}

impl Request {
    /// Returns the value of the first header with this name, given in lower case; `None` if there is none.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON; null if it is not JSON or was not recorded.
    pub fn json(&self) -> Value {
        self.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default()
    }
}

/// The state and the HTTP status of a response, shared by the body that sends it and the record of its request.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// The state of the response.
    state: ResponseState,
    /// The HTTP status; 0 before the response starts.
    status: u16,
}

/// Records the progress of one response. If it is dropped before an end is recorded, the client counts as disconnected.
#[derive(Debug, Default)]
pub(crate) struct EndRecorder(Arc<Mutex<Progress>>);

impl EndRecorder {
    /// Locks and returns the progress.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the HTTP status of the response.
    pub(crate) fn set_status(&self, status: u16) {
        self.progress().status = status;
    }

    /// Records that the response was sent completely. Does nothing if an end is recorded.
    pub(crate) fn complete(&self) {
        self.end(ResponseState::Complete);
    }

    /// Records that a requested failure ended the response. Does nothing if an end is recorded.
    pub(crate) fn cut(&self) {
        self.end(ResponseState::Cut);
    }

    /// Records how the response ended, unless an end is already recorded.
    fn end(&self, state: ResponseState) {
        let mut progress = self.progress();
        if progress.state == ResponseState::Open {
            progress.state = state;
        }
    }
}

impl Drop for EndRecorder {
    fn drop(&mut self) {
        self.end(ResponseState::Cancelled);
    }
}

/// A request as it was received. It is converted to a [`Request`] only if a test reads the record, which keeps
/// recording cheap.
struct ReceivedRequest {
    /// The method, path and headers.
    head: hyper::http::request::Parts,
    /// The length of the body in bytes.
    length: usize,
    /// The body; `None` if bodies are not recorded.
    body: Option<Bytes>,
    /// The progress of the response, which its [`EndRecorder`] updates.
    progress: Arc<Mutex<Progress>>,
}

/// The last requests that the mock received, at most [`MAX_RECORDED`], the oldest first.
#[derive(Default)]
pub(crate) struct Requests(Mutex<VecDeque<ReceivedRequest>>);

impl Requests {
    /// Records a request with the progress that `recorder` updates. `length` is the size of the body in bytes. Drops
    /// the oldest request if there are more than [`MAX_RECORDED`].
    pub(crate) fn record(
        &self,
        head: hyper::http::request::Parts,
        length: usize,
        body: Option<Bytes>,
        recorder: &EndRecorder,
    ) {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() == MAX_RECORDED {
            requests.pop_front();
        }
        requests.push_back(ReceivedRequest { head, length, body, progress: Arc::clone(&recorder.0) });
    }

    /// Removes all recorded requests.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the recorded requests, the oldest first.
    pub(crate) fn all(&self) -> Vec<Request> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(ReceivedRequest::to_request).collect()
    }
}

impl ReceivedRequest {
    /// Converts a recorded request to the form that tests read, with the current progress of its response.
    fn to_request(&self) -> Request {
        let decode = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let headers =
            self.head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), decode(value.as_bytes())));
        let progress = *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        Request {
            method: self.head.method.to_string(),
            path: self.head.uri.to_string(),
            headers: headers.collect(),
            length: self.length,
            body: self.body.as_deref().map(decode),
            status: progress.status,
            ended: progress.state,
        }
    }
}
