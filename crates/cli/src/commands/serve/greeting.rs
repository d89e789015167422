//! The lines that `serve` prints when the gateway listens.

use adapters::{ProviderConfig, Providers};
use contracts::Registry;
use serde_json::json;

use crate::{
    context::Context,
    screen::{FAINT, GOOD, HEADING, print_json, print_text, styled},
};

/// Prints the URL of the gateway and the settings for clients; with `--json` one object. A closed standard output is
/// ignored.
pub(super) fn print(context: &Context, url: &str, providers: &Providers, models: &Registry) {
    let keyed: Vec<_> = providers.iter().filter(|provider| !provider.credential.is_clients_own()).collect();
    if context.json {
        let names: Vec<_> = keyed.iter().map(|provider| &provider.name).collect();
        let reachable = models.iter().filter(|model| model.configured).count();
        print_json(&json!({ "listening": url, "providers": names, "models": reachable }).to_string());
    } else {
        print_text(&greeting(url, &keyed));
    }
}

/// Formats the URL, the settings for clients, and the providers in `keyed`, which have a key or need none.
fn greeting(url: &str, keyed: &[&ProviderConfig]) -> String {
    let keys: Vec<_> = keyed
        .iter()
        .map(|provider| format!("{} ({})", provider.name, provider.credential.name().replace('_', " ")))
        .collect();
    let keys = if keys.is_empty() { "none; clients bring their own".to_owned() } else { keys.join(", ") };
    let note = "  Requests with a client's own key go to that key's provider. Ctrl-C stops the gateway.";
    [
        format!("{} {}\n", styled(GOOD, "turnwise listens on"), styled(HEADING, url)),
        format!("  page          {url}/\n"),
        format!("  Claude Code   ANTHROPIC_BASE_URL={url} claude\n"),
        format!("  OpenAI SDKs   OPENAI_BASE_URL={url}/v1\n"),
        format!("  keys          {keys}\n"),
        format!("{}\n", styled(FAINT, note)),
    ]
    .concat()
}
