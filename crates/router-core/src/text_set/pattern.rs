//! A regular expression with bounds on what it may cost (decision D9).

use std::sync::OnceLock;

use regex::Regex;
use regex_syntax::hir::{
    Class, Hir, HirKind,
    literal::{ExtractKind, Extractor},
};

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 512;
/// The most places a pattern may have: what it costs per byte of message when nothing better applies.
const MAX_PLACES: u64 = 2_000;
/// The most ranges of characters a pattern may have: what it costs in memory.
const MAX_RANGES: u64 = 20_000;
/// What a pattern within the bounds above compiles to stays far below this many bytes.
pub(super) const COMPILED_BYTES: usize = 64 * 1024 * 1024;
/// A literal shorter than this is found in nearly every message and filters nothing.
const LEAST_LITERAL_BYTES: usize = 2;

/// A checked pattern, compiled when it is first run.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: OnceLock<Option<Regex>>,
}

/// Why a pattern is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    /// Not the syntax of the `regex` crate.
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong, in one line.
        reason: String,
    },
    /// Longer, or costlier, than a pattern may be.
    #[error("the regular expression `{pattern}` is too large: {what} is {found}, the most is {most}")]
    Large {
        /// The start of the pattern.
        pattern: String,
        /// What is bounded.
        what: &'static str,
        /// How much it is.
        found: u64,
        /// How much it may be.
        most: u64,
    },
    /// More of them than a policy may have.
    #[error("a policy has at most {most} conditions on the message")]
    Many {
        /// How many it may have.
        most: usize,
    },
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, PatternError> {
        check("its length in bytes", text.len() as u64, MAX_PATTERN_BYTES as u64, text)?;
        let hir = parse(text).map_err(|reason| PatternError::Syntax { pattern: text.to_owned(), reason })?;
        let cost = Cost::of(&hir);
        check("its size", cost.places, MAX_PLACES, text)?;
        check("its number of character ranges", cost.ranges, MAX_RANGES, text)?;
        Ok(Self { text: text.to_owned(), regex: OnceLock::new() })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        let compile = || regex::RegexBuilder::new(&self.text).size_limit(COMPILED_BYTES).build().ok();
        self.regex.get_or_init(compile).as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// Texts one of which stands in every match, or `None` when there are none worth looking for.
    pub(crate) fn literals(&self) -> Option<Vec<Vec<u8>>> {
        let hir = parse(&self.text).ok()?;
        [ExtractKind::Prefix, ExtractKind::Suffix].into_iter().find_map(|kind| {
            let sequence = Extractor::new().kind(kind).extract(&hir);
            let literals = sequence.literals()?;
            let useful = literals.iter().all(|literal| LEAST_LITERAL_BYTES <= literal.len());
            (useful && !literals.is_empty()).then(|| literals.iter().map(|l| l.as_bytes().to_vec()).collect())
        })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The pattern as a tree, or the one line that says what is wrong with it.
fn parse(text: &str) -> Result<Hir, String> {
    regex_syntax::ParserBuilder::new().nest_limit(50).build().parse(text).map_err(|error| {
        let report = error.to_string();
        let line = report.lines().last().unwrap_or_default().trim();
        line.strip_prefix("error: ").unwrap_or(line).to_owned()
    })
}

fn check(what: &'static str, found: u64, most: u64, pattern: &str) -> Result<(), PatternError> {
    if found <= most {
        return Ok(());
    }
    let pattern = pattern.chars().take(60).collect();
    Err(PatternError::Large { pattern, what, found, most })
}

/// What a pattern costs at most, counted without compiling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// Places between which a matcher moves.
    places: u64,
    /// Ranges of characters, all repetitions counted.
    ranges: u64,
}

impl Cost {
    /// The depth of recursion is bounded by the nest limit of the parser.
    fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self { places: 1, ranges: 0 },
            HirKind::Literal(literal) => Self { places: literal.0.len() as u64, ranges: 0 },
            HirKind::Class(Class::Unicode(class)) => Self { places: 4, ranges: class.ranges().len() as u64 },
            HirKind::Class(Class::Bytes(class)) => Self { places: 1, ranges: class.ranges().len() as u64 },
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => {
                let times = u64::from(repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1));
                Self::of(&repetition.sub).times(times)
            }
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                parts.iter().map(Self::of).fold(Self { places: 1, ranges: 0 }, Self::plus)
            }
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self { places: self.places.saturating_add(other.places), ranges: self.ranges.saturating_add(other.ranges) }
    }

    const fn times(self, count: u64) -> Self {
        Self { places: self.places.saturating_mul(count), ranges: self.ranges.saturating_mul(count) }
    }
}
