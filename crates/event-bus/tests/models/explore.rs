//! Runs a model under every schedule with a bounded number of preemptions (loom), under many random schedules
//! (shuttle), or on real threads.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

#[cfg(feature = "model-loom")]
pub(crate) use loom::{future::block_on, thread};
#[cfg(all(feature = "model-shuttle", not(feature = "model-loom")))]
pub(crate) use shuttle::{future::block_on, thread};
#[cfg(not(any(feature = "model-loom", feature = "model-shuttle")))]
pub(crate) use {crate::support::run as block_on, std::thread};

#[cfg(feature = "model-loom")]
use crate::support::is_long;
#[cfg(not(feature = "model-loom"))]
use crate::support::times;

/// Runs a model under many schedules and prints their number. Under loom these are all schedules with at most
/// `preemptions` preemptions, or three if `TURNWISE_LONG` is set.
pub(crate) fn explore(name: &str, preemptions: usize, model: fn()) {
    let schedules = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&schedules);
    check(preemptions, move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    if cfg!(any(feature = "model-loom", feature = "model-shuttle")) {
        println!("model: {name}: {} schedules", schedules.load(Ordering::Relaxed));
    }
}

/// Runs a model under all schedules with a bounded number of preemptions. `LOOM_MAX_PREEMPTIONS` overrides the bound.
#[cfg(feature = "model-loom")]
fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    let most = if is_long() { 3 } else { preemptions };
    // The builder has a bound if `LOOM_MAX_PREEMPTIONS` is set.
    builder.preemption_bound = builder.preemption_bound.or(Some(most));
    builder.max_branches = 20_000;
    builder.check(model);
}

/// Runs a model under random schedules, the same ones in each run.
#[cfg(all(feature = "model-shuttle", not(feature = "model-loom")))]
fn check(_: usize, model: impl Fn() + Send + Sync + 'static) {
    const SEED: u64 = 3;
    let schedules = times(10_000);
    let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(SEED, schedules);
    shuttle::Runner::new(scheduler, shuttle::Config::new()).run(model);
}

/// Runs a model repeatedly on real threads.
#[cfg(not(any(feature = "model-loom", feature = "model-shuttle")))]
fn check(_: usize, model: impl Fn() + Send + Sync + 'static) {
    for _ in 0..times(50) {
        model();
    }
}
