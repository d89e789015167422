//! Checks whether providers or models are unavailable, as decisions see them.

use contracts::OutageScope;
use event_bus::{Clock as _, SystemClock};

use super::finding::{Finding, Section};
use crate::{
    commands::providers::because,
    context::{Context, local_time},
};

/// Reads the outages from the log. Each is a problem with its cause, its end, and the command that ends it at once.
pub(super) fn check_outages(context: &Context) -> Section {
    let findings = match context.fold_state() {
        Ok(state) => {
            let status = state.availability.status(SystemClock.now());
            let outages: Vec<_> = status
                .iter()
                .filter_map(|scope| {
                    let until = local_time(scope.clears_at?);
                    let (name, provider) = match &scope.scope {
                        OutageScope::ProviderWide(provider) => (provider.as_str(), provider.as_str()),
                        OutageScope::ModelSpecific(model) => (model.as_str(), model.provider()),
                    };
                    let because = because(scope).unwrap_or_else(|| "a probe is running".to_owned());
                    let text = format!("{name} is unavailable until {until} at the latest: {because}");
                    Some(Finding::problem(text, format!("turnwise providers retry {provider}")))
                })
                .collect();
            if outages.is_empty() { vec![Finding::ok("no provider has an outage")] } else { outages }
        }
        // The section about the log states the problem.
        Err(_) => vec![Finding::note("the log cannot be read, so outages are unknown", "turnwise events verify")],
    };
    Section::new("outages", findings)
}
