//! Simulation of availability: clients of random providers, routed by the projection, and a naive model of 004 §4.5 that
//! sees the same events. After every event both must have the same outages, states and transitions.
//!
//! A disagreement is shrunk to a short script. `TURNWISE_SEED=7` simulates one seed and prints its script.

mod clients;
mod comparison;
mod model;
mod providers;
mod shrink;
mod trace;

use std::{collections::BTreeMap, env, thread};

use clients::simulate;
use comparison::compare;
use model::Thresholds;
use shrink::shrink;
use trace::{Step, script};

/// The number of simulated seeds.
const SEEDS: u64 = 10_000;
/// The number of threads that simulate.
const THREADS: usize = 2;

/// Panics with the shortest script that has a disagreement.
fn fail(seed: u64, steps: &[Step], thresholds: Thresholds) -> ! {
    let (short, found) = shrink(steps, thresholds);
    panic!("seed {seed}: {found}\nscript of {} steps, of {}:\n{}", short.len(), steps.len(), script(&short));
}

/// The counts of some simulations by name, such as `outages` or `calls`.
type Counts = BTreeMap<&'static str, u64>;

/// Simulates each seed of `seeds` and returns the total counts. Panics at the first disagreement.
fn run(seeds: impl Iterator<Item = u64>) -> Counts {
    let mut counts = Counts::new();
    for seed in seeds {
        let (steps, comparison, found) = simulate(seed, Thresholds::default());
        if found.is_some() {
            fail(seed, &steps, Thresholds::default());
        }
        for (name, count) in comparison.counts() {
            *counts.entry(name).or_default() += count;
        }
    }
    counts
}

#[test]
fn the_projection_agrees_with_a_naive_model_for_random_providers_of_10_000_seeds() {
    if let Ok(seed) = env::var("TURNWISE_SEED") {
        let seed = seed.parse().unwrap();
        println!("{}", script(&simulate(seed, Thresholds::default()).0));
        run(std::iter::once(seed));
        return;
    }
    let parts = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..THREADS).map(|first| scope.spawn(move || run((0..SEEDS).skip(first).step_by(THREADS)))).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut counts = Counts::new();
    for part in parts {
        // A panic of a thread has the script in its message.
        let part = part.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        for (name, count) in part {
            *counts.entry(name).or_default() += count;
        }
    }
    let text: Vec<_> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    println!("kept: availability: {SEEDS} seeds: {}; each equal to the naive model", text.join(", "));
    // Every kind of outage and of end occurs, so that its rule is compared.
    for name in [
        "outages by AuthError",
        "outages by ConsecutiveFailures",
        "outages by MultiModelFailures",
        "outages by NetworkErrors",
        "outages by ProbeFailed",
        "ends by AutoClear",
        "ends by Retry",
        "ends by Success",
        "late calls",
        "probes",
        "restarts",
    ] {
        assert!(200 <= counts.get(name).copied().unwrap_or_default(), "too few {name}: {text:?}");
    }
}

/// A model with one wrong number stands for a fault of the projection: the simulation finds it, and the script is about
/// as short as the rule permits.
#[test]
fn a_wrong_threshold_is_found_and_shrunk_to_a_short_script() {
    let right = Thresholds::default();
    for (name, wrong, longest) in [
        ("failures", Thresholds { failures: 4, ..right }, 4),
        ("failure window", Thresholds { failure_window: 119, ..right }, 5),
        ("models", Thresholds { models: 2, ..right }, 10),
        ("network window", Thresholds { network_window: 29, ..right }, 2),
        ("recovery", Thresholds { recovery: 299, ..right }, 5),
        ("probe", Thresholds { probe: 59, ..right }, 6),
    ] {
        let mut found = (0..SEEDS).filter_map(|seed| {
            let (steps, _, found) = simulate(seed, wrong);
            found.map(|_| steps)
        });
        let steps = found.next().unwrap_or_else(|| panic!("a wrong number of {name} is not found"));
        let (short, _) = shrink(&steps, wrong);
        assert!(short.len() <= longest, "{name}:\n{}", script(&short));
        assert!(compare(&short, wrong).is_some() && compare(&short, right).is_none(), "{name}:\n{}", script(&short));
    }
}

/// A script that was printed is simulated again with the same result, so that it can become a test.
#[test]
fn a_printed_script_is_read_again() {
    for seed in 0..50 {
        let (steps, ..) = simulate(seed, Thresholds::default());
        assert_eq!(trace::parse(&script(&steps)), steps);
    }
}
