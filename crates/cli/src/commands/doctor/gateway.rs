//! Checks whether the gateway runs, where it listens, and which version it has.

use std::{io, net::TcpStream, path::Path, time::Duration};

use control::{Connection, GatewayReport, ReportGateway, Writer};
use gateway::{Configuration, DEFAULT_ADDRESS};

use super::finding::{Finding, Section};
use crate::{commands::serve::URL_FILE, context::Context};

/// The longest time to connect to the gateway's address.
const CONNECT_LIMIT: Duration = Duration::from_millis(500);

/// The state of the gateway that uses a home folder, also if none runs.
#[derive(Debug)]
pub(super) struct GatewayState {
    /// The report of the running gateway, or an error message if it does not respond; `None` if none runs.
    report: Option<Result<GatewayReport, String>>,
    /// The URL of the running gateway, or the URL that `turnwise serve` would use.
    pub(super) url: String,
}

impl GatewayState {
    /// Finds the gateway that has opened the home folder, and requests its report.
    pub(super) fn find(context: &Context) -> Self {
        let dir = &context.home.dir;
        let report = match Connection::open(dir) {
            Ok(None) => None,
            Ok(Some(connection)) => {
                Some(Writer::Gateway(connection).execute(ReportGateway {}).map_err(|error| error.message))
            }
            Err(error) => Some(Err(format!("its control socket cannot be used: {error}"))),
        };
        let running = report.is_some().then(|| adapters::read_own_file(&dir.join(URL_FILE)).ok()).flatten();
        let url = running.map_or_else(|| configured_url(dir), |url| url.trim().to_owned());
        Self { report, url }
    }

    /// Returns whether a gateway runs in the home folder.
    pub(super) const fn runs(&self) -> bool {
        self.report.is_some()
    }

    /// Returns whether the running gateway has no key for a provider although it has models of that provider.
    pub(super) fn lacks_key_of(&self, provider: &str) -> bool {
        let Some(Ok(report)) = &self.report else { return false };
        report.known_providers.contains(provider) && !report.providers.contains(provider)
    }

    /// Returns the step that restarts the gateway, for the user.
    pub(super) fn restart_step(&self) -> String {
        match &self.report {
            Some(Ok(report)) => format!("kill {}, then `turnwise serve` from this shell", report.process),
            _ => "restart `turnwise serve`".to_owned(),
        }
    }
}

/// Returns the URL that `turnwise serve` would use, from the file `gateway.yaml` in the home folder `dir`.
fn configured_url(dir: &Path) -> String {
    let configured = Configuration::load(&dir.join("gateway.yaml")).unwrap_or_default();
    let scheme = if configured.tls.is_some() { "https" } else { "http" };
    let address = configured.listen.map_or_else(|| DEFAULT_ADDRESS.to_owned(), |address| address.to_string());
    format!("{scheme}://{address}")
}

/// Checks that the gateway runs with the version of this program, and that its file of access tokens is valid.
pub(super) fn check_gateway(context: &Context, gateway: &GatewayState) -> Section {
    let own = env!("CARGO_PKG_VERSION");
    let finding = match &gateway.report {
        Some(Ok(report)) if report.version == own => {
            Finding::ok(format!("{} runs as process {}, version {own}", gateway.url, report.process))
        }
        Some(Ok(report)) => Finding::problem(
            format!("{} runs with version {}, this program is {own}", gateway.url, report.version),
            gateway.restart_step(),
        ),
        Some(Err(message)) => Finding::problem(format!("{}: {message}", gateway.url), gateway.restart_step()),
        None => not_running(gateway),
    };
    let mut findings = vec![finding];
    if let Err(error) = gateway::Tokens::load(&context.home.dir.join("tokens")) {
        findings.push(Finding::problem(error.to_string(), "`turnwise serve` does not start before it is corrected"));
    }
    Section::new("gateway", findings)
}

/// Returns the finding for a home folder without a running gateway: its address is free, or another program listens
/// there.
fn not_running(gateway: &GatewayState) -> Finding {
    let address = gateway.url.split_once("//").map_or("", |(_, address)| address);
    let is_taken = address.parse().is_ok_and(|address| match TcpStream::connect_timeout(&address, CONNECT_LIMIT) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::ConnectionRefused && address.port() != 0,
    });
    if is_taken {
        return Finding::problem(
            format!("none runs in this home folder, and {address} is in use by another program"),
            "set `listen: 127.0.0.1:4142` in gateway.yaml, or give --home of the one that runs",
        );
    }
    Finding::note(format!("none runs; it would listen on {}", gateway.url), "turnwise serve")
}
