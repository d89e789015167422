//! A gateway in front of a mock provider, and a client.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use adapters::{Keys, ProviderEntry, Providers};
use contracts::{Registry, events::TurnEnded};
use control::{Connection, ControlError, ControlRequest, ControlSocket};
use engine::{Engine, Home, Models, Stores};
use event_bus::{BusError, EventLog, MemoryLog, MemoryTexts, SystemClock, TextStore};
use event_core::{EventType, Position};
use gateway::{Collector, Configuration, Gateway, Timeouts, Tokens, TracesEntry, serve};
use http_body_util::{BodyExt as _, Full};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, body::Bytes, header::HeaderName};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use mock_upstream::{MockUpstream, Settings};
use serde_json::Value;
use tokio::{net::TcpListener, runtime::Runtime, sync::watch};

/// The gateway's key for the provider.
pub(crate) const KEY: &str = "sk-of-the-gateway";

/// A running gateway with its provider, its log and a client.
pub(crate) struct World {
    pub(crate) mock: MockUpstream,
    pub(crate) log: Arc<MemoryLog>,
    pub(crate) texts: Arc<MemoryTexts>,
    /// The models of the gateway.
    pub(crate) registry: Arc<Registry>,
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) url: String,
    runtime: Arc<Runtime>,
    client: Client<HttpConnector, Full<Bytes>>,
    stop: watch::Sender<bool>,
    served: Option<tokio::task::JoinHandle<Result<(), BusError>>>,
    home: tempfile::TempDir,
}

/// A response of the gateway, read to its end.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
    /// Whether the connection was closed before the end of the response.
    pub(crate) cut: bool,
}

impl Answered {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Deviations from the default gateway of the tests.
#[derive(Default)]
pub(crate) struct Wish<'a> {
    pub(crate) policy: &'a str,
    pub(crate) keyless: bool,
    pub(crate) tokens: Option<&'a str>,
    /// The scopes of the token; all if it is `None`.
    pub(crate) scopes: Option<&'a [gateway::Scope]>,
    pub(crate) body_bytes: Option<usize>,
    pub(crate) answer_bytes: Option<usize>,
    pub(crate) total_body_bytes: Option<usize>,
    pub(crate) idle_ms: Option<u64>,
    pub(crate) first_byte_ms: Option<u64>,
    /// Providers beside the usual ones.
    pub(crate) providers: BTreeMap<String, ProviderEntry>,
    pub(crate) shutdown_ms: Option<u64>,
    /// How long models that refuse are tried, without a limit of retries.
    pub(crate) refusals_ms: Option<u64>,
    /// The URL of the providers, if it is not the mock's.
    pub(crate) upstream: Option<String>,
    /// Whether the mock provider also serves Mistral's API.
    pub(crate) mistral: bool,
    /// The content of `models.yaml`.
    pub(crate) models: Option<&'a str>,
    pub(crate) traces: Option<TracesEntry>,
    pub(crate) environment: &'a [(&'a str, &'a str)],
    /// The gateway's key for every provider, if it is not [`KEY`].
    pub(crate) key: Option<&'a str>,
    /// The clock of the engine, if it is not the system's.
    pub(crate) clock: Option<crate::faults::FaultyClock>,
    /// The gateway that ran before, whose log and policy this one continues.
    pub(crate) after: Option<&'a World>,
}

impl World {
    /// Starts a gateway with a policy and the default settings.
    pub(crate) fn new(policy: &str) -> Self {
        Self::wished(&Wish { policy, ..Wish::default() })
    }

    pub(crate) fn wished(wish: &Wish<'_>) -> Self {
        let mock = MockUpstream::start(Settings { keep_bodies: true, ..Settings::default() }).unwrap();
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("routing.yaml"), wish.policy).unwrap();
        let mut configuration = Configuration {
            timeouts: Timeouts { backoff_ms: 1, idle_ms: wish.idle_ms.unwrap_or(5_000), ..Timeouts::default() },
            traces: wish.traces.clone(),
            ..Configuration::default()
        };
        if let Some(bytes) = wish.body_bytes {
            configuration.limits.body_bytes = bytes;
        }
        if let Some(milliseconds) = wish.first_byte_ms {
            configuration.timeouts.first_byte_ms = milliseconds;
        }
        if let Some(bytes) = wish.total_body_bytes {
            configuration.limits.total_body_bytes = bytes;
        }
        if let Some(bytes) = wish.answer_bytes {
            configuration.limits.answer_bytes = bytes;
        }
        if let Some(milliseconds) = wish.refusals_ms {
            let limits = Timeouts { refusals_ms: milliseconds, ..configuration.timeouts };
            configuration.timeouts = Timeouts { retries: u32::MAX, ..limits };
        }
        if let Some(milliseconds) = wish.shutdown_ms {
            configuration.limits.shutdown_ms = milliseconds;
        }
        for (name, path) in [("anthropic", ""), ("openai", "/v1"), ("google", "")] {
            let upstream = wish.upstream.clone().unwrap_or_else(|| mock.url());
            let url = Some(format!("{upstream}{path}"));
            let login_url = (name == "openai").then(|| format!("{upstream}/backend-api/codex"));
            configuration
                .providers
                .insert(name.to_owned(), ProviderEntry { url, login_url, ..ProviderEntry::default() });
        }
        configuration.providers.extend(wish.providers.clone());
        if wish.mistral {
            let entry = ProviderEntry { url: Some(format!("{}/v1", mock.url())), ..ProviderEntry::default() };
            configuration.providers.insert("mistral".to_owned(), entry);
        }
        let key =
            |name: &str| (!wish.keyless && name.ends_with("_API_KEY")).then(|| wish.key.unwrap_or(KEY).to_owned());
        let providers = Providers::new(&configuration.providers, &Keys::default(), key).unwrap();
        let own = wish.models.map(|text| catalogue::ModelFile { file: "models.yaml", text });
        let variable =
            |name: &str| wish.environment.iter().find(|(known, _)| *known == name).map(|(_, said)| (*said).into());
        let collector = Collector::new(&configuration, variable).unwrap();
        let models = Models::from_registry(providers.apply(&catalogue::load_registry(own).unwrap()));
        let (log, texts) = wish.after.map_or_else(
            || (Arc::new(MemoryLog::new()), Arc::new(MemoryTexts::default())),
            |world| (Arc::clone(&world.log), Arc::clone(&world.texts)),
        );
        let stores = Stores {
            log: Arc::clone(&log) as Arc<dyn EventLog>,
            texts: Arc::clone(&texts) as Arc<dyn TextStore>,
            clock: match &wish.clock {
                Some(clock) => Box::new(clock.clone()),
                None => Box::new(SystemClock),
            },
            offset: |_| 0,
        };
        let registry = Arc::clone(&models.registry);
        let engine = Engine::with_models(&Home::new(home.path(), None), models, stores).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let runtime = Arc::new(runtime);
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let tokens = wish.tokens.map_or_else(Tokens::default, |line| tokens(home.path(), line, wish.scopes));
        let gateway = Gateway::start(engine, &configuration, &providers, tokens, collector, address).unwrap();
        let (stop, stopping) = watch::channel(false);
        let control = runtime.block_on(async { ControlSocket::bind(home.path()).unwrap() });
        let served = Some(runtime.spawn(serve(Arc::clone(&gateway), listener, None, Some(control), stopping)));
        let client = Client::builder(TokioExecutor::new()).build_http();
        let url = format!("http://{address}");
        Self { mock, log, texts, registry, gateway, url, runtime, client, stop, served, home }
    }

    /// Sends a request to the control socket.
    pub(crate) fn control(&self, request: impl Into<ControlRequest>) -> Result<Value, ControlError> {
        Connection::open(self.home.path()).unwrap().unwrap().send(&request.into())
    }

    /// Sends JSON and reads the response.
    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answered {
        self.send(&Method::POST, path, headers, &body.to_string())
    }

    pub(crate) fn send(&self, method: &Method, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
        let request = self.request(method, path, headers, body);
        self.runtime.block_on(async {
            let response = self.client.request(request).await.unwrap();
            let (parts, mut body) = response.into_parts();
            let (mut bytes, mut cut) = (Vec::new(), false);
            while let Some(frame) = body.frame().await {
                match frame {
                    Ok(frame) => bytes.extend_from_slice(frame.data_ref().unwrap()),
                    Err(_) => cut = true,
                }
            }
            let body = String::from_utf8(bytes).unwrap();
            Answered { status: parts.status, headers: parts.headers, body, cut }
        })
    }

    /// Sends JSON, reads the first chunk of the response and disconnects.
    pub(crate) fn post_and_leave(&self, path: &str, body: &Value) {
        let request = self.request(&Method::POST, path, &[("connection", "close")], &body.to_string());
        self.runtime.block_on(async {
            let response: Response<_> = self.client.request(request).await.unwrap();
            let mut body = response.into_body();
            body.frame().await.unwrap().unwrap();
        });
    }

    /// Sends JSON and disconnects after `timeouts`, whatever was received.
    pub(crate) fn post_and_leave_after(&self, path: &str, body: &Value, timeouts: Duration) {
        let request = self.request(&Method::POST, path, &[("connection", "close")], &body.to_string());
        let client = Client::builder(TokioExecutor::new()).build_http();
        self.runtime.block_on(async {
            let _: Result<Result<Response<_>, _>, _> = tokio::time::timeout(timeouts, client.request(request)).await;
        });
    }

    /// Sends several requests at once.
    pub(crate) fn post_all(&self, path: &str, bodies: &[Value]) -> Vec<StatusCode> {
        self.runtime.block_on(async {
            let mut running = tokio::task::JoinSet::new();
            for body in bodies {
                let request = self.request(&Method::POST, path, &[], &body.to_string());
                let client = self.client.clone();
                running.spawn(async move {
                    let response = client.request(request).await.unwrap();
                    let status = response.status();
                    response.into_body().collect().await.unwrap();
                    status
                });
            }
            running.join_all().await
        })
    }

    fn request(&self, method: &Method, path: &str, headers: &[(&str, &str)], body: &str) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(Bytes::from(body.to_owned())));
        *request.method_mut() = method.clone();
        *request.uri_mut() = format!("{}{path}", self.url).parse().unwrap();
        request.headers_mut().insert("content-type", "application/json".parse().unwrap());
        for (name, value) in headers {
            request.headers_mut().insert(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        }
        request
    }

    /// Returns the content of all events of the type `E`, in the order of the log.
    pub(crate) fn events<E: EventType>(&self) -> Vec<E> {
        let events = self.log.read_after(Position::ORIGIN, 100_000).unwrap();
        events.iter().filter_map(|event| event.read::<E>().unwrap()).collect()
    }

    /// Waits until `turns` turns have ended, and returns their `turn.ended` events.
    pub(crate) fn ended(&self, turns: usize) -> Vec<TurnEnded> {
        for _ in 0..500 {
            let ended = self.events::<TurnEnded>();
            if turns <= ended.len() {
                return ended;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(self.events::<TurnEnded>().len(), turns, "turns that ended");
        self.events::<TurnEnded>()
    }

    /// Returns the body of the last request that the provider received.
    pub(crate) fn last_sent(&self) -> Value {
        self.mock.requests().last().unwrap().json()
    }

    /// Replaces the policy; it applies from the next turn.
    pub(crate) fn set_policy(&self, policy: &str) {
        std::fs::write(self.home.path().join("routing.yaml"), policy).unwrap();
        // A change is taken when the file has not been written for 100 ms.
        std::thread::sleep(Duration::from_millis(110));
    }

    /// Runs a future on the gateway's runtime.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Stops the gateway, waits for its end, and returns its runtime.
    pub(crate) fn stop(mut self) -> Arc<Runtime> {
        self.shut_down();
        Arc::clone(&self.runtime)
    }

    /// Stops the gateway and waits for its end. Its log stays readable.
    pub(crate) fn shut_down(&mut self) {
        self.stop.send(true).unwrap();
        let served = self.served.take().unwrap();
        self.runtime.block_on(served).unwrap().unwrap();
    }

    /// Returns the whole log as text.
    pub(crate) fn log_text(&self) -> String {
        let mut out = Vec::new();
        engine::export(self.log.as_ref(), &MemoryTexts::default(), Position::ORIGIN, &mut out, |_| ()).unwrap();
        String::from_utf8(out).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
    }
}

fn tokens(home: &std::path::Path, token: &str, scopes: Option<&[gateway::Scope]>) -> Tokens {
    use std::os::unix::fs::PermissionsExt as _;
    let path = home.join("tokens");
    let scopes = scopes.unwrap_or(&gateway::Scope::ALL).iter().copied().collect();
    std::fs::write(&path, format!("{}\n", gateway::Token::new("laptop", token, scopes))).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    Tokens::load(&path).unwrap()
}

/// Starts a provider that sends the same bytes to every client and closes the connection. Returns its URL.
pub(crate) fn canned(answer: &'static str) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut read = Vec::new();
            // The requests of these tests end with the closing brace of their JSON.
            while !read.ends_with(b"}") {
                let mut piece = [0; 4_096];
                let bytes = stream.read(&mut piece).unwrap();
                read.extend_from_slice(&piece[..bytes]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    url
}

/// Returns a request to Anthropic's API.
pub(crate) fn message(model: &str, text: &str) -> Value {
    serde_json::json!({ "model": model, "max_tokens": 1_000, "messages": [{ "role": "user", "content": text }] })
}

/// Returns a request for a stream to Anthropic's API.
pub(crate) fn streamed(model: &str, text: &str) -> Value {
    let mut body = message(model, text);
    body["stream"] = Value::Bool(true);
    body
}

/// Returns a request with the result of the tool call in a response.
pub(crate) fn with_tool_result(body: &Value, answer: &Value) -> Value {
    let mut body = body.clone();
    let call = answer["content"].as_array().unwrap().iter().find(|block| block["type"] == "tool_use").unwrap();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(serde_json::json!({ "role": "assistant", "content": answer["content"] }));
    let result = serde_json::json!({ "type": "tool_result", "tool_use_id": call["id"], "content": "all green" });
    messages.push(serde_json::json!({ "role": "user", "content": [result] }));
    body
}

/// The headers of a Claude Code session.
pub(crate) const SESSION: [(&str, &str); 2] = [
    ("x-claude-code-session-id", "0f8fad5b-d9cb-469f-a165-70867728950e"),
    ("user-agent", "claude-cli/2.1.197 (external, cli)"),
];
