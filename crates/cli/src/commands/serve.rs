//! `serve`: runs the gateway until a signal stops it.

mod greeting;
mod signals;
mod turn_lines;

use std::{
    io::{self, IsTerminal as _},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use adapters::{KeySalt, Providers, write_own_file};
use control::ControlSocket;
use engine::{Home, Models, RetentionScope};
use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use gateway::{
    Collector, Configuration, ConfigurationError, Gateway, ProviderSource, StartError, Tokens, raise_descriptor_limit,
    serve, tls,
};
use tokio::{
    net::{TcpListener, TcpSocket},
    runtime::Runtime,
    sync::watch,
};

use super::events::retain_at_start;
use crate::{arguments::ServeArguments, context::Context, failure::Failure, machine::load_providers};
use signals::Signals;
use turn_lines::TurnLines;

/// The file in the home folder with the URL of the gateway, valid while its control socket accepts connections.
pub(super) const URL_FILE: &str = "run/gateway.url";

/// The maximum number of connections that wait to be accepted while the gateway is at its limit. The operating system
/// refuses further ones.
const BACKLOG: u32 = 1_024;

/// The longest time that the gateway needs to close its log, after running requests were finished or cancelled.
const CLOSING_TIME: Duration = Duration::from_millis(2_300);

/// Executes `turnwise serve`: runs the gateway until a signal stops it. Running requests then have the configured time
/// to finish; a gateway that does not stop in time is ended.
pub(super) fn run(context: &Context, arguments: &ServeArguments) -> Result<(), Failure> {
    let dir = &context.home.dir;
    let mut configuration = Configuration::load(&dir.join("gateway.yaml"))?;
    if let Some(address) = arguments.listen {
        configuration.listen = Some(address);
    }
    let tokens = Tokens::load(&dir.join("tokens")).map_err(ConfigurationError::from)?;
    if arguments.require_token && tokens.is_empty() {
        let message = "there is no token yet: `turnwise token add NAME` creates one";
        return Err(Failure::Invalid(message.to_owned()));
    }
    let salt = KeySalt::open(&dir.join("key-salt")).map_err(ConfigurationError::from)?;
    let (providers, models) = load_models(&context.home, &salt)?;
    let collector = Collector::new(&configuration, |name| std::env::var(name).ok())?;
    let tls = configuration.tls.as_ref().map(tls::acceptor).transpose()?;
    raise_descriptor_limit();
    let runtime = runtime(arguments.threads)?;
    let address = configuration.address();
    // Bound before the log is opened, so that a port in use is reported at once.
    let listener = runtime.block_on(async { listen(address) }).map_err(|error| bind_failure(address, &error))?;
    retain_at_start(context, retention_scope(&configuration))?;
    // A program may be writing the policy at this moment.
    engine::wait_until_settled(&context.home.policy);
    let engine = context.gateway_engine(models.clone())?;
    context.print_problem_note(&engine);
    let address = listener.local_addr().unwrap_or(address);
    let shows_turns = std::io::stderr().is_terminal() && !arguments.quiet && !context.json;
    let turn_lines = shows_turns.then(|| TurnLines::start(Arc::clone(engine.log()), Arc::clone(engine.texts())));
    let gateway = Gateway::start(engine, &configuration, &providers, tokens, collector, address)?;
    let home = context.home.clone();
    gateway.set_provider_source(ProviderSource::new(move || {
        load_models(&home, &salt).map_err(|failure| failure.message().unwrap_or_default().to_owned())
    }));
    let longest_shutdown = Duration::from_millis(configuration.limits.shutdown_ms) + CLOSING_TIME;
    let served = runtime.block_on(async {
        let (stop, stopping) = watch::channel(false);
        let control = control_socket(&context.home);
        // Installed before the greeting, which mentions that Ctrl-C stops the gateway.
        let signals = Signals::listen();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{address}");
        if control.is_some() {
            write_url(&context.home, &url);
        }
        greeting::print(context, &url, &providers, &models.registry);
        tokio::spawn(async move {
            signals.received().await;
            signals::end_process_after(longest_shutdown);
            stop.send_replace(true);
        });
        serve(gateway, listener, tls, control, stopping).await
    });
    drop(turn_lines);
    // Does not wait for threads of requests that were cancelled.
    runtime.shutdown_background();
    Ok(served?)
}

/// Loads the providers with their keys, and the models, which state whether they can be reached.
fn load_models(home: &Home, salt: &KeySalt) -> Result<(Providers, Models), Failure> {
    let providers = load_providers(home)?.with_salt(salt);
    let models = Models::load(&home.models())?;
    let models = Models::from_registry(providers.apply(&models.registry));
    Ok((providers, models))
}

/// Returns the limits of the log in the settings of the gateway, at the present time.
fn retention_scope(configuration: &Configuration) -> RetentionScope {
    /// Microseconds of a day.
    const DAY_MICROS: u64 = 86_400 * 1_000_000;
    /// Bytes of a megabyte.
    const MEGABYTE: u64 = 1_000_000;
    let Some(retention) = &configuration.retention else { return RetentionScope::default() };
    let now = SystemClock.now();
    RetentionScope {
        before: retention.days.map(|days| Timestamp(now.0.saturating_sub(days.saturating_mul(DAY_MICROS)))),
        max_bytes: retention.megabytes.map(|megabytes| megabytes.saturating_mul(MEGABYTE)),
    }
}

/// Builds the async runtime of the gateway, with `threads` threads that serve requests.
fn runtime(threads: usize) -> Result<Runtime, Failure> {
    // One thread does not need work stealing.
    let mut builder = tokio::runtime::Builder::new_current_thread();
    if 1 < threads {
        builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(threads);
    }
    builder.enable_all().build().map_err(|error| Failure::Failed(format!("cannot start the gateway: {error}")))
}

/// Opens the socket on which clients connect to the gateway. Up to [`BACKLOG`] connections wait to be accepted.
///
/// # Errors
/// The error of the operating system, such as an address in use.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Creates the control socket, through which other commands reach the running gateway. If that fails, prints a warning
/// and returns `None`: the gateway works without the socket, but commands that write to the log cannot run beside it.
fn control_socket(home: &Home) -> Option<ControlSocket> {
    let bound = ControlSocket::bind(&home.dir);
    bound
        .inspect_err(|error| {
            tracing::warn!(%error, "no control socket: commands that write have to wait until the gateway stops");
        })
        .ok()
}

/// Writes the URL of the gateway beside its control socket. A failure is logged: only `claude` and `codex` need the file.
fn write_url(home: &Home, url: &str) {
    let path = home.dir.join(URL_FILE);
    if let Err(error) = write_own_file(&path, url.as_bytes()) {
        tracing::warn!(%error, path = %path.display(), "the URL cannot be written; `turnwise claude` will not find it");
    }
}

/// Converts the error of listening on an address to a failure, with the next step if the address is in use.
fn bind_failure(address: SocketAddr, error: &std::io::Error) -> Failure {
    let next_step = match error.kind() {
        std::io::ErrorKind::AddrInUse => "; another gateway may be running, `--listen 127.0.0.1:0` takes any free port",
        _ => "",
    };
    Failure::Failed(format!("cannot listen on {address}: {error}{next_step}"))
}

impl From<ConfigurationError> for Failure {
    fn from(error: ConfigurationError) -> Self {
        Self::Invalid(control::with_causes(&error))
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Engine(error) => error.into(),
            error @ (StartError::Open(_) | StartError::Address { .. }) => Self::Invalid(error.to_string()),
            error @ StartError::Io(_) => Self::Failed(control::with_causes(&error)),
        }
    }
}
