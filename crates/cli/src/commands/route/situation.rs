//! Converts the situation that the arguments of `route` state into a request and assumptions.

use contracts::{AuxiliaryCall, ClientRequest, Delegation, ModelId, NanoUsd, Provider, Registry, Tier, views::Outages};
use engine::Assumptions;
use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use router_core::{StatedRequest, StatedSpending};

use crate::{arguments::SituationArguments, context::local_offset, failure::Failure};

/// A minute, in microseconds.
const MINUTE: u64 = 60_000_000;
/// A day, in microseconds.
const DAY: u64 = 1_440 * MINUTE;

/// Returns the request of the client that the arguments describe; `None` if they describe none.
pub(super) fn request(stated: &SituationArguments, models: &Registry) -> Result<Option<ClientRequest>, Failure> {
    let auxiliary = stated.auxiliary.as_deref().map(|name| {
        let known = AuxiliaryCall::ALL.map(AuxiliaryCall::name).join(", ");
        AuxiliaryCall::named(name)
            .ok_or_else(|| Failure::Invalid(format!("`{name}` is not an auxiliary call: use one of {known}")))
    });
    let request = StatedRequest {
        client: stated.client.clone(),
        model: stated.client_model.clone(),
        subagent: stated.subagent,
        auxiliary: auxiliary.transpose()?,
        thinking_of: stated.thinking.clone(),
        web_search: stated.web_search,
        requires: stated.requires.clone(),
    };
    if request.is_empty() {
        return Ok(None);
    }
    let resolve = |name: &str| models.named(name).map(|model| model.id.clone());
    request.build(resolve).map(Some).map_err(|name| unknown_model(&name))
}

/// Returns the state of the gateway that the arguments assume, such as spending, time and outages.
pub(super) fn assumptions(stated: &SituationArguments, models: &Registry) -> Result<Assumptions, Failure> {
    let model = |name: &String| -> Result<ModelId, Failure> {
        models.named(name).map(|model| model.id.clone()).ok_or_else(|| unknown_model(name))
    };
    let mut outages = Outages::default();
    for name in &stated.out {
        if let Some(known) = models.named(name) {
            outages.models.insert(known.id.clone(), Timestamp(u64::MAX));
        } else if let Some(known) = models.iter().find(|model| model.provider.as_str() == name) {
            outages.providers.insert(Provider::clone(&known.provider), Timestamp(u64::MAX));
        } else {
            let next = "`turnwise models` lists all models with their provider";
            return Err(Failure::Invalid(format!("`{name}` is neither a provider nor a model; {next}")));
        }
    }
    Ok(Assumptions {
        at: stated.at.as_deref().map(|text| today_at(text, SystemClock.now())).transpose()?,
        spending: spending(stated)?,
        session_model: stated.session_model.as_ref().map(model).transpose()?,
        thinking_of: stated.thinking.as_ref().map(model).transpose()?,
        outages,
    })
}

/// Parses the arguments that state amounts spent in each scope and period. An invalid amount is an error.
fn spending(stated: &SituationArguments) -> Result<StatedSpending, Failure> {
    let amount = |text: &Option<String>| -> Result<Option<NanoUsd>, Failure> {
        let Some(text) = text else { return Ok(None) };
        let invalid = |_| Failure::Invalid(format!("`{text}` is not an amount of dollars like 5.42"));
        text.parse().map(Some).map_err(invalid)
    };
    Ok(StatedSpending {
        today: amount(&stated.spent)?,
        week: amount(&stated.spent_week)?,
        month: amount(&stated.spent_month)?,
        project: amount(&stated.spent_project)?,
        client: amount(&stated.spent_client)?,
        session: amount(&stated.spent_session)?,
    })
}

/// Returns the delegation (a planner's request for a tier) that the arguments describe; `None` without one.
pub(super) fn delegation(stated: &SituationArguments) -> Result<Option<Delegation>, Failure> {
    let Some(name) = &stated.tier else { return Ok(None) };
    let tier = Tier::named(name);
    let tier = tier.ok_or_else(|| Failure::Invalid(format!("`{name}` is not a tier: use fast, balanced or deep")))?;
    Ok(Some(Delegation { tier }))
}

/// Parses a time of day and returns it as a moment on the local day of `now`.
fn today_at(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    let invalid = || Failure::Invalid(format!("`{text}` is not a time of the day like 23:30"));
    let (hours, minutes) = text.split_once(':').ok_or_else(invalid)?;
    let number = |part: &str, end: u64| part.parse::<u64>().ok().filter(|number| *number < end && part.len() <= 2);
    let minute = number(hours, 24).zip(number(minutes, 60)).map(|(hours, minutes)| hours * 60 + minutes);
    let minute = minute.ok_or_else(invalid)?;
    let offset = i64::from(local_offset(now)) * i64::try_from(MINUTE).unwrap_or_default();
    let local = now.0.saturating_add_signed(offset);
    let midnight = local - local % DAY;
    Ok(Timestamp((midnight + minute * MINUTE).saturating_add_signed(-offset)))
}

/// Creates the failure for a model name that no model has.
fn unknown_model(name: &str) -> Failure {
    Failure::Invalid(format!("`{name}` is not a model; `turnwise models` lists all names"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_the_day_is_on_the_day_of_now() {
        let now = Timestamp(1_795_000_000_000_000);
        let at = today_at("23:30", now).unwrap();
        assert_eq!(at.local_minute_of_day(local_offset(now)), 23 * 60 + 30);
        assert!(at.0.abs_diff(now.0) < DAY);
        for wrong in ["", "24:00", "12:60", "noon", "1200", "012:00"] {
            assert!(today_at(wrong, now).is_err(), "{wrong}");
        }
    }
}
