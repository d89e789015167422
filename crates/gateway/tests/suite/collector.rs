//! A collector of traces for tests: records the requests and sends prepared responses.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap, Request, Response,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpListener, runtime::Runtime};

/// Status and body of a response.
pub(crate) type Answer = (u16, &'static str);

/// A request that the collector received.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    /// The path and query of its URL.
    pub(crate) path: String,
    /// The request headers.
    pub(crate) headers: HeaderMap,
    /// The body, as text.
    pub(crate) body: String,
    /// The status of the response.
    pub(crate) status: u16,
}

/// A collector that accepts connections.
pub(crate) struct Collector {
    /// The base URL, without the path for spans.
    pub(crate) url: String,
    /// The received requests, oldest first.
    sent: Arc<Mutex<Vec<Sent>>>,
    /// The runtime of the server, which ends when it is dropped.
    _runtime: Runtime,
}

impl Collector {
    /// Starts a collector that responds with `answers` in order and accepts every request after them.
    pub(crate) fn start(answers: &[Answer]) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sent = Arc::<Mutex<Vec<Sent>>>::default();
        let answers = Arc::new(Mutex::new(answers.iter().copied().collect::<VecDeque<_>>()));
        let kept = Arc::clone(&sent);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, answers) = (Arc::clone(&kept), Arc::clone(&answers));
                let service = service_fn(move |request| answer(request, Arc::clone(&kept), Arc::clone(&answers)));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { url, sent, _runtime: runtime }
    }

    /// Returns the requests received so far.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// Returns the spans of all requests that were answered with 200.
    pub(crate) fn spans(&self) -> Vec<Value> {
        let taken = self.sent().into_iter().filter(|sent| sent.status == 200);
        let bodies = taken.map(|sent| serde_json::from_str::<Value>(&sent.body).unwrap());
        bodies.flat_map(|body| body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()).collect()
    }

    /// Waits up to ten seconds until the collector has accepted the traces of `turns` turns, and returns their spans.
    pub(crate) fn traced(&self, turns: usize) -> Vec<Value> {
        let roots = |spans: &[Value]| spans.iter().filter(|span| span["parentSpanId"].is_null()).count();
        for _ in 0..1_000 {
            let spans = self.spans();
            if turns <= roots(&spans) {
                return spans;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(roots(&self.spans()), turns, "turns that were traced");
        self.spans()
    }
}

/// Records a request in `kept` and sends the next response of `answers`, or 200 if none is left.
async fn answer(
    request: Request<Incoming>,
    kept: Arc<Mutex<Vec<Sent>>>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    let (status, said) = answers.lock().unwrap().pop_front().unwrap_or((200, "{}"));
    kept.lock().unwrap().push(Sent { path: parts.uri.to_string(), headers: parts.headers, body, status });
    Ok(Response::builder().status(status).body(Full::new(Bytes::from(said))).unwrap())
}

/// Returns the value of a span's attribute; null if the span does not have it.
pub(crate) fn attribute(span: &Value, key: &str) -> Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    found.and_then(|found| found["value"].as_object()?.values().next().cloned()).unwrap_or_default()
}
