//! Regular expressions whose cost is limited (decision D9).

use std::sync::OnceLock;

use regex_automata::{Input, meta::Regex};
use regex_syntax::{
    ast,
    hir::{
        Class, ClassUnicode, ClassUnicodeRange, Dot, Hir, HirKind,
        literal::{ExtractKind, Extractor},
        translate::Translator,
    },
};

use super::cost::Cost;

/// The maximum length of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 512;
/// The maximum number of states of a pattern, which bounds the time per byte of message in the worst case.
const MAX_STATES: u64 = 2_000;
/// The maximum number of character ranges of a pattern, which bounds its memory.
const MAX_RANGES: u64 = 20_000;
/// The maximum number of states of all patterns of a policy together.
const MAX_TOTAL_STATES: u64 = 500_000;
/// The maximum number of character ranges of all patterns of a policy: about two seconds to compile, and 250 MB.
const MAX_TOTAL_RANGES: u64 = 2_000_000;
/// The size limit of a compiled pattern, in bytes. Patterns within the limits above stay far below it.
pub(super) const MAX_COMPILED_BYTES: usize = 64 * 1024 * 1024;
/// The minimum length of a useful literal, in bytes. Shorter ones occur in nearly every message.
const MIN_LITERAL_BYTES: usize = 2;
/// The length in bytes to which literals are truncated; longer ones would hardly be more selective.
const MAX_LITERAL_BYTES: usize = 24;
/// The maximum number of literals in a group. Beyond it, literals are shortened until few enough distinct ones remain.
const MAX_LITERALS: usize = 32;
/// The maximum number of ranges of a character class that is expanded into letters.
const MAX_LETTER_RANGES: usize = 16;

/// A regular expression within the cost limits. It is compiled when it is first used.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The text of the expression.
    text: String,
    /// The number of states that may be active for each byte of a text.
    states: u64,
    /// The compiled expression; empty before the first use, and `None` inside if it cannot be compiled.
    regex: OnceLock<Option<Regex>>,
}

/// Why a regular expression or another text predicate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    /// The pattern is not valid for the `regex` crate.
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Syntax {
        /// The text of the pattern.
        pattern: String,
        /// The error of the parser, in one line.
        reason: String,
    },
    /// The pattern exceeds a limit of length or cost.
    #[error("the regular expression `{pattern}` is too large: {quantity} is {value}, the most is {limit}")]
    Oversized {
        /// The start of the pattern.
        pattern: String,
        /// The quantity that exceeds its limit, such as its length.
        quantity: &'static str,
        /// The quantity's value.
        value: u64,
        /// The quantity's limit.
        limit: u64,
    },
    /// The policy has too many text predicates.
    #[error("a policy has at most {limit} conditions on the message")]
    TooMany {
        /// The largest number of text predicates in a policy.
        limit: usize,
    },
}

impl Pattern {
    /// Parses a pattern, checks that its cost is within the limits, and adds its cost to `total_cost`, the sum for all
    /// patterns of the policy.
    ///
    /// # Errors
    /// [`PatternError`] if the pattern is invalid, or if it or all patterns together exceed a limit.
    pub(super) fn new(text: &str, total_cost: &mut Cost) -> Result<Self, PatternError> {
        check_limit("its length in bytes", text.len() as u64, MAX_PATTERN_BYTES as u64, text)?;
        let cost = pattern_cost(text).map_err(|reason| PatternError::Syntax { pattern: text.to_owned(), reason })?;
        check_limit("its size", cost.states, MAX_STATES, text)?;
        check_limit("its number of character ranges", cost.ranges, MAX_RANGES, text)?;
        let new_total = total_cost.plus(cost);
        check_limit("its size, with those before it,", new_total.states, MAX_TOTAL_STATES, text)?;
        let ranges = "its number of character ranges, with those before it,";
        check_limit(ranges, new_total.ranges, MAX_TOTAL_RANGES, text)?;
        *total_cost = new_total;
        Ok(Self { text: text.to_owned(), states: cost.states, regex: OnceLock::new() })
    }

    /// The number of states that may be active for each byte of a text.
    pub(crate) const fn states(&self) -> u64 {
        self.states
    }

    /// Returns the text of the expression.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern matches anywhere in a text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.is_match_in_first(text.len(), text)
    }

    /// Returns whether the pattern matches within the first `bytes` bytes of a text. Anchors and word boundaries
    /// consider the text after them: `$` does not match at the cut (decision D38).
    pub(super) fn is_match_in_first(&self, bytes: usize, text: &str) -> bool {
        let config = Regex::config().nfa_size_limit(Some(MAX_COMPILED_BYTES));
        let compile = || Regex::builder().configure(config).build(&self.text).ok();
        let input = Input::new(text).range(..bytes.min(text.len()));
        self.regex.get_or_init(compile).as_ref().is_some_and(|regex| regex.is_match(input))
    }

    /// Returns groups of literals: every match of the pattern contains one literal of each group, compared without
    /// regard to the case of ASCII letters.
    ///
    /// There are at most two groups: from the start and from the end of a match. There is none if no literal is
    /// selective.
    pub(super) fn literal_groups(&self) -> Vec<Vec<Vec<u8>>> {
        let Ok(hir) = regex_syntax::ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(&self.text) else {
            return Vec::new();
        };
        let lowercase_hir = lowercase(&hir);
        let mut groups: Vec<_> = [ExtractKind::Prefix, ExtractKind::Suffix]
            .into_iter()
            .filter_map(|kind| {
                let mut extractor = Extractor::new();
                extractor.kind(kind).limit_literal_len(MAX_LITERAL_BYTES).limit_total(MAX_LITERALS);
                let sequence = extractor.extract(&lowercase_hir);
                let literals = sequence.literals().filter(|literals| !literals.is_empty())?;
                let is_selective = literals.iter().all(|literal| MIN_LITERAL_BYTES <= literal.len());
                is_selective.then(|| literals.iter().map(|literal| literal.as_bytes().to_vec()).collect::<Vec<_>>())
            })
            .collect();
        groups.dedup();
        groups
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The maximum nesting depth of a pattern.
const MAX_NESTING: u32 = 50;

/// Parses a pattern and estimates the size of its automaton (see [`Cost`]). The parsed expression suffices unless it has
/// character classes, whose size is known only after translation.
///
/// # Errors
/// The syntax error of the pattern, as one line of text.
fn pattern_cost(text: &str) -> Result<Cost, String> {
    let mut parser = ast::parse::ParserBuilder::new().nest_limit(MAX_NESTING).build();
    let ast = parser.parse(text).map_err(|error| one_line_error(&error))?;
    // Translation takes half of the time, and most patterns have no classes.
    match Cost::from_ast(&ast) {
        Some(cost) => Ok(cost),
        None => Translator::new()
            .translate(text, &ast)
            .map(|hir| Cost::from_hir(&hir))
            .map_err(|error| one_line_error(&error)),
    }
}

/// Returns the last line of a parser error, which states the cause, without the prefix `error: `.
fn one_line_error(error: &dyn std::fmt::Display) -> String {
    let report = error.to_string();
    let line = report.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Converts an expression so that it matches lower-case text: if the original matches a text, the result matches the
/// same text with its ASCII letters in lower case.
fn lowercase(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(*look),
        HirKind::Literal(literal) => Hir::literal(literal.0.to_ascii_lowercase()),
        HirKind::Class(class) => lowercase_class(class),
        HirKind::Capture(capture) => lowercase(&capture.sub),
        HirKind::Repetition(repetition) => Hir::repetition(repetition.with(lowercase(&repetition.sub))),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(lowercase).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(lowercase).collect()),
    }
}

/// Converts a character class so that it contains the lower-case forms of its ASCII capitals. A class of many ranges
/// becomes "any character", because literals are never extracted from it.
fn lowercase_class(class: &Class) -> Hir {
    let letters = match class {
        Class::Unicode(class) => Some(class.clone()),
        Class::Bytes(class) => class.to_unicode_class(),
    };
    // A class of many ranges is never expanded into letters, so it is replaced by any character.
    let Some(mut letters) = letters.filter(|letters| letters.ranges().len() <= MAX_LETTER_RANGES) else {
        return Hir::dot(Dot::AnyChar);
    };
    let mut capitals = letters.clone();
    capitals.intersect(&ClassUnicode::new([ClassUnicodeRange::new('A', 'Z')]));
    letters.difference(&capitals);
    letters.union(&ClassUnicode::new(
        capitals
            .ranges()
            .iter()
            .map(|range| ClassUnicodeRange::new(range.start().to_ascii_lowercase(), range.end().to_ascii_lowercase())),
    ));
    Hir::class(Class::Unicode(letters))
}

/// Checks that a quantity of a pattern is within its limit.
///
/// # Errors
/// [`PatternError::Oversized`] if `value` exceeds `limit`.
fn check_limit(quantity: &'static str, value: u64, limit: u64, pattern: &str) -> Result<(), PatternError> {
    if value <= limit {
        return Ok(());
    }
    let pattern = pattern.chars().take(60).collect();
    Err(PatternError::Oversized { pattern, quantity, value, limit })
}
