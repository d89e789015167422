//! Limits in which the wire APIs differ, and what going beyond one requires: reading and converting share them.

use contracts::Requirement;

/// What texts at which the answer is to end require.
pub(crate) fn of_stops(count: usize) -> impl Iterator<Item = Requirement> {
    let by_count =
        [(1, Requirement::StopSequences), (5, Requirement::FiveStopSequences), (6, Requirement::SixStopSequences)];
    by_count.into_iter().filter(move |(least, _)| *least <= count).map(|(_, requirement)| requirement)
}

/// Whether a temperature is above what every API takes.
pub(crate) fn is_high(temperature: f64) -> bool {
    temperature > 1.0
}
