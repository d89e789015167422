//! Texts about a provider that rejected its configured key, for the why-view, banners and refusals (decision D37).

use contracts::Provider;

/// Formats the failure of a rejected key: `anthropic refused the key in ANTHROPIC_API_KEY`. `variable` is the
/// environment variable that contains the key; `None` for the file `keys`.
pub fn key_refused(provider: &Provider, variable: Option<&str>) -> String {
    match variable {
        Some(variable) => format!("{provider} refused the key in {variable}"),
        None => format!("{provider} refused the key in the file `keys`"),
    }
}

/// Formats the remedy for a rejected key: where to set a valid key, and the command that ends the outage. `variable` is
/// the environment variable that contains the key; `None` for the file `keys`.
pub fn key_refused_remedy(provider: &Provider, variable: Option<&str>) -> String {
    let place = variable.map_or_else(|| format!("`{provider}` in the file `keys`"), str::to_owned);
    format!("Set {place} to a valid key and restart the gateway, or run `turnwise providers retry {provider}`.")
}
