//! `providers`: lists the providers with their keys and outages, and ends the outages of one.

use adapters::{Credential, Keys, ProviderConfig, Providers};
use availability::{NOT_CALLED, ScopeStatus};
use contracts::{OutageScope, events::OutageTrigger};
use control::{Connection, RetryProvider};
use engine::Models;
use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use gateway::{Configuration, ConfigurationError};
use serde::Serialize;

use crate::{
    arguments::ProvidersCommand,
    context::{Context, local_time},
    failure::Failure,
    screen::{Table, outln},
};

/// Executes a subcommand of `providers`; without one, lists the providers.
pub(super) fn run(context: &Context, command: Option<ProvidersCommand>) -> Result<(), Failure> {
    match command {
        None | Some(ProvidersCommand::List) => list_providers(context),
        Some(ProvidersCommand::Retry { name }) => retry(context, name),
    }
}

/// A row of the table of providers: a provider, or a single model with an outage.
#[derive(Debug, Serialize)]
struct Row {
    /// The provider or model.
    scope: OutageScope,
    /// The state of the provider or model: [`ScopeStatus::label`], or [`NOT_CALLED`] if it was never called.
    state: &'static str,
    /// The place of the key in the environment of this command; `None` for a model.
    key: Option<String>,
    /// The start of the outage; `None` without one.
    since: Option<Timestamp>,
    /// The time at which the outage ends without a further call; `None` without one.
    until: Option<Timestamp>,
    /// The condition that started the outage; `None` without one.
    because: Option<String>,
}

/// Prints the providers of the models with their keys and outages, each followed by its models with an outage. Shows
/// the place of each key in the environment of this command, never the key.
fn list_providers(context: &Context) -> Result<(), Failure> {
    let dir = &context.home.dir;
    let configuration = Configuration::load(&dir.join("gateway.yaml"))?;
    let keys = Keys::load(&dir.join("keys")).map_err(ConfigurationError::from)?;
    let providers = Providers::new(&configuration.providers, &keys, |name| std::env::var(name).ok())
        .map_err(ConfigurationError::from)?;
    let registry = Models::load(&context.home.models())?.registry;
    let status = context.fold_state()?.availability.status(SystemClock.now());
    let mut rows = Vec::new();
    for name in registry.providers() {
        let scope = OutageScope::ProviderWide(name.clone());
        let own = status.iter().find(|row| row.scope == scope);
        rows.push(build_row(scope, own, Some(key_place(providers.get(name.as_str())))));
        let is_out = |status: &&ScopeStatus| {
            let is_own =
                matches!(&status.scope, OutageScope::ModelSpecific(model) if model.provider() == name.as_str());
            is_own && status.clears_at.is_some()
        };
        rows.extend(status.iter().filter(is_out).map(|model| build_row(model.scope.clone(), Some(model), None)));
    }
    context.print(&rows, || print_rows(context, &rows))
}

/// Builds the row of a provider or model; `status` is `None` if it was never called.
fn build_row(scope: OutageScope, status: Option<&ScopeStatus>, key: Option<String>) -> Row {
    let outage = status.filter(|status| status.clears_at.is_some());
    Row {
        scope,
        state: status.map_or(NOT_CALLED, ScopeStatus::label),
        key,
        since: outage.and_then(|outage| outage.since),
        until: outage.and_then(|outage| outage.clears_at),
        because: outage.and_then(because),
    }
}

/// Returns the condition that started an outage, in words, with the place of a refused key; `None` if the log does not
/// contain it.
pub(super) fn because(outage: &ScopeStatus) -> Option<String> {
    let text = outage.trigger?.text();
    match (outage.trigger?, &outage.key) {
        (OutageTrigger::AuthError, Some(key)) => {
            Some(format!("{text} in {}", key.variable.as_deref().unwrap_or("the file `keys`")))
        }
        _ => Some(text.to_owned()),
    }
}

/// Returns where the API key of a provider was found, for the table. `config` is `None` for a provider that only
/// `models.yaml` names.
fn key_place(config: Option<&ProviderConfig>) -> String {
    let Some(config) = config else { return "not configured".to_owned() };
    match (&config.credential, config.key.as_ref().and_then(|key| key.variable.as_deref())) {
        (Credential::Environment(_), Some(variable)) => variable.to_owned(),
        (Credential::File(_) | Credential::Environment(_), _) => "file `keys`".to_owned(),
        (Credential::NotNeeded, _) => "not needed".to_owned(),
        (Credential::None, _) => "no key".to_owned(),
    }
}

/// Prints the table of providers, and the details of each outage below its row.
fn print_rows(context: &Context, rows: &[Row]) {
    let mut table = Table::new(&["PROVIDER", "STATE", "KEY"]);
    for row in rows {
        let scope = match &row.scope {
            OutageScope::ProviderWide(provider) => provider.to_string(),
            OutageScope::ModelSpecific(model) => format!("  {model}"),
        };
        table.add_row([scope, row.state.to_owned(), row.key.clone().unwrap_or_default()]);
    }
    table.print();
    for row in rows.iter().filter(|row| row.until.is_some()) {
        let (name, provider) = match &row.scope {
            OutageScope::ProviderWide(provider) => (provider.as_str(), provider.as_str()),
            OutageScope::ModelSpecific(model) => (model.as_str(), model.provider()),
        };
        let time = |at: Option<Timestamp>| at.map(local_time).unwrap_or_default();
        outln!("\n{name}: {}", row.because.as_deref().unwrap_or("a probe is running"));
        outln!("  since {}, until {} at the latest", time(row.since), time(row.until));
        outln!("  end it now: turnwise providers retry {provider}");
    }
    if matches!(Connection::open(&context.home.dir), Ok(Some(_))) {
        context.print_note("the keys are those of this shell; those of the running gateway may differ");
    }
}

/// Ends the outages of a provider and of its models, and prints which of them are available again.
///
/// # Errors
/// [`Failure::Invalid`] if no model has the provider.
fn retry(context: &Context, provider: String) -> Result<(), Failure> {
    let mut writer = context.writer()?;
    let retried = writer.execute(RetryProvider { provider })?;
    writer.close()?;
    context.print(&retried, || {
        let name = &retried.provider;
        if retried.ended.is_empty() {
            outln!("{name} has no outage.");
        }
        for scope in &retried.ended {
            let scope = match scope {
                OutageScope::ProviderWide(provider) => provider.as_str(),
                OutageScope::ModelSpecific(model) => model.as_str(),
            };
            outln!("{scope} is available to the next turn.");
        }
    })
}
