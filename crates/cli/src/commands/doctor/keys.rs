//! Checks the keys of the providers, by the name of their variable or file.

use std::time::Duration;

use adapters::{Credential, KeyCheck, ProviderConfig, Providers, check_key, http_client};
use tokio::{runtime, task::JoinSet};

use super::{
    finding::{Finding, Section},
    gateway::GatewayState,
};
use crate::{
    context::Context,
    failure::Failure,
    machine::{Client, KeySource, find_keys},
};

/// The longest time that a provider may take to respond.
const LIMIT: Duration = Duration::from_secs(10);

/// Checks the API keys in the environment and in the file `keys`, and the logins of clients. With `online`, sends each
/// key to its provider.
pub(super) fn check_keys(
    context: &Context,
    providers: &Result<Providers, Failure>,
    clients: &[Client],
    gateway: &GatewayState,
    online: bool,
) -> Section {
    let findings = match providers {
        Ok(providers) => findings(context, providers, clients, gateway, online),
        Err(failure) => {
            let text = failure.message().unwrap_or_default();
            vec![Finding::problem(text, "correct the file; `turnwise serve` does not start with it")]
        }
    };
    Section::new("keys", findings)
}

/// Returns the findings about keys and logins. Without any of them, that is a problem.
fn findings(
    context: &Context,
    providers: &Providers,
    clients: &[Client],
    gateway: &GatewayState,
    online: bool,
) -> Vec<Finding> {
    let keys = find_keys(&context.home, providers);
    let mut findings = if online { check_online(providers, &keys) } else { Vec::new() };
    if !online {
        findings.extend(keys.iter().map(|key| Finding::ok(format!("{}: {}", key.provider, key.place))));
    }
    for key in &keys {
        if gateway.lacks_key_of(&key.provider) {
            let text = format!("the running gateway has no key for {}: it was set after its start", key.provider);
            let step = if key.is_in_file { "turnwise rules reload".to_owned() } else { gateway.restart_step() };
            findings.push(Finding::problem(text, step));
        }
    }
    let logins: Vec<_> = clients.iter().filter(|client| client.has_login).collect();
    for client in &logins {
        findings.push(Finding::ok(format!("{} has a login, which the gateway forwards", client.kind.title())));
    }
    if keys.is_empty() && logins.is_empty() {
        let text = "no key and no login: only a client that sends a key of its own can be served";
        findings.push(Finding::problem(text, "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"));
    }
    findings
}

/// Sends each key to its provider, all at once, and returns a finding for each result.
fn check_online(providers: &Providers, keys: &[KeySource]) -> Vec<Finding> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let mut no_authorities = None;
    let client = http_client(LIMIT, 1, |error| no_authorities = Some(error.to_string()));
    if let Some(cause) = no_authorities {
        return vec![Finding::problem(format!("no request can be sent: {cause}"), "install the CA certificates")];
    }
    let (Ok(runtime), Ok(client)) = (&runtime, &client) else {
        let cause = runtime.err().or(client.err()).map(|error| error.to_string()).unwrap_or_default();
        return vec![Finding::problem(format!("no request can be sent: {cause}"), "correct HTTPS_PROXY")];
    };
    let mut results: Vec<(ProviderConfig, KeyCheck)> = runtime.block_on(async {
        let mut checks = JoinSet::new();
        for config in keys.iter().filter_map(|key| providers.get(&key.provider)) {
            let (config, client) = (config.clone(), client.clone());
            checks.spawn(async move {
                let checked = check_key(&config, &client, LIMIT).await;
                (config, checked)
            });
        }
        checks.join_all().await
    });
    results.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    results.iter().map(|(config, checked)| online_finding(config, checked)).collect()
}

/// Returns the finding for the result of checking the key of a provider.
fn online_finding(config: &ProviderConfig, checked: &KeyCheck) -> Finding {
    let (name, url) = (&config.name, &config.url);
    let place = match (&config.credential, &config.key_env) {
        (Credential::Environment(_), Some(variable)) => variable.clone(),
        _ => "the file `keys`".to_owned(),
    };
    match checked {
        KeyCheck::Accepted => Finding::ok(format!("{name}: {place}, accepted by {url}")),
        KeyCheck::Refused(status) => {
            Finding::problem(format!("{name}: {url} refused the key in {place} ({status})"), format!("correct {place}"))
        }
        KeyCheck::Unexpected(status) => Finding::note(
            format!("{name}: {place}; {url} answered with {status}, so the key was not checked"),
            format!("`providers: {{{name}: {{url: …}}}}` in gateway.yaml sets the address"),
        ),
        KeyCheck::Unreachable(cause) => Finding::problem(
            format!("{name}: {url} cannot be reached: {cause}"),
            "check the network, HTTPS_PROXY, and the address in gateway.yaml",
        ),
    }
}
