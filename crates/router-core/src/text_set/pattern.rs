//! Regular expressions with a bounded cost (decision D9).

use std::sync::OnceLock;

use regex::Regex;
use regex_syntax::{
    ast,
    hir::{
        Class, ClassUnicode, ClassUnicodeRange, Dot, Hir, HirKind,
        literal::{ExtractKind, Extractor},
        translate::Translator,
    },
};

use super::cost::Cost;

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 512;
/// The most states of a pattern, which bound the time per byte of message in the worst case.
const MAX_PLACES: u64 = 2_000;
/// The most character ranges of a pattern, which bound its memory.
const MAX_RANGES: u64 = 20_000;
/// The most states of all patterns of a policy together.
const MAX_PLACES_TOGETHER: u64 = 500_000;
/// The most character ranges of all patterns of a policy together: about two seconds to compile, and 250 MB.
const MAX_RANGES_TOGETHER: u64 = 2_000_000;
/// The size limit of a compiled pattern, in bytes. Patterns within the limits above stay far below it.
pub(super) const COMPILED_BYTES: usize = 64 * 1024 * 1024;
/// The shortest useful literal, in bytes. Shorter ones occur in nearly every message.
const LEAST_LITERAL_BYTES: usize = 2;
/// The longest part of a literal that is searched, in bytes; more would hardly be more selective.
const MAX_LITERAL_BYTES: usize = 24;
/// The most literals of a group; beyond it they are shortened until fewer distinct ones are left.
const MAX_LITERALS: usize = 32;
/// The most ranges of a character class that is expanded into letters.
const MAX_LETTER_RANGES: usize = 16;

/// A regular expression whose cost was checked; it is compiled when it is first used.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: OnceLock<Option<Regex>>,
}

/// The error of a pattern that is not accepted.
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
    #[error("the regular expression `{pattern}` is too large: {what} is {found}, the most is {most}")]
    Large {
        /// The start of the pattern.
        pattern: String,
        /// The quantity that exceeds its limit, such as its length.
        what: &'static str,
        /// The quantity's value.
        found: u64,
        /// The quantity's limit.
        most: u64,
    },
    /// The policy has too many text predicates.
    #[error("a policy has at most {most} conditions on the message")]
    Many {
        /// The largest number of text predicates in a policy.
        most: usize,
    },
}

impl Pattern {
    /// Parses a pattern, checks its cost, and adds it to the total cost `others`.
    pub(super) fn new(text: &str, others: &mut Cost) -> Result<Self, PatternError> {
        check("its length in bytes", text.len() as u64, MAX_PATTERN_BYTES as u64, text)?;
        let cost = cost(text).map_err(|reason| PatternError::Syntax { pattern: text.to_owned(), reason })?;
        check("its size", cost.places, MAX_PLACES, text)?;
        check("its number of character ranges", cost.ranges, MAX_RANGES, text)?;
        let together = others.plus(cost);
        check("its size, with those before it,", together.places, MAX_PLACES_TOGETHER, text)?;
        let ranges = "its number of character ranges, with those before it,";
        check(ranges, together.ranges, MAX_RANGES_TOGETHER, text)?;
        *others = together;
        Ok(Self { text: text.to_owned(), regex: OnceLock::new() })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        let compile = || regex::RegexBuilder::new(&self.text).size_limit(COMPILED_BYTES).build().ok();
        self.regex.get_or_init(compile).as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns groups of literals: every match contains one literal of each group, compared without regard to the case
    /// of ASCII letters. There are at most two groups, from the start and the end of a match; none if no literal is
    /// selective.
    pub(super) fn groups(&self) -> Vec<Vec<Vec<u8>>> {
        let Ok(hir) = regex_syntax::ParserBuilder::new().nest_limit(NEST_LIMIT).build().parse(&self.text) else {
            return Vec::new();
        };
        let lowered = lower(&hir);
        let mut groups: Vec<_> = [ExtractKind::Prefix, ExtractKind::Suffix]
            .into_iter()
            .filter_map(|kind| {
                let mut extractor = Extractor::new();
                extractor.kind(kind).limit_literal_len(MAX_LITERAL_BYTES).limit_total(MAX_LITERALS);
                let sequence = extractor.extract(&lowered);
                let literals = sequence.literals().filter(|literals| !literals.is_empty())?;
                let useful = literals.iter().all(|literal| LEAST_LITERAL_BYTES <= literal.len());
                useful.then(|| literals.iter().map(|literal| literal.as_bytes().to_vec()).collect::<Vec<_>>())
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

/// The deepest nesting of a pattern.
const NEST_LIMIT: u32 = 50;

/// Computes the cost of a pattern, or returns its syntax error in one line.
fn cost(text: &str) -> Result<Cost, String> {
    let mut parser = ast::parse::ParserBuilder::new().nest_limit(NEST_LIMIT).build();
    let ast = parser.parse(text).map_err(|error| one_line(&error))?;
    // Looking up classes takes half of the time, and most patterns have none.
    match Cost::evident(&ast) {
        Some(cost) => Ok(cost),
        None => Translator::new().translate(text, &ast).map(|hir| Cost::of(&hir)).map_err(|error| one_line(&error)),
    }
}

fn one_line(error: &dyn std::fmt::Display) -> String {
    let report = error.to_string();
    let line = report.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Converts an expression so that it matches lower-case text: if the original matches a text, the result matches the
/// text with its ASCII letters in lower case.
fn lower(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(*look),
        HirKind::Literal(literal) => Hir::literal(literal.0.to_ascii_lowercase()),
        HirKind::Class(class) => lower_class(class),
        HirKind::Capture(capture) => lower(&capture.sub),
        HirKind::Repetition(repetition) => Hir::repetition(repetition.with(lower(&repetition.sub))),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(lower).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(lower).collect()),
    }
}

fn lower_class(class: &Class) -> Hir {
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

fn check(what: &'static str, found: u64, most: u64, pattern: &str) -> Result<(), PatternError> {
    if found <= most {
        return Ok(());
    }
    let pattern = pattern.chars().take(60).collect();
    Err(PatternError::Large { pattern, what, found, most })
}
