//! Executes steps on the projection and on the naive model, and compares both after each.

use std::{collections::BTreeMap, fmt};

use availability::{Availability, AvailabilityState, Transition, TransitionEvent};
use contracts::{OutageScope, Provider, events::RecoveredBy};
use event_core::{EventId, Position, Projected};

use super::{
    Counts,
    model::{self, Model, Seen, Thresholds},
    providers::MODELS,
    trace::{Action, Step},
};
use crate::script::{Log, Outcome, at, seconds};

/// The models and providers that are compared.
const SCOPES: [&str; 8] = ["a", "b", MODELS[0], MODELS[1], MODELS[2], MODELS[3], MODELS[4], MODELS[5]];

/// A difference between the projection and the naive model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Disagreement {
    /// The compared property, such as a scope.
    subject: String,
    /// Its value in the projection.
    projection: String,
    /// Its value in the naive model.
    model: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} in the projection, {} in the model", self.subject, self.projection, self.model)
    }
}

/// A log whose events are folded by the projection and by the naive model.
#[derive(Default)]
pub(crate) struct Comparison {
    /// The log and the projection.
    log: Log,
    /// The naive model.
    model: Model,
    /// The start events of calls by their number.
    starts: BTreeMap<u32, EventId>,
    /// The latest time of a step.
    now: u64,
    /// The counts of what occurred.
    counts: Counts,
}

impl Comparison {
    /// Creates a comparison without events.
    pub(crate) fn new(thresholds: Thresholds) -> Self {
        Self { model: Model::new(thresholds), ..Self::default() }
    }

    /// Returns the projection.
    pub(crate) fn projection(&self) -> &Availability {
        self.log.state()
    }

    /// Returns the counts of calls, outages and ends.
    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Executes a step on both and compares them.
    ///
    /// # Errors
    /// The first difference.
    pub(crate) fn execute(&mut self, step: &Step) -> Result<(), Disagreement> {
        self.now = self.now.max(step.at);
        match &step.action {
            Action::Call { model, number, outcome } => {
                let sent = number.and_then(|number| self.starts.get(&number).copied());
                let known = number.filter(|_| sent.is_some() || *outcome == Outcome::Sent);
                self.count(if step.at < self.now { "late calls" } else { "calls" });
                let event = self.log.call_caused_by(step.at, model, *outcome, sent);
                if let (Outcome::Sent, Some(number)) = (outcome, number) {
                    self.starts.insert(*number, event);
                }
                self.model.call(step.at, model, known, *outcome);
            }
            Action::Record => self.record()?,
            Action::Retry(provider) => {
                self.record()?;
                let name = Provider::try_from(provider.as_str()).unwrap();
                let ends = self.projection().recovery_transitions(&name, RecoveredBy::Retry, at(self.now));
                for end in &ends {
                    self.log.append(end.seal().unwrap());
                    self.count("ends by Retry");
                }
                self.model.retry(provider, self.now);
            }
            Action::Restart => {
                let (saved, head) = (self.log.view.checkpoint().unwrap(), Position(self.log.events.len() as u64));
                self.log.view = Projected::resume(Some(&saved), head);
                self.count("restarts");
            }
        }
        self.compare()
    }

    /// Increments a count.
    fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_default() += 1;
    }

    /// Records the transitions that are due, and compares them with those of the naive model.
    fn record(&mut self) -> Result<(), Disagreement> {
        let projection: Vec<_> = self.log.react(self.now).iter().map(transition).collect();
        let model = self.model.record(self.now);
        for (_, _, kind) in &model {
            self.count(match kind {
                Ok(trigger) => outage_name(*trigger),
                Err(RecoveredBy::AutoClear) => "ends by AutoClear",
                Err(_) => "ends by Success",
            });
        }
        same(|| "the transitions".to_owned(), &projection, &model)
    }

    /// Compares outages and states of all scopes at the present time.
    fn compare(&mut self) -> Result<(), Disagreement> {
        let outages = self.log.state().outages();
        for scope in SCOPES {
            let until = outages.models.get(scope).or_else(|| outages.providers.get(scope)).copied().map(seconds);
            same(|| format!("the end of the outage of {scope}"), &until, &self.model.until(scope))?;
        }
        let mut states: BTreeMap<_, _> = SCOPES.map(|scope| (scope.to_owned(), Seen::Healthy)).into();
        let mut probes = 0;
        for row in self.log.state().status(at(self.now)) {
            let seen = match (row.state, row.trigger) {
                (AvailabilityState::Unavailable, Some(trigger)) => Seen::Unavailable(trigger),
                (AvailabilityState::Probing, _) => Seen::Probing,
                (AvailabilityState::Degraded, _) => Seen::Degraded(row.failures),
                _ => Seen::Healthy,
            };
            probes += u64::from(seen == Seen::Probing);
            states.insert(name(&row.scope), seen);
        }
        if 0 < probes {
            self.count("probes");
        }
        for (scope, seen) in states {
            same(|| format!("the state of {scope} at {}", self.now), &seen, &self.model.seen(&scope, self.now))?;
        }
        Ok(())
    }

    /// Checks the end of a simulation: five minutes after the last attempt everything is available, every recorded outage
    /// has ended, and folding the log again results in the same state.
    ///
    /// # Errors
    /// The first difference.
    pub(crate) fn finish(&mut self) -> Result<(), Disagreement> {
        self.now += 1_000;
        self.record()?;
        let name = || "the end of the simulation".to_owned();
        let late = at(self.now);
        same(name, &self.projection().outages_at(late).providers.values().any(|until| late < *until), &false)?;
        same(name, &self.projection().outages_at(late).models.values().any(|until| late < *until), &false)?;
        same(name, &self.projection().transitions(late), &Vec::new())?;
        let mut again = Projected::<Availability>::default();
        for event in &self.log.events {
            again.advance(event).unwrap();
        }
        same(|| "the state after a replay".to_owned(), again.state(), self.log.state())
    }
}

/// Executes all steps and returns the first difference, if any.
pub(crate) fn compare(steps: &[Step], thresholds: Thresholds) -> Option<Disagreement> {
    let mut comparison = Comparison::new(thresholds);
    let executed = steps.iter().try_for_each(|step| comparison.execute(step));
    executed.and_then(|()| comparison.finish()).err()
}

/// Checks that a value of the projection and one of the naive model are the same.
fn same<T: PartialEq + fmt::Debug>(
    subject: impl FnOnce() -> String,
    projection: &T,
    model: &T,
) -> Result<(), Disagreement> {
    if projection == model {
        return Ok(());
    }
    Err(Disagreement { subject: subject(), projection: format!("{projection:?}"), model: format!("{model:?}") })
}

/// Returns the name of a scope.
fn name(scope: &OutageScope) -> String {
    match scope {
        OutageScope::ProviderWide(provider) => provider.to_string(),
        OutageScope::ModelSpecific(model) => model.to_string(),
    }
}

/// Returns the name of the count of outages with a trigger.
fn outage_name(trigger: contracts::events::OutageTrigger) -> &'static str {
    use contracts::events::OutageTrigger;
    match trigger {
        OutageTrigger::ConsecutiveFailures => "outages by ConsecutiveFailures",
        OutageTrigger::MultiModelFailures => "outages by MultiModelFailures",
        OutageTrigger::AuthError => "outages by AuthError",
        OutageTrigger::NetworkErrors => "outages by NetworkErrors",
        OutageTrigger::ProbeFailed => "outages by ProbeFailed",
    }
}

/// Converts a transition of the projection to the form of the naive model.
fn transition(transition: &Transition) -> model::Transition {
    let kind = match &transition.event {
        TransitionEvent::Unavailable(event) => Ok(event.trigger),
        TransitionEvent::Recovered(event) => Err(event.by),
    };
    (seconds(transition.at), name(transition.event.scope()), kind)
}
