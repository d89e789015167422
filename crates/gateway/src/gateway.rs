//! The gateway: what every request needs, put together once.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use adapters::{HttpClient, ProviderClients, Providers, http_client};
use contracts::{Provider, SessionId, WireApi};
use engine::{Engine, EngineError};
use event_bus::{Bus, BusError, Clock as _, SystemClock};
use event_core::{Position, Timestamp};
use tokio::sync::Mutex;

use crate::{
    configuration::{Collector, Configuration, Limits, Timeouts},
    exchange::Incoming,
    guard::{Guard, Tokens, brings_key},
    metrics::Metrics,
    traces::Exporter,
    view::{Board, BoardView, Sources},
};

/// The message of a response with status 503: the bus is closed, or the log accepts no more events.
pub(crate) const UNAVAILABLE: &str =
    "the log accepts no more events, so no turn can be decided; the log output of the gateway has the reason";

/// What every request needs.
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
    nameless: AtomicU64,
    sources: Sources,
    board: Arc<Mutex<BoardView>>,
    collector: Option<Collector>,
}

/// Why the gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can be reached from elsewhere, and nobody would be asked for a token.
    #[error(
        "{0} can be reached from other machines, so clients must bring a token: `turnwise token add NAME` makes one, or \
         listen on 127.0.0.1"
    )]
    Open(SocketAddr),
    /// The system's certificate authorities, or a thread.
    #[error("the gateway cannot start")]
    Io(#[from] io::Error),
    /// The log.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Gateway {
    /// Starts the bus of an engine whose models went through [`Providers::apply`]. With a collector, the turns that end
    /// are exported to it.
    ///
    /// # Errors
    /// [`StartError`].
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
            nameless: AtomicU64::new(0),
            board: Arc::new(Mutex::new(BoardView::new(sources.clone()))),
            sources,
            collector,
        };
        Ok(Arc::new(gateway))
    }

    /// Starts the reactors that the configuration asks for. Needs a runtime.
    ///
    /// # Errors
    /// As [`Bus::run`].
    pub(crate) async fn start_reactors(&self) -> Result<(), BusError> {
        if let Some(collector) = self.collector.clone() {
            let exporter = Exporter::new(self.http.clone(), collector);
            self.bus.run(Box::new(exporter)).await?;
        }
        Ok(())
    }

    /// The bus that owns the engine and its log: for commands, and for views and reactors beside the gateway's own.
    pub const fn bus(&self) -> &Bus<Engine> {
        &self.bus
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

    /// Brings the board up to the head and calls `show` with it and the head, on a thread that may block.
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

    /// The clock, as calls carry it.
    #[expect(clippy::unused_self, reason = "the clock belongs to the gateway, whichever it is")]
    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        || SystemClock.now()
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock())()
    }

    /// A session for a request that says nothing about where it belongs.
    pub(crate) fn nameless_session(&self) -> SessionId {
        let number = self.nameless.fetch_add(1, Ordering::Relaxed);
        let name = format!("http-{:x}-{number}", self.started_at.0);
        // Hexadecimal and decimal numbers are always a name.
        SessionId::try_from(name.as_str()).unwrap_or_else(|_| self.nameless_session())
    }

    /// The provider that a client brings a key for, when the gateway has none.
    pub(crate) fn key_brought(&self, incoming: &Incoming) -> Option<Provider> {
        let name = match incoming.api {
            WireApi::AnthropicMessages => "anthropic",
            WireApi::OpenAiChat | WireApi::OpenAiResponses => "openai",
            WireApi::Gemini => "google",
        };
        if !self.providers.get(name)?.config().credential.is_clients_own() || !brings_key(&incoming.headers) {
            return None;
        }
        Provider::try_from(name).ok()
    }
}
