//! Properties of all policies and turns (004 §10.2).

mod closure;
mod determinism;
mod differential;
mod policies;
mod printed;
mod reference;
mod robustness;
mod worlds;

use proptest::{prelude::*, test_runner::RngSeed};

/// Returns a configuration with the same cases in every run: `cases`, scaled by `PROPTEST_CASES` (256 by default);
/// `PROPTEST_RNG_SEED` chooses others.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = if default.rng_seed == RngSeed::Random { RngSeed::Fixed(4) } else { default.rng_seed };
    ProptestConfig { cases: cases * default.cases / 256, failure_persistence: None, rng_seed, ..default }
}
