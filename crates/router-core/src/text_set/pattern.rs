//! A regular expression with bounds on what it may cost (decision D9).

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
/// The most places a pattern may have: what it costs per byte of message when nothing better applies.
const MAX_PLACES: u64 = 2_000;
/// The most ranges of characters a pattern may have: what it costs in memory.
const MAX_RANGES: u64 = 20_000;
/// The most places of all patterns of a policy.
const MAX_PLACES_TOGETHER: u64 = 500_000;
/// The most ranges of all patterns of a policy: about two seconds to compile, and a quarter of a gigabyte.
const MAX_RANGES_TOGETHER: u64 = 2_000_000;
/// What a pattern within the bounds above compiles to stays far below this many bytes.
pub(super) const COMPILED_BYTES: usize = 64 * 1024 * 1024;
/// A literal shorter than this is found in nearly every message and filters nothing.
const LEAST_LITERAL_BYTES: usize = 2;
/// More of a literal is not looked for: what filters nothing by then never will.
const MAX_LITERAL_BYTES: usize = 24;
/// The most literals of a group; beyond it they are shortened until fewer are left.
const MAX_LITERALS: usize = 32;
/// The most ranges of a class that may stand for few enough letters to be written out.
const MAX_LETTER_RANGES: usize = 16;

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
    /// Checks a pattern, and adds its cost to that of the others.
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

    /// What every match contains: one text of each group, compared without the case of ASCII letters. There are
    /// at most two groups, for how a match begins and how it ends; none when nothing is worth looking for.
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

/// How deep a pattern may nest.
const NEST_LIMIT: u32 = 50;

/// What a pattern costs, or the one line that says what is wrong with it.
fn cost(text: &str) -> Result<Cost, String> {
    let mut parser = ast::parse::ParserBuilder::new().nest_limit(NEST_LIMIT).build();
    let ast = parser.parse(text).map_err(|error| one_line(&error))?;
    // Looking classes up takes half of the time, and most patterns have none.
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

/// The same tree for text whose ASCII letters are all lower case: what matches a text matches it here, too.
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
    // A class of so many ranges is never written out as letters: any letter stands for it.
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
