//! `status`: shows which providers and models are available.

use availability::AvailabilityState;
use contracts::OutageScope;
use event_bus::{Clock as _, SystemClock};

use crate::{
    context::{Context, local_time},
    failure::Failure,
    screen::Table,
};

/// Prints the availability of the providers and models that were called, from the log.
pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let rows = context.fold_state()?.availability.status(SystemClock.now());
    context.print(&rows, || {
        if rows.is_empty() {
            anstream::println!("No call was recorded yet, so nothing is known to be out.");
            return;
        }
        let mut table = Table::new(&["SCOPE", "STATE", ">FAILURES", "SINCE", "TRIGGER", "CLEARS"]);
        for row in &rows {
            let scope = match &row.scope {
                OutageScope::ProviderWide(provider) => provider.to_string(),
                OutageScope::ModelSpecific(model) => format!("  {model}"),
            };
            let is_unhealthy = row.state != AvailabilityState::Healthy;
            table.add_row([
                scope,
                row.state.name().to_owned(),
                if row.failures == 0 { String::new() } else { row.failures.to_string() },
                row.since.filter(|_| is_unhealthy).map(local_time).unwrap_or_default(),
                row.trigger.map(|trigger| variant_name(&trigger)).unwrap_or_default(),
                row.clears_at.filter(|_| is_unhealthy).map(local_time).unwrap_or_default(),
            ]);
        }
        table.print();
    })
}

/// Returns the name of an enum variant in its JSON form; empty for a variant with fields.
fn variant_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
