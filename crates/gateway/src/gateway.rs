//! The state that all requests share.

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use adapters::{HttpClient, ProviderClients, ProviderConfig, Providers, http_client};
use contracts::{KeyHash, Provider, SessionId, WireApi};
use engine::{Engine, EngineError};
use event_bus::{Bus, BusError, Clock as _, SystemClock};
use event_core::{Position, Timestamp};
use tokio::sync::{Mutex, watch};

use crate::{
    configuration::{Collector, Configuration, Limits, Timeouts},
    exchange::Incoming,
    guard::{Guard, Tokens, has_provider_key},
    metrics::Metrics,
    traces::Exporter,
    view::{Board, BoardView, Sources},
};

/// The message of status 503: the bus is closed, or the log accepts no more events.
const UNAVAILABLE: &str =
    "the log accepts no more events, so no turn can be decided; the log output of the gateway has the reason";

/// The time after which a client may repeat a request that was refused because the disk is full, in seconds.
pub(crate) const FULL_DISK_RETRY_SECONDS: u64 = 5;

/// Returns the message of status 503 for a bus that refuses requests.
pub(crate) fn unavailable_message(error: &BusError) -> String {
    match error {
        BusError::Log(error) if error.is_out_of_room() => full_disk_message(error),
        _ => UNAVAILABLE.to_owned(),
    }
}

/// Returns the message of status 503 for a disk without room.
pub(crate) fn full_disk_message(error: &dyn std::error::Error) -> String {
    format!("no turn can be recorded: {}", control::with_causes(error))
}

/// The state of a running gateway, shared by all requests: the bus that owns the engine, providers, access control,
/// limits and metrics.
#[derive(Debug)]
pub struct Gateway {
    bus: Bus<Engine>,
    providers: ProviderClients,
    http: HttpClient,
    guard: Guard,
    limits: Limits,
    timeouts: Timeouts,
    metrics: Metrics,
    started_at: Timestamp,
    unnamed_sessions: AtomicU64,
    requests: AtomicU64,
    sources: Sources,
    board: Arc<Mutex<BoardView>>,
    collector: Option<Collector>,
    /// True once the gateway shuts down.
    stopping: watch::Sender<bool>,
}

/// Returns the hash of each configured key, by provider.
fn key_hashes(providers: &Providers) -> BTreeMap<Provider, KeyHash> {
    let hash =
        |config: &ProviderConfig| Some((Provider::try_from(config.name.as_str()).ok()?, config.key.as_ref()?.hash));
    providers.iter().filter_map(hash).collect()
}

/// The error of starting a gateway.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is reachable from other machines, and no token is required.
    #[error(
        "{0} can be reached from other machines, so clients must bring a token: `turnwise token add NAME` makes one, or \
         listen on 127.0.0.1"
    )]
    Open(SocketAddr),
    /// The certificate authorities of the system cannot be loaded, or a thread cannot be started.
    #[error("the gateway cannot start")]
    Io(#[from] io::Error),
    /// The engine cannot recover open turns, or its bus cannot be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Gateway {
    /// Starts the bus of an engine, whose models went through [`Providers::apply`]. With a `collector`, turns that end
    /// are exported to it.
    ///
    /// # Errors
    /// [`StartError`] if the address is open without tokens, or the engine cannot be started.
    pub fn start(
        engine: Engine,
        configuration: &Configuration,
        providers: &Providers,
        tokens: Tokens,
        collector: Option<Collector>,
        address: SocketAddr,
    ) -> Result<Arc<Self>, StartError> {
        if !address.ip().is_loopback() && tokens.is_empty() {
            return Err(StartError::Open(address));
        }
        let mut engine = engine;
        engine.recover()?;
        engine.end_outages_of_changed_keys(&key_hashes(providers))?;
        engine.commit()?;
        let http = http_client(configuration.timeouts.connect())?;
        let sources = Sources { log: Arc::clone(engine.log()), texts: Arc::clone(engine.texts()) };
        let bus = Bus::start(engine).map_err(EngineError::from)?;
        let gateway = Self {
            bus,
            providers: ProviderClients::over_http(providers, &http),
            http,
            guard: Guard::new(tokens, address, &configuration.hosts),
            limits: configuration.limits,
            timeouts: configuration.timeouts,
            metrics: Metrics::default(),
            started_at: SystemClock.now(),
            unnamed_sessions: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            board: Arc::new(Mutex::new(BoardView::new(sources.clone()))),
            sources,
            collector,
            stopping: watch::Sender::new(false),
        };
        Ok(Arc::new(gateway))
    }

    /// Starts the reactors that the configuration enables. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// The errors of [`Bus::run`].
    pub(crate) async fn start_reactors(&self) -> Result<(), BusError> {
        if let Some(collector) = self.collector.clone() {
            let exporter = Exporter::new(self.http.clone(), collector);
            self.bus.run(Box::new(exporter)).await?;
        }
        Ok(())
    }

    /// Ends responses that have no end of their own.
    pub(crate) fn begin_shutdown(&self) {
        self.stopping.send_replace(true);
    }

    /// Resolves when the gateway shuts down.
    pub(crate) async fn shutdown_begun(&self) {
        // The sender lives as long as the gateway.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    /// Returns the bus that owns the engine and its log. Other programs can add their own views and reactors to it.
    pub const fn bus(&self) -> &Bus<Engine> {
        &self.bus
    }

    /// The HTTP client that providers, the trace exporter and the embedder share.
    pub(crate) const fn http(&self) -> &HttpClient {
        &self.http
    }

    pub(crate) const fn providers(&self) -> &ProviderClients {
        &self.providers
    }

    pub(crate) const fn guard(&self) -> &Guard {
        &self.guard
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) const fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    pub(crate) const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Catches up with the log on a blocking thread and calls `show` with the board and the head.
    ///
    /// # Errors
    /// [`BusError`] if the log cannot be read.
    pub(crate) async fn with_board<T: Send + 'static>(
        &self,
        show: impl FnOnce(&Board, Position) -> T + Send + 'static,
    ) -> Result<T, BusError> {
        let board = Arc::clone(&self.board);
        let shown = tokio::task::spawn_blocking(move || {
            let mut board = board.blocking_lock();
            let head = board.catch_up()?;
            Ok(show(board.board(), head))
        });
        shown.await.map_err(|_| BusError::FollowerLost)?
    }

    pub(crate) const fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Returns the clock that calls record their times with.
    #[expect(clippy::unused_self, reason = "the clock belongs to the gateway, whichever it is")]
    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        || SystemClock.now()
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock())()
    }

    /// Counts a request and returns its number, from 1.
    pub(crate) fn count_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Creates a session id for a request without one.
    pub(crate) fn unnamed_session(&self) -> SessionId {
        let number = self.unnamed_sessions.fetch_add(1, Ordering::Relaxed);
        let name = format!("http-{:x}-{number}", self.started_at.0);
        // A hexadecimal and a decimal number always form a valid id.
        SessionId::try_from(name.as_str()).unwrap_or_else(|_| self.unnamed_session())
    }

    /// Returns the provider whose key the client sends; `None` if the gateway has its own key for it, or the client
    /// sends none.
    pub(crate) fn client_key_provider(&self, incoming: &Incoming) -> Option<Provider> {
        let name = match incoming.api {
            WireApi::AnthropicMessages => "anthropic",
            WireApi::OpenAiChat | WireApi::OpenAiResponses => "openai",
            WireApi::Gemini => "google",
        };
        if !self.providers.get(name)?.config().credential.is_clients_own() || !has_provider_key(&incoming.headers) {
            return None;
        }
        Provider::try_from(name).ok()
    }
}
