//! `serve`: runs the gateway until a signal stops it.

mod greeting;
mod signals;
mod turn_lines;

use std::{io::IsTerminal as _, net::SocketAddr, sync::Arc};

use adapters::KeySalt;
use control::ControlSocket;
use engine::{Home, Models};
use gateway::{Collector, Configuration, ConfigurationError, Gateway, StartError, Tokens, serve, tls};
use tokio::{net::TcpListener, runtime::Runtime, sync::watch};

use crate::{arguments::ServeArguments, context::Context, failure::Failure, machine::load_providers};
use signals::Signals;
use turn_lines::TurnLines;

/// The file in the home folder with the URL of the gateway, valid while its control socket accepts connections.
pub(super) const URL_FILE: &str = "run/gateway.url";

/// Runs the gateway until a signal stops it.
pub(super) fn run(context: &Context, arguments: &ServeArguments) -> Result<(), Failure> {
    let dir = &context.home.dir;
    let mut configuration = Configuration::load(&dir.join("gateway.yaml"))?;
    if let Some(address) = arguments.listen {
        configuration.listen = Some(address);
    }
    let tokens = Tokens::load(&dir.join("tokens")).map_err(ConfigurationError::from)?;
    let salt = KeySalt::open(&dir.join("key-salt")).map_err(ConfigurationError::from)?;
    let providers = load_providers(&context.home)?.with_salt(&salt);
    let collector = Collector::new(&configuration, |name| std::env::var(name).ok())?;
    let models = Models::load(&context.home.models())?;
    let models = Models::from_registry(providers.apply(&models.registry));
    let tls = configuration.tls.as_ref().map(tls::acceptor).transpose()?;
    let runtime = runtime(arguments.threads)?;
    let address = configuration.address();
    // Bound before the log is opened, so that a port in use is reported at once.
    let listener = runtime.block_on(TcpListener::bind(address)).map_err(|error| bind_failure(address, &error))?;
    let engine = context.gateway_engine(models.clone())?;
    context.print_problem_note(&engine);
    let address = listener.local_addr().unwrap_or(address);
    let shows_turns = std::io::stderr().is_terminal() && !arguments.quiet && !context.json;
    let turn_lines = shows_turns.then(|| TurnLines::start(Arc::clone(engine.log()), Arc::clone(engine.texts())));
    let gateway = Gateway::start(engine, &configuration, &providers, tokens, collector, address)?;
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
            stop.send_replace(true);
        });
        serve(gateway, listener, tls, control, stopping).await
    });
    drop(turn_lines);
    drop(runtime);
    Ok(served?)
}

/// Builds a runtime with `threads` threads for requests.
fn runtime(threads: usize) -> Result<Runtime, Failure> {
    // One thread does not need work stealing.
    let mut builder = tokio::runtime::Builder::new_current_thread();
    if 1 < threads {
        builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(threads);
    }
    builder.enable_all().build().map_err(|error| Failure::Failed(format!("cannot start the gateway: {error}")))
}

/// Binds the control socket. `None` with a warning if that fails: the gateway works without it, but commands that write
/// cannot run while it does.
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
    if let Err(error) = std::fs::write(&path, url) {
        tracing::warn!(%error, path = %path.display(), "the URL cannot be written; `turnwise claude` will not find it");
    }
}

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
            error @ StartError::Open(_) => Self::Invalid(error.to_string()),
            error @ StartError::Io(_) => Self::Failed(control::with_causes(&error)),
        }
    }
}
