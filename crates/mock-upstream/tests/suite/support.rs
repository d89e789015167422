//! Test support: sends requests to a mock over HTTP and collects the responses.

use http_body_util::{BodyExt as _, Full};
use hyper::{Request, body::Bytes};
use hyper_util::rt::TokioIo;
use mock_upstream::{MockUpstream, Settings};
use serde_json::{Value, json};

/// The path of Messages.
pub(crate) const MESSAGES: &str = "/v1/messages";
/// The path of Chat Completions.
pub(crate) const CHAT: &str = "/v1/chat/completions";
/// The path of Responses.
pub(crate) const RESPONSES: &str = "/v1/responses";

/// Starts a mock with the default settings.
pub(crate) fn start_mock() -> MockUpstream {
    MockUpstream::start(Settings::default()).unwrap()
}

/// The response to a request, as far as it was received.
pub(crate) struct TestResponse {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The value of the header `retry-after`; `None` if there is none.
    pub(crate) retry_after: Option<String>,
    /// The received part of the body.
    pub(crate) text: String,
    /// Whether the body ended regularly.
    pub(crate) complete: bool,
}

impl TestResponse {
    /// Parses the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// Parses the data of all events, without `[DONE]`.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

/// Sends a request with the credentials and headers that any of the APIs requires.
pub(crate) fn send(mock: &MockUpstream, path: &str, body: &Value) -> TestResponse {
    send_with_headers(
        mock,
        path,
        body,
        &[
            ("x-api-key", "k"),
            ("authorization", "Bearer k"),
            ("x-goog-api-key", "k"),
            ("anthropic-version", "2023-06-01"),
        ],
    )
}

/// Sends a request with these headers on a connection of its own, and returns the response until its end or an error.
pub(crate) fn send_with_headers(
    mock: &MockUpstream,
    path: &str,
    body: &Value,
    headers: &[(&str, &str)],
) -> TestResponse {
    let mut request = Request::post(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_string()))).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(mock.address()).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let response = sender.send_request(request).await.unwrap();
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
        let (mut bytes, mut complete) = (Vec::new(), true);
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => bytes.extend_from_slice(&frame.into_data().unwrap()),
                Err(_) => complete = false,
            }
            if !complete {
                break;
            }
        }
        TestResponse { status, retry_after, text: String::from_utf8(bytes).unwrap(), complete }
    })
}

/// Returns a first request in each API, as path and body, with a tool `look` that may be called.
pub(crate) fn first_requests(text: &str, stream: bool) -> Vec<(String, Value)> {
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    let messages = json!([{"role": "user", "content": text}]);
    let action = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
    vec![
        (
            MESSAGES.to_owned(),
            json!({"model": "m", "max_tokens": 100, "messages": messages, "stream": stream,
                   "tools": [{"name": "look", "input_schema": schema}]}),
        ),
        (
            CHAT.to_owned(),
            json!({"model": "m", "messages": messages, "stream": stream,
                   "tools": [{"type": "function", "function": {"name": "look", "parameters": schema}}]}),
        ),
        (
            RESPONSES.to_owned(),
            json!({"model": "m", "input": text, "stream": stream,
                   "tools": [{"type": "function", "name": "look", "parameters": schema}]}),
        ),
        (
            format!("/v1beta/models/m:{action}"),
            json!({"contents": [{"role": "user", "parts": [{"text": text}]}],
                   "tools": [{"functionDeclarations": [{"name": "look", "parameters": schema}]}]}),
        ),
    ]
}
