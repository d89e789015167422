//! [`SimulationAccuracy`] and [`BasisPoints`]: errors of the simulated cost against the recorded one.

use contracts::{NanoUsd, PicoUsd, Prices, Rates, Usage};
use costs::prompt_cache::{BasisPoints, Call, InitialRead, SimulationAccuracy};

use super::table::at;

/// Returns prices for which a read token costs 1,000 nano-dollars, a written one 2,000 and an output token 10,000.
fn prices() -> Prices {
    let [cache_read, cache_write_5m, output] = [1_000_000, 2_000_000, 10_000_000].map(PicoUsd);
    Prices { base: Rates { cache_read, cache_write_5m, output, ..Rates::default() }, long: None }
}

/// Creates the first call of a session: 1,008 tokens, of which `cache_read` were read.
fn first(session: &str, cache_read: u64) -> Call {
    let usage = Usage { input: 8, cache_read, cache_write_5m: 1_000 - cache_read, output: 100, ..Usage::default() };
    Call { session: session.try_into().unwrap(), usage, ..at(0, 0) }
}

/// Compares calls, all at known prices.
fn identity(opening: InitialRead, calls: &[Call]) -> SimulationAccuracy {
    let mut identity = SimulationAccuracy::new(opening);
    for call in calls {
        identity.add(call, Some(&prices()));
    }
    identity
}

#[test]
fn a_simulation_equal_to_the_recording_has_no_error() {
    let calls = [first("one", 500), first("two", 0)];
    let given = identity(InitialRead::Given, &calls);
    assert_eq!((given.total_error(), given.median_error()), (Some(BasisPoints(0)), Some(BasisPoints(0))));
}

#[test]
fn errors_are_computed_for_the_total_and_for_each_session() {
    // Recorded: 500 + 1,000 + 1,000 = 2,500 and 2,000 + 1,000 = 3,000; simulated: 3,000 each.
    let strict = identity(InitialRead::Predicted, &[first("one", 500), first("two", 0)]);
    assert_eq!(strict.total_error(), Some(BasisPoints(909)), "6,000 for 5,500");
    let errors: Vec<_> = strict.sessions().map(|(_, session)| session.error().unwrap().0).collect();
    assert_eq!(errors, [2_000, 0]);
    assert_eq!(strict.median_error(), Some(BasisPoints(1_000)), "the middle of two");
}

#[test]
fn a_call_without_a_price_is_simulated_and_counted_but_adds_no_error() {
    let mut identity = SimulationAccuracy::new(InitialRead::Predicted);
    identity.add(&first("one", 0), None);
    assert_eq!((identity.total_error(), identity.median_error(), identity.unpriced_calls()), (None, None, 1));
    // It warmed the cache for the next one: 1,000 of 1,108 read.
    let next = Call {
        usage: Usage { input: 8, cache_read: 1_000, cache_write_5m: 100, ..Usage::default() },
        ..first("one", 0)
    };
    identity.add(&next, Some(&prices()));
    assert_eq!(identity.total_error(), Some(BasisPoints(0)));
    assert!(SimulationAccuracy::default().errors_by_session_length().is_empty());
}

#[test]
fn sessions_are_grouped_by_length_and_the_mean_error_shows_a_bias() {
    // Seven sessions: 1, 1, 2, 2, 3, 3 and 4 calls; those of one call read half of what is simulated as written.
    let mut calls = Vec::new();
    for (name, length, read) in
        [("a", 1, 500), ("b", 1, 500), ("c", 2, 0), ("d", 2, 0), ("e", 3, 0), ("f", 3, 0), ("g", 4, 0)]
    {
        calls.push(first(name, read));
        let again = Usage { input: 8, cache_read: 1_000, ..Usage::default() };
        calls.extend((1..length).map(|_| Call { usage: again, ..first(name, 0) }));
    }
    let thirds = identity(InitialRead::Predicted, &calls).errors_by_session_length();
    let shown: Vec<_> = thirds
        .iter()
        .map(|third| {
            let (total, median, mean) = (third.total.0, third.median.0, third.mean.0);
            (third.sessions, third.shortest, third.longest, total, median, mean)
        })
        .collect();
    // 2,500 + 2,500 recorded, 3,000 + 3,000 simulated.
    assert_eq!(shown, [(2, 1, 1, 2_000, 2_000, 2_000), (2, 2, 2, 0, 0, 0), (3, 3, 4, 0, 0, 0)]);
}

#[test]
fn basis_points_are_rounded_to_the_nearest_and_shown_as_per_cent() {
    let off =
        |amount, reference| BasisPoints::relative_error(NanoUsd(amount), NanoUsd(reference)).map(|points| points.0);
    assert_eq!([off(3, 2), off(1, 3), off(2, 3), off(0, 7)], [Some(5_000), Some(-6_667), Some(-3_333), Some(-10_000)]);
    assert_eq!([off(20_001, 20_000), off(19_999, 20_000)], [Some(1), Some(-1)], "halves away from zero");
    assert_eq!([off(1, 0), off(u64::MAX, 1)], [None, Some(i64::MAX)]);
    assert_eq!(format!("{} {:+} {}", BasisPoints(229), BasisPoints(5), BasisPoints(-182)), "2.29 % +0.05 % -1.82 %");
    assert_eq!(BasisPoints(-182).abs(), BasisPoints(182));
}
