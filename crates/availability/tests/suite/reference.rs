//! The machine read naively: everything is computed again from the whole list of calls.

use contracts::{ModelId, facts::ErrorClass};

use crate::story::{Call, Outcome};

fn is_cancelled(call: &Call) -> bool {
    call.2 == Outcome::Failed(ErrorClass::Cancelled)
}

fn is_success(call: &Call) -> bool {
    call.2 == Outcome::Ok
}

fn counts(call: &Call) -> bool {
    matches!(call.2, Outcome::Failed(class) if class.counts_against_provider())
}

/// The calls a scope takes note of, each with its number in the story.
fn line(calls: &[Call], belongs: impl Fn(&ModelId) -> bool) -> Vec<(usize, &Call)> {
    let own = calls.iter().enumerate().filter(|(_, call)| belongs(&call.1) && !is_cancelled(call));
    own.fold(Vec::new(), |mut line: Vec<(usize, &Call)>, (number, call)| {
        if line.iter().all(|(_, before)| before.0 <= call.0) {
            line.push((number, call));
        }
        line
    })
}

/// An outage: the number of the call that began it, the second it began, the second it clears.
#[derive(Clone, Copy)]
struct Out {
    by: usize,
    since: u64,
    until: u64,
}

fn follow(line: &[(usize, &Call)], trips: impl Fn(&[(usize, &Call)]) -> bool) -> Option<Out> {
    let mut out: Option<Out> = None;
    for (index, (number, call)) in line.iter().enumerate() {
        out = out.filter(|out| call.0 < out.until && !is_success(call));
        out = match out {
            Some(out) => Some(Out { until: call.0 + 300, ..out }),
            None if counts(call) && trips(&line[..=index]) => {
                Some(Out { by: *number, since: call.0, until: call.0 + 300 })
            }
            None => None,
        };
    }
    out
}

fn model_out(calls: &[Call], model: &ModelId) -> Option<Out> {
    follow(&line(calls, |name| name == model), |line| {
        let since_success = line.iter().rev().take_while(|(_, call)| !is_success(call));
        let failures: Vec<_> = since_success.filter(|(_, call)| counts(call)).map(|(_, call)| call.0).collect();
        5 <= failures.len() && failures[0] - failures[4] <= 120
    })
}

/// The second at which a model clears, if it is out.
pub(crate) fn model_until(calls: &[Call], model: &ModelId) -> Option<u64> {
    model_out(calls, model).map(|out| out.until)
}

/// The second at which a provider clears, if it is out.
pub(crate) fn provider_until(calls: &[Call], provider: &str) -> Option<u64> {
    let out = follow(&line(calls, |name| name.provider() == provider), |line| {
        let Some(((number, last), before)) = line.split_last() else { return false };
        let class = |call: &Call| match call.2 {
            Outcome::Failed(class) => Some(class),
            Outcome::Ok => None,
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
            let outs: Vec<_> = models.iter().filter_map(|model| model_out(so_far, model)).collect();
            outs.iter().any(|out| out.by == *number)
                && 3 <= outs.iter().filter(|out| last.0.abs_diff(out.since) <= 120).count()
        }
    });
    out.map(|out| out.until)
}
