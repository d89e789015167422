//! The lines that `serve` prints when the gateway listens.

use std::io::{self, Write};

use adapters::{ProviderConfig, Providers};
use contracts::Registry;
use serde_json::json;

use crate::{
    context::Context,
    screen::{FAINT, GOOD, HEADING, styled},
};

/// Prints the URL of the gateway and the settings for clients; with `--json` one object. A closed standard output is
/// logged and otherwise ignored.
pub(super) fn print(context: &Context, url: &str, providers: &Providers, models: &Registry) {
    let keyed: Vec<_> = providers.iter().filter(|provider| !provider.credential.is_clients_own()).collect();
    let mut out = anstream::stdout().lock();
    let written = if context.json {
        let names: Vec<_> = keyed.iter().map(|provider| &provider.name).collect();
        let reachable = models.iter().filter(|model| model.configured).count();
        writeln!(out, "{}", json!({ "listening": url, "providers": names, "models": reachable }))
    } else {
        write_text(&mut out, url, &keyed)
    };
    if let Err(error) = written.and_then(|()| out.flush()) {
        tracing::warn!(%error, "the address cannot be printed");
    }
}

/// Writes the URL, the settings for clients, and the providers in `keyed`, which have a key or need none.
fn write_text(out: &mut impl Write, url: &str, keyed: &[&ProviderConfig]) -> io::Result<()> {
    let keys: Vec<_> =
        keyed.iter().map(|provider| format!("{} ({})", provider.name, provider.credential.name())).collect();
    let keys = if keys.is_empty() { "none; clients bring their own".to_owned() } else { keys.join(", ") };
    writeln!(out, "{} {}", styled(GOOD, "turnwise listens on"), styled(HEADING, url))?;
    writeln!(out, "  page          {url}/")?;
    writeln!(out, "  Claude Code   ANTHROPIC_BASE_URL={url} claude")?;
    writeln!(out, "  OpenAI SDKs   OPENAI_BASE_URL={url}/v1")?;
    writeln!(out, "  keys          {keys}")?;
    let note = "  Requests with a client's own key go to that key's provider. Ctrl-C stops the gateway.";
    writeln!(out, "{}", styled(FAINT, note))
}
