//! The state that all requests share.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use adapters::{AllowedAddresses, HttpClient, ProviderClients, Providers, http_client_allowing, parse_http_url};
use contracts::{Provider, SessionId, WireApi};
use control::ControlError;
use engine::{Engine, EngineError, SkillLibrary};
use event_bus::{Bus, BusError, Clock as _, SystemClock};
use event_core::{Position, Timestamp};
use tokio::sync::{Mutex, watch};

use crate::{
    body_budget::BodyBudget,
    configuration::{Collector, Configuration, Limits, Timeouts},
    descriptors::{DescriptorBudget, descriptor_limit},
    exchange::Incoming,
    faults::Faults,
    guard::{Guard, Tokens, has_provider_key},
    matching::Matchers,
    metrics::Metrics,
    own::{LogReads, SavingsCache},
    provider_source::{ProviderSource, key_hashes},
    skill_reports::SkillReports,
    traces::Exporter,
    view::{Board, BoardView, Sources},
};

/// The state of a running gateway, which all requests share: the bus that owns the engine, the providers, access
/// control, limits and metrics.
#[derive(Debug)]
pub struct Gateway {
    /// The bus that owns the engine and its log.
    bus: Bus<Engine>,
    /// The clients of the model providers; replaced when their keys are read again.
    providers: RwLock<ProviderClients>,
    /// Reads the keys of the providers again; empty if the gateway was started without it.
    provider_source: OnceLock<ProviderSource>,
    /// The addresses that the settings allow for providers although they are usually refused.
    allowed_addresses: AllowedAddresses,
    /// The HTTP client that providers, the trace exporter and the embedder share.
    http: HttpClient,
    /// The access rules for requests.
    guard: Guard,
    /// Limits of requests, responses and connections.
    limits: Limits,
    /// The joint limit of all request bodies in memory.
    body_budget: Arc<BodyBudget>,
    /// Timeouts and retries of requests.
    timeouts: Timeouts,
    /// The counters of requests and responses.
    metrics: Metrics,
    /// Time of the start.
    started_at: Timestamp,
    /// Number of session ids that were created for requests without one.
    unnamed_sessions: AtomicU64,
    /// Number of requests so far.
    requests: AtomicU64,
    /// The event log and the text store, for reading.
    sources: Sources,
    /// The board of the latest turns.
    board: Arc<Mutex<BoardView>>,
    /// The latest comparison of the spending with the requested models, for the page.
    savings_cache: SavingsCache,
    log_reads: LogReads,
    faults: Faults,
    matchers: Matchers,
    /// The skills of workspaces.
    skill_library: Arc<SkillLibrary>,
    /// The reports about skills for the page.
    skill_reports: SkillReports,
    /// The collector to which spans are exported; `None` if none is configured.
    collector: Option<Collector>,
    /// Set to true when the gateway shuts down.
    stopping: watch::Sender<bool>,
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
    /// The URL of a provider has a link-local address or that of a metadata service, which the settings do not allow.
    #[error(
        "the provider `{provider}` has the address {address}, which is link-local or that of a metadata service; add it to \
         `allowed_addresses` in gateway.yaml if it is meant"
    )]
    Address {
        /// The name of the provider.
        provider: String,
        /// The refused address.
        address: IpAddr,
    },
    /// A proxy in the environment is not an http URL, or a thread cannot be started.
    #[error("the gateway cannot start")]
    Io(#[from] io::Error),
    /// The engine cannot recover open turns, or its bus cannot be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Checks the addresses in the URLs of the configured providers. Names are checked when a connection is opened.
///
/// # Errors
/// [`StartError::Address`] for the first refused address.
fn refuse_addresses(providers: &Providers, allowed: &AllowedAddresses) -> Result<(), StartError> {
    for config in providers.iter() {
        for url in std::iter::once(&config.url).chain(&config.login_url) {
            let refused = parse_http_url(url).ok().and_then(|url| allowed.refused_literal(url.host()?));
            if let Some(address) = refused {
                return Err(StartError::Address { provider: config.name.clone(), address });
            }
        }
    }
    Ok(())
}

impl Gateway {
    /// Starts the bus of an engine. Its models must have been passed through [`Providers::apply`]. With a `collector`,
    /// every turn that ends is exported to it. `address` is the address on which the gateway will listen.
    ///
    /// # Errors
    /// [`StartError`] if the address can be reached from other machines without a token, or the engine cannot be
    /// started.
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
        let budget =
            DescriptorBudget::new(descriptor_limit(), configuration.limits.connections, providers.iter().count());
        let limits = Limits { connections: budget.connections, ..configuration.limits };
        if limits.connections < configuration.limits.connections {
            tracing::debug!(
                connections = limits.connections,
                "the limit of open files lowers the limit of connections"
            );
        }
        let allowed = AllowedAddresses::new(configuration.allowed_addresses.clone());
        refuse_addresses(providers, &allowed)?;
        let no_authorities = |error: &io::Error| {
            tracing::warn!(%error, "the system has no certificate authorities, so providers with an https address fail; install \
                           ca-certificates");
        };
        let timeout = configuration.timeouts.connect();
        let http = http_client_allowing(timeout, budget.idle_per_provider, allowed.clone(), no_authorities)?;
        let sources = Sources { log: Arc::clone(engine.log()), texts: Arc::clone(engine.texts()) };
        let skill_library = Arc::clone(engine.skill_library());
        let bus = Bus::start(engine).map_err(EngineError::from)?;
        let gateway = Self {
            bus,
            providers: RwLock::new(ProviderClients::over_http(providers, &http)),
            provider_source: OnceLock::new(),
            allowed_addresses: allowed,
            http,
            guard: Guard::new(tokens, address, &configuration.hosts),
            body_budget: BodyBudget::new(limits.total_body_bytes.max(limits.body_bytes)),
            limits,
            timeouts: configuration.timeouts,
            metrics: Metrics::default(),
            started_at: SystemClock.now(),
            unnamed_sessions: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            savings_cache: SavingsCache::default(),
            board: Arc::new(Mutex::new(BoardView::new(sources.clone()))),
            sources,
            log_reads: LogReads::default(),
            faults: Faults::default(),
            matchers: Matchers::default(),
            skill_library,
            skill_reports: SkillReports::default(),
            collector,
            stopping: watch::Sender::new(false),
        };
        Ok(Arc::new(gateway))
    }

    /// Returns the cache of the comparison of the spending with the requested models.
    pub(crate) const fn savings_cache(&self) -> &SavingsCache {
        &self.savings_cache
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

    /// Ends the responses that otherwise never end, such as the live stream of the page.
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

    /// Returns the HTTP client that providers, the trace exporter and the embedder share.
    pub(crate) const fn http(&self) -> &HttpClient {
        &self.http
    }

    /// Returns the present clients of the model providers.
    pub(crate) fn providers(&self) -> ProviderClients {
        self.providers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the source from which `turnwise rules reload` reads the keys and settings of the providers again. Only the
    /// first call has an effect.
    pub fn set_provider_source(&self, source: ProviderSource) {
        // The first source stays.
        let _ = self.provider_source.set(source);
    }

    /// Reads the keys and settings of the providers again, and uses them for later requests. Outages because of a
    /// refused key end if the key is another one now. Does nothing without a source.
    ///
    /// # Errors
    /// [`ControlError`] if a file is invalid, an address is refused, or the log accepts no events. The earlier
    /// providers stay in use, except in the last case.
    pub(crate) async fn reload_providers(&self) -> Result<(), ControlError> {
        let Some(source) = self.provider_source.get() else { return Ok(()) };
        let (providers, models) = source.load().map_err(ControlError::invalid)?;
        let refused = refuse_addresses(&providers, &self.allowed_addresses);
        refused.map_err(|error| ControlError::invalid(error.to_string()))?;
        // Before the models are known as configured, so that no decision selects one without a key.
        let clients = ProviderClients::over_http(&providers, &self.http);
        *self.providers.write().unwrap_or_else(PoisonError::into_inner) = clients;
        let hashes = key_hashes(&providers);
        let command = self.bus.command(move |engine| {
            engine.set_models(models)?;
            engine.end_outages_of_changed_keys(&hashes)
        });
        let failed = |error: BusError| ControlError::failed(control::with_causes(&error));
        let (response, durable) = command.await.map_err(failed)?;
        durable.wait().await.map_err(failed)?;
        Ok(response?)
    }

    /// Returns the access rules for requests.
    pub(crate) const fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Returns the joint limit of all request bodies in memory.
    pub(crate) const fn body_budget(&self) -> &Arc<BodyBudget> {
        &self.body_budget
    }

    /// Returns the limits of requests, responses and connections.
    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the timeouts and retries of requests.
    pub(crate) const fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Returns the counters of requests and responses.
    pub(crate) const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the event log and the text store, for reading.
    pub(crate) const fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(crate) const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Returns the skills of workspaces.
    pub(crate) const fn skill_library(&self) -> &Arc<SkillLibrary> {
        &self.skill_library
    }

    /// Returns the reports about skills for the page.
    pub(crate) const fn skill_reports(&self) -> &SkillReports {
        &self.skill_reports
    }

    pub(crate) const fn matchers(&self) -> &Matchers {
        &self.matchers
    }

    pub(crate) const fn log_reads(&self) -> &LogReads {
        &self.log_reads
    }

    /// Reads the new events of the log on a blocking thread, and calls `show` with the board of the latest turns and
    /// the head of the log. Returns the result of `show`.
    ///
    /// # Errors
    /// [`BusError`] if the log cannot be read.
    pub(crate) async fn with_board<T: Send + 'static>(
        &self,
        show: impl FnOnce(&Board, Position) -> T + Send + 'static,
    ) -> Result<T, BusError> {
        // Requests wait here, so that each of them does not block a thread.
        let mut board = Arc::clone(&self.board).lock_owned().await;
        let shown = tokio::task::spawn_blocking(move || {
            let head = board.catch_up()?;
            Ok(show(board.board(), head))
        });
        shown.await.map_err(|_| BusError::FollowerLost)?
    }

    /// Returns the time at which the gateway was started.
    pub(crate) const fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Returns the clock that calls record their times with.
    #[expect(clippy::unused_self, reason = "the clock belongs to the gateway, whichever it is")]
    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        || SystemClock.now()
    }

    /// Returns the current time.
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

    /// Returns the provider whose API key the client sends with its request; `None` if the gateway has its own key for
    /// that provider, or the client sends none.
    pub(crate) fn client_key_provider(&self, incoming: &Incoming) -> Option<Provider> {
        let name = match incoming.api {
            WireApi::AnthropicMessages => "anthropic",
            WireApi::OpenAiChat | WireApi::OpenAiResponses => "openai",
            WireApi::Gemini => "google",
        };
        if !self.providers().get(name)?.config().credential.is_clients_own() || !has_provider_key(&incoming.headers) {
            return None;
        }
        Provider::try_from(name).ok()
    }
}
