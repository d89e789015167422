//! `serve`: the gateway, until it is told to stop.

use std::{net::SocketAddr, path::Path};

use adapters::{Keys, Providers};
use contracts::Registry;
use engine::Models;
use gateway::{Collector, Configuration, ConfigurationError, Gateway, StartError, Tokens, serve, tls};
use serde_json::json;
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

use crate::{
    arguments::ServeArguments,
    context::Context,
    failure::Failure,
    screen::{FAINT, GOOD, HEADING, styled},
};

pub(super) fn run(context: &Context, arguments: &ServeArguments) -> Result<(), Failure> {
    let dir = &context.home.dir;
    let mut configuration = Configuration::load(&dir.join("gateway.yaml"))?;
    if let Some(address) = arguments.listen {
        configuration.listen = Some(address);
    }
    let keys = Keys::load(&dir.join("keys")).map_err(ConfigurationError::from)?;
    let tokens = Tokens::load(&dir.join("tokens")).map_err(ConfigurationError::from)?;
    let providers = Providers::new(&configuration.providers, &keys, |name| std::env::var(name).ok())
        .map_err(ConfigurationError::from)?;
    let collector = Collector::new(&configuration, |name| std::env::var(name).ok())?;
    let models = Models::load(&context.home.models())?;
    let models = Models::of(providers.apply(&models.registry));
    // One thread needs no other to take work from it.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    if 1 < arguments.threads {
        runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(arguments.threads);
    }
    let runtime =
        runtime.enable_all().build().map_err(|error| Failure::NotDone(format!("cannot start the gateway: {error}")))?;
    let address = configuration.address();
    let tls = configuration.tls.as_ref().map(tls::acceptor).transpose()?;
    // A port that is taken is found before the log is opened.
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(|error| Failure::NotDone(format!("cannot listen on {address}: {error}{}", next_step(&error))))?;
    let engine = context.engine_of_gateway(models.clone())?;
    context.policy_notice(engine.policy_trouble().as_ref());
    let address = listener.local_addr().unwrap_or(address);
    let gateway = Gateway::start(engine, &configuration, &providers, tokens, collector, address)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    // Listened to before anyone is told that there is a gateway to stop.
    let signals = runtime.block_on(async { Signals::listen() });
    greet(context, scheme, address, &providers, &models.registry);
    let served = runtime.block_on(async {
        let (stop, stopping) = watch::channel(false);
        tokio::spawn(async move {
            stopped(signals).await;
            // The receiver is gone only when the gateway has ended by itself.
            let _ = stop.send(true);
        });
        serve(gateway, listener, tls, stopping).await
    });
    drop(runtime);
    Ok(served?)
}

/// By which the user or the system asks for an end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Listens from now on. Where that cannot be done, signals end the program as they always do; the log bears that.
    fn listen() -> Option<Self> {
        let listen = |kind| signal(kind).inspect_err(|error| tracing::warn!(%error, "cannot listen for signals")).ok();
        Some(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }
}

/// Returns when an end is asked for.
async fn stopped(signals: Option<Signals>) {
    let Some(Signals { mut interrupt, mut terminate }) = signals else { return std::future::pending().await };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

fn next_step(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "; another gateway may be running, `--listen 127.0.0.1:0` takes any free port",
        _ => "",
    }
}

fn greet(context: &Context, scheme: &str, address: SocketAddr, providers: &Providers, models: &Registry) {
    let url = format!("{scheme}://{address}");
    let found: Vec<_> = providers.iter().filter(|provider| !provider.credential.is_clients_own()).collect();
    if context.json {
        let names: Vec<_> = found.iter().map(|provider| &provider.name).collect();
        let reachable = models.iter().filter(|model| model.configured).count();
        println!("{}", json!({ "listening": url, "providers": names, "models": reachable }));
        return;
    }
    anstream::println!("{} {}", styled(GOOD, "turnwise listens on"), styled(HEADING, &url));
    anstream::println!("  page          {url}/");
    anstream::println!("  Claude Code   ANTHROPIC_BASE_URL={url} claude");
    anstream::println!("  OpenAI SDKs   OPENAI_BASE_URL={url}/v1");
    let names: Vec<_> =
        found.iter().map(|provider| format!("{} ({})", provider.name, provider.credential.name())).collect();
    anstream::println!("  keys          {}", names.join(", "));
    anstream::println!(
        "{}",
        styled(FAINT, "  A client that brings its own key is passed on to its own provider. Ctrl-C stops.")
    );
}

/// A new token for clients.
pub(super) fn token(context: &Context, name: &str) -> Result<(), Failure> {
    let path = context.home.dir.join("tokens");
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Failure::Wrong(format!("`{}` cannot be the name of a token: one word", name.escape_debug())));
    }
    let token = fresh().map_err(|error| Failure::NotDone(format!("no randomness for a token: {error}")))?;
    append_secretly(&path, &Tokens::line(name, &token)).map_err(|error| Failure::file("write", &path, &error))?;
    context.print(&json!({ "name": name, "token": token }), || {
        anstream::println!("{token}");
        context.notice(&format!("this is shown once; its hash is in {}; restart `turnwise serve`", path.display()));
    })
}

/// As many random bits as 24 bytes of the system have.
fn fresh() -> std::io::Result<String> {
    use std::io::Read as _;
    let mut bytes = [0; 24];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    // A hash is as random as what it is of, and can be written down.
    Ok(format!("tw-{}", blake3::hash(&bytes).to_hex()))
}

fn append_secretly(path: &Path, line: &str) -> std::io::Result<()> {
    use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

impl From<ConfigurationError> for Failure {
    fn from(error: ConfigurationError) -> Self {
        Self::Wrong(crate::failure::whole(&error))
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Engine(error) => error.into(),
            error @ StartError::Open(_) => Self::Wrong(error.to_string()),
            error @ StartError::Io(_) => Self::NotDone(crate::failure::whole(&error)),
        }
    }
}
