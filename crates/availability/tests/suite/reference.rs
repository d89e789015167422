//! A naive reference of the availability: recomputes outages and probes from the list of all calls.

use contracts::{ModelId, events::ErrorClass};

use crate::script::{Call, Outcome};

/// Returns whether an entry is the cancellation of a call.
fn is_cancelled(call: &Call) -> bool {
    call.2 == Outcome::Failed(ErrorClass::Cancelled)
}

/// Returns whether an entry is the start of a call.
fn is_sent(call: &Call) -> bool {
    call.2 == Outcome::Sent
}

/// Returns whether an entry is an attempt: an outcome of a call, except a cancellation.
fn is_attempt(call: &Call) -> bool {
    !is_cancelled(call) && !is_sent(call)
}

/// Returns whether an entry is a successful outcome.
fn is_success(call: &Call) -> bool {
    call.2 == Outcome::Ok
}

/// Returns whether an entry is a failure whose cause is the provider.
fn counts(call: &Call) -> bool {
    matches!(call.2, Outcome::Failed(class) if class.counts_against_provider())
}

/// Returns the calls that count for a scope, each with its index in the script: none that is older than a previous
/// attempt, except cancelled ones.
fn line(calls: &[Call], belongs: impl Fn(&ModelId) -> bool) -> Vec<(usize, &Call)> {
    let own = calls.iter().enumerate().filter(|(_, call)| belongs(&call.1));
    own.fold(Vec::new(), |mut line: Vec<(usize, &Call)>, (number, call)| {
        let mut attempts = line.iter().filter(|(_, before)| is_attempt(before));
        if is_cancelled(call) || attempts.all(|(_, before)| before.0 <= call.0) {
            line.push((number, call));
        }
        line
    })
}

/// Returns the index of the start of a call, for its outcome: the first start of its model without an outcome.
fn start_of(calls: &[Call], outcome: usize) -> Option<usize> {
    let mut running = Vec::new();
    for (number, call) in calls.iter().enumerate().take(outcome + 1).filter(|(_, call)| call.1 == calls[outcome].1) {
        if is_sent(call) {
            running.push(number);
        } else if number == outcome {
            return running.first().copied();
        } else if !running.is_empty() {
            running.remove(0);
        }
    }
    None
}

/// An outage of a scope.
#[derive(Clone, Copy)]
struct Out {
    /// Index of the call that started it.
    by: usize,
    /// Second of its start.
    since: u64,
    /// Second of its automatic end.
    until: u64,
}

/// State of a scope in the reference.
#[derive(Default)]
struct Known {
    /// The active outage; `None` if there is none.
    out: Option<Out>,
    /// Whether an outage ended automatically and no call has succeeded since.
    unproven: bool,
    /// Index and second of the probe.
    probe: Option<(usize, u64)>,
}

impl Known {
    /// Returns the second at which outage and probe have ended; `None` if there is neither.
    fn until(&self) -> Option<u64> {
        self.out.map(|out| out.until).max(self.probe.map(|(_, since)| since + 60))
    }
}

/// Returns the state of a scope after the calls in `line`. `trips` returns whether the attempts so far, of which the
/// last is a failure, start an outage.
fn follow(calls: &[Call], line: &[(usize, &Call)], trips: impl Fn(&[(usize, &Call)]) -> bool) -> Known {
    let mut known = Known::default();
    let mut attempts = Vec::new();
    for (number, call) in line {
        if is_sent(call) {
            let is_unproven = known.unproven || known.out.is_some_and(|out| out.until <= call.0);
            if is_unproven && known.probe.is_none_or(|(_, since)| since + 60 <= call.0) {
                known.probe = Some((*number, call.0));
            }
            continue;
        }
        let answered = |(probe, _): &(usize, u64)| start_of(calls, *number) == Some(*probe);
        if is_cancelled(call) {
            known.probe = known.probe.filter(|probe| !answered(probe));
            continue;
        }
        attempts.push((*number, *call));
        if known.out.is_some_and(|out| out.until <= call.0) {
            (known.out, known.unproven) = (None, true);
        }
        let again = known.probe.is_some_and(|probe| answered(&probe) || (probe.1..probe.1 + 60).contains(&call.0));
        if is_success(call) {
            known = Known::default();
        } else if let Some(out) = known.out {
            known.out = Some(Out { until: call.0 + 300, ..out });
            known.probe = known.probe.filter(|probe| counts(call) || !answered(probe));
        } else if counts(call) && (trips(&attempts) || again) {
            let out = Out { by: *number, since: call.0, until: call.0 + 300 };
            known = Known { out: Some(out), ..Known::default() };
        } else if !counts(call) {
            known.probe = known.probe.filter(|probe| !answered(probe));
        }
    }
    known
}

/// Returns the state of a model: five consecutive failures within 120 seconds start an outage.
fn model_known(calls: &[Call], model: &ModelId) -> Known {
    follow(calls, &line(calls, |name| name == model), |attempts| {
        let since_success = attempts.iter().rev().take_while(|(_, call)| !is_success(call));
        let failures: Vec<_> = since_success.filter(|(_, call)| counts(call)).map(|(_, call)| call.0).collect();
        5 <= failures.len() && failures[0] - failures[4] <= 120
    })
}

/// Returns the second at which the outage of a model ends; `None` if it is available.
pub(crate) fn model_until(calls: &[Call], model: &ModelId) -> Option<u64> {
    model_known(calls, model).until()
}

/// Returns the second at which the outage of a provider ends; `None` if it is available.
pub(crate) fn provider_until(calls: &[Call], provider: &str) -> Option<u64> {
    let known = follow(calls, &line(calls, |name| name.provider() == provider), |attempts| {
        let Some(((number, last), before)) = attempts.split_last() else { return false };
        let class = |call: &Call| match call.2 {
            Outcome::Failed(class) => Some(class),
            Outcome::Ok | Outcome::Sent => None,
        };
        let network = before.iter().rev().take_while(|(_, call)| !is_success(call));
        let mut network = network.filter(|(_, call)| class(call) == Some(ErrorClass::Network));
        let second_network =
            class(last) == Some(ErrorClass::Network) && network.next().is_some_and(|(_, call)| last.0 - call.0 <= 30);
        class(last) == Some(ErrorClass::Auth) || second_network || {
            let so_far = &calls[..=*number];
            let mut models: Vec<_> =
                so_far.iter().map(|call| &call.1).filter(|name| name.provider() == provider).collect();
            models.sort();
            models.dedup();
            let outs: Vec<_> = models.iter().filter_map(|model| model_known(so_far, model).out).collect();
            outs.iter().any(|out| out.by == *number)
                && 3 <= outs.iter().filter(|out| last.0.abs_diff(out.since) <= 120).count()
        }
    });
    known.until()
}
