//! The naive model of 004 §4.5 with decisions D5 and D6: it stores every attempt and answers each question by reading
//! them, one rule after the other. It shares no code with the projection.

use std::collections::BTreeMap;

use contracts::{
    ModelId,
    events::{ErrorClass, OutageTrigger, RecoveredBy},
};

use crate::script::Outcome;

/// The numbers of the rules. Tests replace one of them by a wrong one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thresholds {
    /// Consecutive failures that make a model unavailable.
    pub(crate) failures: usize,
    /// The longest time from the first to the last of them, in seconds.
    pub(crate) failure_window: u64,
    /// Unavailable models that make their provider unavailable.
    pub(crate) models: usize,
    /// The longest time since the starts of their outages, in seconds.
    pub(crate) model_window: u64,
    /// The longest time between two network errors that make a provider unavailable, in seconds.
    pub(crate) network_window: u64,
    /// The time without attempts after which an outage ends, in seconds.
    pub(crate) recovery: u64,
    /// The time for which a probe blocks other calls, in seconds.
    pub(crate) probe: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            failures: 5,
            failure_window: 120,
            models: 3,
            model_window: 120,
            network_window: 30,
            recovery: 300,
            probe: 60,
        }
    }
}

/// An entry in the history of a scope.
#[derive(Debug, Clone)]
enum Entry {
    /// An attempt at this time, with the class of its failure; `None` for a success.
    Attempt(u64, Option<ErrorClass>),
    /// The user ended the outage: earlier failures do not count.
    Reset,
}

/// An outage in the history of a scope.
#[derive(Debug, Clone)]
struct Outage {
    /// The time of its start.
    since: u64,
    /// The rule that started it.
    trigger: OutageTrigger,
    /// Its end; `None` until an event shows it.
    end: Option<(u64, RecoveredBy)>,
    /// Whether its start is recorded.
    start_recorded: bool,
    /// Whether its end is recorded.
    end_recorded: bool,
}

/// The state of a scope as users see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// No consecutive failures.
    Healthy,
    /// Consecutive failures, fewer than start an outage.
    Degraded(u32),
    /// A probe is running.
    Probing,
    /// An outage, with its trigger.
    Unavailable(OutageTrigger),
}

/// A start or end of an outage that is recorded: its time, its scope, and its trigger or the reason of its end.
pub(crate) type Transition = (u64, String, Result<OutageTrigger, RecoveredBy>);

/// The history of a model or a provider.
#[derive(Debug, Clone, Default)]
struct Scope {
    /// All attempts, oldest first.
    history: Vec<Entry>,
    /// All outages, oldest first.
    outages: Vec<Outage>,
    /// Number and start of the probe.
    probe: Option<(u32, u64)>,
    /// Whether an outage ended by time and no call has succeeded since.
    unproven: bool,
}

/// Returns whether a failure is evidence about the provider (decision D5).
const fn is_evidence(class: ErrorClass) -> bool {
    use ErrorClass::{Auth, InvalidResponse, ModelNotFound, Network, Overloaded, RateLimit, ServerError, Timeout};
    matches!(class, RateLimit | Overloaded | ServerError | Network | Timeout | ModelNotFound | Auth | InvalidResponse)
}

impl Scope {
    /// Returns the time of the latest attempt; 0 before the first.
    fn newest(&self) -> u64 {
        let newest = self.history.iter().rev().find_map(|entry| match entry {
            Entry::Attempt(at, ..) => Some(*at),
            Entry::Reset => None,
        });
        newest.unwrap_or(0)
    }

    /// Returns the active outage.
    fn active(&self) -> Option<&Outage> {
        self.outages.last().filter(|outage| outage.end.is_none())
    }

    /// Ends the active outage.
    fn end(&mut self, at: u64, by: RecoveredBy) {
        if let Some(outage) = self.outages.last_mut().filter(|outage| outage.end.is_none()) {
            outage.end = Some((at, by));
        }
    }

    /// Ends the active outage if its time has passed by `now`.
    fn end_by_time(&mut self, now: u64, rules: &Thresholds) {
        let recovery = self.newest() + rules.recovery;
        if recovery <= now && self.active().is_some() {
            self.end(recovery, RecoveredBy::AutoClear);
            self.unproven = true;
        }
    }

    /// Returns the failures since the last success or reset, newest first.
    fn failures(&self) -> impl Iterator<Item = (u64, ErrorClass)> {
        let since_success = self.history.iter().rev().take_while(|entry| matches!(entry, Entry::Attempt(_, Some(_))));
        since_success.filter_map(|entry| match entry {
            Entry::Attempt(at, Some(class)) if is_evidence(*class) => Some((*at, *class)),
            _ => None,
        })
    }

    /// Returns the number of failures since the last success, reset or pause without attempts.
    fn consecutive_failures(&self, now: u64, rules: &Thresholds) -> u32 {
        let (mut later, mut failures) = (now, 0);
        for entry in self.history.iter().rev() {
            let Entry::Attempt(at, Some(class)) = entry else { break };
            if at + rules.recovery <= later {
                break;
            }
            failures += u32::from(is_evidence(*class));
            later = *at;
        }
        failures
    }

    /// Returns the time until which the scope is unavailable, whatever the time is now.
    fn until(&self, rules: &Thresholds) -> Option<u64> {
        let outage = self.active().map(|_| self.newest() + rules.recovery);
        outage.max(self.probe.map(|(_, since)| since + rules.probe))
    }

    /// Returns the state as users see it.
    fn seen(&self, now: u64, rules: &Thresholds) -> Seen {
        if let Some(outage) = self.active()
            && now < self.newest() + rules.recovery
        {
            return Seen::Unavailable(outage.trigger);
        }
        if self.probe.is_some_and(|(_, since)| since <= now && now < since + rules.probe) {
            return Seen::Probing;
        }
        match self.consecutive_failures(now, rules) {
            0 => Seen::Healthy,
            failures => Seen::Degraded(failures),
        }
    }

    /// Records a start: it is the probe if the scope is unproven and no other probe runs.
    fn start(&mut self, number: u32, at: u64, rules: &Thresholds) {
        let is_over = self.active().is_some() && self.newest() + rules.recovery <= at;
        let runs = self.probe.is_some_and(|(_, since)| at < since + rules.probe);
        if self.newest() <= at && (self.unproven || is_over) && !runs {
            self.probe = Some((number, at));
        }
    }

    /// Removes the probe if it is the call `number`.
    fn release(&mut self, number: Option<u32>) {
        self.probe = self.probe.filter(|(probe, _)| Some(*probe) != number);
    }

    /// Records an attempt. Returns whether it is a failure after which the rules of outages apply.
    fn attempt(&mut self, at: u64, number: Option<u32>, class: Option<ErrorClass>, rules: &Thresholds) -> bool {
        if at < self.newest() {
            return false;
        }
        self.end_by_time(at, rules);
        self.history.push(Entry::Attempt(at, class));
        match class {
            None => {
                self.end(at, RecoveredBy::Success);
                (self.unproven, self.probe) = (false, None);
                false
            }
            Some(class) if is_evidence(class) => self.active().is_none(),
            Some(_) => {
                self.release(number);
                false
            }
        }
    }

    /// Returns whether a failure is that of the probe, or occurred while the probe was running.
    fn fails_probe(&self, at: u64, number: Option<u32>, rules: &Thresholds) -> bool {
        self.probe.is_some_and(|(probe, since)| number == Some(probe) || (since <= at && at < since + rules.probe))
    }

    /// Starts an outage.
    fn begin(&mut self, since: u64, trigger: OutageTrigger) {
        self.outages.push(Outage { since, trigger, end: None, start_recorded: false, end_recorded: false });
        (self.unproven, self.probe) = (false, None);
    }

    /// Records what is not recorded: the start of the active outage, and the ends of outages whose start is.
    fn record(&mut self, name: &str, now: u64, rules: &Thresholds) -> Vec<Transition> {
        if self.active().is_some_and(|outage| outage.start_recorded) {
            self.end_by_time(now, rules);
        }
        let is_over = self.newest() + rules.recovery <= now;
        let mut recorded = Vec::new();
        for outage in &mut self.outages {
            match outage.end {
                None if !outage.start_recorded && !is_over => {
                    outage.start_recorded = true;
                    recorded.push((outage.since, name.to_owned(), Ok(outage.trigger)));
                }
                Some((at, by)) if outage.start_recorded && !outage.end_recorded => {
                    outage.end_recorded = true;
                    recorded.push((at, name.to_owned(), Err(by)));
                }
                _ => {}
            }
        }
        recorded
    }

    /// Ends the active outage at the request of the user, if its start is recorded.
    fn retry(&mut self, now: u64) {
        if let Some(outage) = self.outages.last_mut().filter(|outage| outage.end.is_none() && outage.start_recorded) {
            (outage.end, outage.end_recorded) = (Some((now, RecoveredBy::Retry)), true);
            (self.unproven, self.probe) = (false, None);
            self.history.push(Entry::Reset);
        }
    }
}

/// The naive model of all scopes.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The numbers of the rules.
    rules: Thresholds,
    /// The history of each model and each provider that was called, by name.
    scopes: BTreeMap<String, Scope>,
}

impl Model {
    /// Creates a model without calls.
    pub(crate) fn new(rules: Thresholds) -> Self {
        Self { rules, scopes: BTreeMap::new() }
    }

    /// Records the start or the outcome of a call.
    pub(crate) fn call(&mut self, at: u64, model: &ModelId, number: Option<u32>, outcome: Outcome) {
        let rules = self.rules;
        let names = [model.as_str(), model.provider()];
        let class = match outcome {
            Outcome::Sent | Outcome::Failed(ErrorClass::Cancelled) => {
                for scope in names {
                    let Some(scope) = self.scopes.get_mut(scope) else { continue };
                    match (outcome, number) {
                        (Outcome::Sent, Some(number)) => scope.start(number, at, &rules),
                        _ => scope.release(number),
                    }
                }
                return;
            }
            Outcome::Ok => None,
            Outcome::Failed(class) => Some(class),
        };
        let own = self.scopes.entry(names[0].to_owned()).or_default();
        let counts = own.attempt(at, number, class, &rules);
        let starts_own = counts.then(|| {
            let failures: Vec<_> = own.failures().map(|(at, _)| at).collect();
            let first = failures.get(rules.failures - 1);
            if first.is_some_and(|first| failures[0] - first <= rules.failure_window) {
                return Some(OutageTrigger::ConsecutiveFailures);
            }
            own.fails_probe(at, number, &rules).then_some(OutageTrigger::ProbeFailed)
        });
        let starts_own = starts_own.flatten();
        if let Some(trigger) = starts_own {
            own.begin(at, trigger);
        }
        let prefix = format!("{}:", names[1]);
        let recent = self.scopes.iter().filter(|(name, _)| name.starts_with(&prefix));
        let recent = recent.filter_map(|(_, scope)| scope.active());
        let recent = recent.filter(|outage| at <= outage.since + rules.model_window).count();
        let provider = self.scopes.entry(names[1].to_owned()).or_default();
        if !provider.attempt(at, number, class, &rules) {
            return;
        }
        let network = provider.failures().filter(|(_, class)| *class == ErrorClass::Network);
        // The newest one is this failure.
        let before = network.map(|(at, _)| at).nth(1);
        let second_network =
            class == Some(ErrorClass::Network) && before.is_some_and(|before| at <= before + rules.network_window);
        let trigger = if class == Some(ErrorClass::Auth) {
            OutageTrigger::AuthError
        } else if second_network {
            OutageTrigger::NetworkErrors
        } else if starts_own.is_some() && rules.models <= recent {
            OutageTrigger::MultiModelFailures
        } else if provider.fails_probe(at, number, &rules) {
            OutageTrigger::ProbeFailed
        } else {
            return;
        };
        provider.begin(at, trigger);
    }

    /// Records the transitions that are due, and returns them by time; of equal times, models precede their provider.
    pub(crate) fn record(&mut self, now: u64) -> Vec<Transition> {
        let rules = self.rules;
        let mut recorded: Vec<_> =
            self.scopes.iter_mut().flat_map(|(name, scope)| scope.record(name, now, &rules)).collect();
        recorded.sort_by_key(|(at, name, _)| (*at, !name.contains(':'), name.clone()));
        recorded
    }

    /// Ends the outages of a provider and of its models at the request of the user.
    pub(crate) fn retry(&mut self, provider: &str, now: u64) {
        let prefix = format!("{provider}:");
        let own = self.scopes.iter_mut().filter(|(name, _)| *name == provider || name.starts_with(&prefix));
        own.for_each(|(_, scope)| scope.retry(now));
    }

    /// Returns the time until which a scope is unavailable; `None` if it is available.
    pub(crate) fn until(&self, scope: &str) -> Option<u64> {
        self.scopes.get(scope)?.until(&self.rules)
    }

    /// Returns the state of a scope; healthy if it was never called.
    pub(crate) fn seen(&self, scope: &str, now: u64) -> Seen {
        self.scopes.get(scope).map_or(Seen::Healthy, |scope| scope.seen(now, &self.rules))
    }
}
