//! The numbers of the statements of the specifications.

use std::fmt;

/// A series of numbered statements of a specification, from 1 to `last`.
pub(super) struct Series {
    /// The prefix of the numbers, such as `SK`.
    pub(super) prefix: &'static str,
    /// The last number; the first is 1.
    pub(super) last: u32,
    /// The title of its section in docs/requirements.md.
    pub(super) title: &'static str,
}

/// The prefix of the worked examples of 004.
pub(super) const EXAMPLE: &str = "004 §8";
/// The prefix of the required tests of 004.
pub(super) const REQUIRED_TEST: &str = "004 §10.1 test";
/// The prefix of the properties of 004: determinism and closure.
pub(super) const PROPERTY: &str = "004 §10.2 property";
/// The names of the properties of 004, in the order of their numbers.
pub(super) const PROPERTIES: [&str; 2] = ["determinism", "closure"];

/// All series, in the order of docs/requirements.md.
pub(super) const SERIES: &[Series] = &[
    Series { prefix: "SK", last: 94, title: "000: layered skill routing" },
    Series { prefix: "SC", last: 52, title: "003: scored skill policy" },
    Series { prefix: EXAMPLE, last: 12, title: "004: worked examples" },
    Series { prefix: REQUIRED_TEST, last: 27, title: "004: required tests" },
    Series { prefix: PROPERTY, last: 2, title: "004: properties" },
];

/// The number of a statement, such as `SK-17` or `004 §8.3`. Ordered as in the specifications.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StatementId {
    /// The position of the prefix in [`SERIES`]; its length for an unknown prefix.
    series: usize,
    /// The number, from 1.
    number: u32,
    /// The prefix.
    prefix: String,
}

impl StatementId {
    /// Creates the id of a statement.
    pub(super) fn new(prefix: &str, number: u32) -> Self {
        let series = SERIES.iter().position(|series| series.prefix == prefix).unwrap_or(SERIES.len());
        Self { series, number, prefix: prefix.to_owned() }
    }

    /// Returns the prefix.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the number.
    pub(super) fn number(&self) -> u32 {
        self.number
    }
}

impl fmt::Display for StatementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix.as_str() {
            EXAMPLE => write!(f, "{EXAMPLE}.{}", self.number),
            REQUIRED_TEST => write!(f, "{REQUIRED_TEST} {}", self.number),
            PROPERTY => {
                let index = self.number.saturating_sub(1) as usize;
                write!(f, "004 §10.2 {}", PROPERTIES.get(index).copied().unwrap_or("unknown"))
            }
            prefix => write!(f, "{prefix}-{:02}", self.number),
        }
    }
}

/// Iterates over all statements.
pub(super) fn all() -> impl Iterator<Item = StatementId> {
    SERIES.iter().flat_map(|series| (1..=series.last).map(|number| StatementId::new(series.prefix, number)))
}

/// Returns whether a specification has the number.
pub(super) fn contains(id: &StatementId) -> bool {
    SERIES.iter().any(|series| series.prefix == id.prefix && (1..=series.last).contains(&id.number))
}
