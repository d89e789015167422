//! Asking a mock over HTTP, and putting together what it streams.

use http_body_util::{BodyExt as _, Full};
use hyper::{Request, body::Bytes};
use hyper_util::rt::TokioIo;
use mock_upstream::{MockUpstream, Settings};
use serde_json::{Value, json};

pub(crate) const MESSAGES: &str = "/v1/messages";
pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const RESPONSES: &str = "/v1/responses";

pub(crate) fn mock() -> MockUpstream {
    MockUpstream::start(Settings::default()).unwrap()
}

/// What came of a request: its status, and as much of the body as there was.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) text: String,
    /// Whether the body came to its proper end.
    pub(crate) whole: bool,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// The data of the events, but for `[DONE]`.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

/// Asks with all the credentials and headers that any API wants.
pub(crate) fn ask(mock: &MockUpstream, path: &str, body: &Value) -> Answer {
    ask_with(
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

pub(crate) fn ask_with(mock: &MockUpstream, path: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
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
        let (mut bytes, mut whole) = (Vec::new(), true);
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => bytes.extend_from_slice(&frame.into_data().unwrap()),
                Err(_) => whole = false,
            }
            if !whole {
                break;
            }
        }
        Answer { status, retry_after, text: String::from_utf8(bytes).unwrap(), whole }
    })
}

/// A first question in each API: its path and body, with a tool `look` that may be called.
pub(crate) fn questions(text: &str, stream: bool) -> Vec<(String, Value)> {
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
