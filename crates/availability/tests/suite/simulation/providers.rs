//! Random providers: each model and each provider has a condition that changes over time, and answers accordingly.

use std::collections::BTreeMap;

use contracts::{ModelId, events::ErrorClass};
use fastrand::Rng;

use crate::script::{Outcome, model};

/// The models: four of provider `a`, two of provider `b`.
pub(crate) const MODELS: [&str; 6] = ["a:x", "a:y", "a:z", "a:w", "b:x", "b:y"];

/// The classes of errors of an outage.
const OUTAGE_CLASSES: [ErrorClass; 6] = [
    ErrorClass::Overloaded,
    ErrorClass::ServerError,
    ErrorClass::Timeout,
    ErrorClass::ModelNotFound,
    ErrorClass::InvalidResponse,
    ErrorClass::Network,
];

/// The condition of a model, or of a provider and so of all its models.
#[derive(Debug, Clone, Copy)]
enum Condition {
    /// Every call succeeds.
    Healthy,
    /// Every call fails with this class.
    Down(ErrorClass),
    /// A part of the calls fails: this percentage, with this class.
    Partial(u8, ErrorClass),
    /// Calls fail and succeed in turn, each for this many seconds.
    Flapping(u64, ErrorClass),
    /// Calls are refused, with the request to repeat them after this many seconds (`Retry-After`).
    RateLimited(u64),
    /// Calls succeed after this many seconds.
    Slow(u64),
    /// Requests are rejected for a reason that says nothing about the provider.
    Rejecting(ErrorClass),
}

impl Condition {
    /// Returns a random condition, mostly healthy.
    fn random(random: &mut Rng) -> Self {
        let class = OUTAGE_CLASSES[random.usize(..OUTAGE_CLASSES.len())];
        match random.u8(..16) {
            0..=5 => Self::Healthy,
            6..=8 => Self::Down(class),
            9 => Self::Down(ErrorClass::Auth),
            10 => Self::Partial(random.u8(10..90), class),
            11 => Self::Flapping([1, 5, 29, 61][random.usize(..4)], class),
            12 | 13 => Self::RateLimited([0, 1, 7, 30, 600][random.usize(..5)]),
            14 => Self::Slow([10, 59, 61, 130, 301][random.usize(..5)]),
            _ => Self::Rejecting(
                [ErrorClass::InvalidRequest, ErrorClass::ContextOverflow, ErrorClass::Other][random.usize(..3)],
            ),
        }
    }

    /// Returns the seconds that one request takes, its outcome, and the seconds to wait before it is repeated.
    fn answer(self, at: u64, random: &mut Rng) -> (u64, Outcome, Option<u64>) {
        let quick = random.u64(..3);
        match self {
            Self::Down(class @ ErrorClass::Timeout) => ([30, 60, 120][random.usize(..3)], Outcome::Failed(class), None),
            Self::Down(class) | Self::Rejecting(class) => (quick, Outcome::Failed(class), None),
            Self::Partial(percentage, class) if random.u8(..100) < percentage => (quick, Outcome::Failed(class), None),
            Self::Flapping(period, class) if (at / period).is_multiple_of(2) => (quick, Outcome::Failed(class), None),
            Self::Healthy | Self::Partial(..) | Self::Flapping(..) => (quick, Outcome::Ok, None),
            Self::RateLimited(wait) => (quick, Outcome::Failed(ErrorClass::RateLimit), Some(wait)),
            Self::Slow(seconds) => (seconds, Outcome::Ok, None),
        }
    }
}

/// The longest wait that a provider can ask for within a call, in seconds. A longer one ends the call.
const MAX_WAIT: u64 = 20;

/// Providers whose conditions change at random times.
#[derive(Debug)]
pub(crate) struct Providers {
    /// The condition of each model and of each provider, with the time at which it changes.
    conditions: BTreeMap<String, (Condition, u64)>,
    /// Of eight conditions of a provider, the number that are healthy without a draw.
    healthy: u8,
}

impl Providers {
    /// Creates providers that are healthy at first, and in a `storm` fail most of the time.
    pub(crate) fn new(storm: bool, random: &mut Rng) -> Self {
        let scopes = MODELS.into_iter().chain(["a", "b"]);
        let conditions = scopes.map(|scope| (scope.to_owned(), (Condition::Healthy, random.u64(..200)))).collect();
        Self { conditions, healthy: if storm { 0 } else { 6 } }
    }

    /// Returns the time at which a call that is sent at `at` ends, and its outcome. A refused request is repeated up to
    /// twice within the call, after the time that the provider asks for.
    pub(crate) fn call(&mut self, model: &ModelId, at: u64, random: &mut Rng) -> (u64, Outcome) {
        let (mut now, mut attempt) = (at, 0);
        loop {
            let (seconds, outcome, wait) = self.condition(model, now, random).answer(now, random);
            now += seconds;
            match wait {
                Some(wait) if attempt < 2 && wait <= MAX_WAIT => now += wait,
                _ => return (now, outcome),
            }
            attempt += 1;
        }
    }

    /// Returns the condition that decides about a call: that of the provider unless it is healthy, or else that of the
    /// model.
    fn condition(&mut self, model: &ModelId, at: u64, random: &mut Rng) -> Condition {
        let mut present = |scope: &str, healthy_parts: u8| {
            let (condition, until) = self.conditions.get_mut(scope).unwrap();
            while *until <= at {
                let healthy = random.u8(..8) < healthy_parts;
                *condition = if healthy { Condition::Healthy } else { Condition::random(random) };
                *until += [1, 10, 60, 200, 400, 1_000][random.usize(..6)];
            }
            *condition
        };
        let (provider, own) = (present(model.provider(), self.healthy), present(model.as_str(), 1));
        if matches!(provider, Condition::Healthy) { own } else { provider }
    }
}

/// Returns models in a random order, as a client prefers them: up to three, or in a `storm` all of provider `a`.
pub(crate) fn preferences(storm: bool, random: &mut Rng) -> Vec<ModelId> {
    let mut models: Vec<_> = MODELS.iter().filter(|name| !storm || name.starts_with("a:")).collect();
    random.shuffle(&mut models);
    if !storm {
        models.truncate(random.usize(1..=3));
    }
    models.into_iter().map(|name| model(name)).collect()
}
