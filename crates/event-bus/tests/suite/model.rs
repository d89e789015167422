//! Model tests: the in-memory log, the log on disk and a vector return the same results for any operations.

mod following;
mod sequences;
mod vector;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};

/// Runs a test on `cases` random values of a strategy, the same ones in each run. Panics with the smallest failing
/// value.
fn on_random<S: proptest::strategy::Strategy>(cases: usize, values: &S, test: impl Fn(S::Value) -> TestCaseResult) {
    let cases = u32::try_from(cases).unwrap();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(failure) = runner.run(values, test) {
        panic!("{failure}");
    }
}
