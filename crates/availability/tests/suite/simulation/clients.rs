//! Clients of random providers: each sends turns to the first model of its list that the projection has as available, as a
//! router does. The result is a list of steps.

use std::{cmp::Reverse, collections::BinaryHeap};

use contracts::{ModelId, events::ErrorClass};
use fastrand::Rng;

use super::{
    comparison::{Comparison, Disagreement},
    model::Thresholds,
    providers::{MODELS, Providers, preferences},
    trace::{Action, Step},
};
use crate::script::{Outcome, at, model};

/// The number of steps of a simulation.
const STEPS: usize = 80;

/// Pauses between turns in seconds, many of them at the boundaries of the rules.
const PAUSES: [u64; 24] = [0, 0, 1, 1, 1, 2, 3, 5, 8, 12, 15, 20, 29, 30, 31, 59, 60, 61, 119, 120, 121, 299, 300, 301];

/// What a client or the gateway does next.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A client sends a turn.
    Turn(usize),
    /// A call of a client ends: its number, its model, the outcome as a word, and the models that are left.
    End(u32, ModelId, &'static str, usize, Vec<ModelId>),
    /// The gateway records transitions, as it does regularly.
    Tick,
}

/// One simulation.
struct Simulation {
    /// The source of all random numbers.
    random: Rng,
    /// The providers.
    providers: Providers,
    /// The models of each client by preference.
    clients: Vec<Vec<ModelId>>,
    /// The pauses between turns in seconds.
    pauses: &'static [u64],
    /// The events to come by their time, with a number that keeps the order of equal times.
    agenda: BinaryHeap<Reverse<(u64, usize, Event)>>,
    /// The number of events so far.
    scheduled: usize,
    /// The number of calls so far.
    calls: u32,
    /// Both sides of the comparison.
    comparison: Comparison,
    /// The steps so far.
    steps: Vec<Step>,
    /// The first difference.
    found: Option<Disagreement>,
    /// The percentage of calls that are recorded late.
    late: u8,
    /// The percentage of steps after which transitions are recorded.
    recorded: u8,
}

/// Simulates a seed. Returns the steps, both sides after them, and the first difference, after which it stops.
pub(crate) fn simulate(seed: u64, thresholds: Thresholds) -> (Vec<Step>, Comparison, Option<Disagreement>) {
    let mut random = Rng::with_seed(seed);
    let storm = random.u8(..6) == 0;
    let mut simulation = Simulation {
        providers: Providers::new(storm, &mut random),
        clients: (0..random.usize(1..=5)).map(|_| preferences(storm, &mut random)).collect(),
        pauses: if storm { &PAUSES[..8] } else { &PAUSES },
        agenda: BinaryHeap::new(),
        scheduled: 0,
        calls: 0,
        comparison: Comparison::new(thresholds),
        steps: Vec::new(),
        found: None,
        late: [0, 0, 5][random.usize(..3)],
        recorded: [0, 30, 100][random.usize(..3)],
        random,
    };
    simulation.run();
    let Simulation { mut comparison, steps, mut found, .. } = simulation;
    if found.is_none() {
        found = comparison.finish().err();
    }
    (steps, comparison, found)
}

impl Simulation {
    /// Executes events until there are enough steps or a difference.
    fn run(&mut self) {
        for client in 0..self.clients.len() {
            let begin = 1_000 + self.pause();
            self.schedule(begin, Event::Turn(client));
        }
        self.schedule(1_000, Event::Tick);
        while self.steps.len() < STEPS
            && self.found.is_none()
            && let Some(Reverse((now, _, event))) = self.agenda.pop()
        {
            match event {
                Event::Turn(client) => self.send(now, client, self.clients[client].clone()),
                Event::End(number, model, word, client, rest) => self.end(now, number, &model, word, client, rest),
                Event::Tick => {
                    self.act(now);
                    let next = now + self.random.u64(1..100);
                    self.schedule(next, Event::Tick);
                }
            }
        }
    }

    /// Returns a random pause between two turns, in seconds.
    fn pause(&mut self) -> u64 {
        self.pauses[self.random.usize(..self.pauses.len())]
    }

    /// Adds an event.
    fn schedule(&mut self, time: u64, event: Event) {
        self.scheduled += 1;
        self.agenda.push(Reverse((time, self.scheduled, event)));
    }

    /// Executes a step.
    fn step(&mut self, at: u64, action: Action) {
        let step = Step { at, action };
        if self.found.is_none() {
            self.found = self.comparison.execute(&step).err();
            self.steps.push(step);
        }
    }

    /// Sends a call of a client to the first available model of `models`; without one the client waits.
    fn send(&mut self, now: u64, client: usize, mut models: Vec<ModelId>) {
        let outages = self.comparison.projection().outages_at(at(now)).into_owned();
        models.retain(|model| outages.against(model, at(now)).is_none());
        if models.is_empty() {
            let next = now + 1 + self.pause();
            self.schedule(next, Event::Turn(client));
            return;
        }
        let model = models.remove(0);
        let number = self.calls;
        self.calls += 1;
        self.step(now, Action::Call { model: model.clone(), number: Some(number), outcome: Outcome::Sent });
        let (mut ends, mut outcome) = self.providers.call(&model, now, &mut self.random);
        if self.random.u8(..100) < 4 {
            (ends, outcome) = (self.random.u64(now..=ends), Outcome::Failed(ErrorClass::Cancelled));
        }
        self.schedule(ends, Event::End(number, model, outcome.name(), client, models));
    }

    /// Ends a call: after a failure of the provider the next model is tried, otherwise the client pauses.
    fn end(&mut self, now: u64, number: u32, model: &ModelId, word: &'static str, client: usize, rest: Vec<ModelId>) {
        let outcome = crate::script::outcome(word);
        let recorded_at = if self.random.u8(..100) < self.late { now - self.random.u64(..400) } else { now };
        self.step(recorded_at, Action::Call { model: model.clone(), number: Some(number), outcome });
        if self.random.u8(..100) < self.recorded {
            self.step(now, Action::Record);
        }
        if matches!(outcome, Outcome::Failed(class) if class.counts_against_provider()) && !rest.is_empty() {
            self.send(now, client, rest);
        } else {
            let next = now + self.pause();
            self.schedule(next, Event::Turn(client));
        }
    }

    /// Does what happens beside the calls of clients: transitions are recorded, rarely a session file is imported, the user
    /// ends outages, or the gateway restarts.
    fn act(&mut self, now: u64) {
        match self.random.u8(..40) {
            0 => self.step(now, Action::Retry("a".to_owned())),
            1 => self.step(now, Action::Retry("b".to_owned())),
            2 | 3 => self.step(now, Action::Restart),
            4 => {
                let began = now - self.random.u64(..400);
                let name = MODELS[self.random.usize(..MODELS.len())];
                let class = [ErrorClass::Overloaded, ErrorClass::Network, ErrorClass::Auth][self.random.usize(..3)];
                let outcome = [Outcome::Ok, Outcome::Failed(class), Outcome::Failed(class)][self.random.usize(..3)];
                for second in 0..self.random.u64(1..6) {
                    self.step(began + second, Action::Call { model: model(name), number: None, outcome });
                }
            }
            _ => self.step(now, Action::Record),
        }
    }
}
