//! Computes the cost of a regular expression without compiling it, so that an expensive pattern is rejected when the
//! policy is loaded.

use regex_syntax::{
    ast::{Ast, GroupKind, RepetitionKind, RepetitionRange},
    hir::{Class, Hir, HirKind},
};

/// An upper bound for the cost of regular expressions, computed without compiling them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// Number of states of the matcher, which bounds the time per byte of text.
    pub(super) states: u64,
    /// Number of character ranges, counted once for each repetition. It bounds the memory.
    pub(super) ranges: u64,
}

/// The cost of an empty expression or an assertion, such as the start of a line.
const ONE_STATE: Cost = Cost { states: 1, ranges: 0 };

impl Cost {
    /// Computes the cost of a regular expression that has no character classes and no flags; `None` if it has any,
    /// since their cost must be looked up in the translated form.
    pub(super) fn from_ast(ast: &Ast) -> Option<Self> {
        Some(match ast {
            Ast::Empty(_) | Ast::Assertion(_) => ONE_STATE,
            Ast::Literal(literal) => Self { states: literal.c.len_utf8() as u64, ranges: 0 },
            // Any character except a line feed.
            Ast::Dot(_) => Self { states: 4, ranges: 2 },
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) if !flags.items.is_empty() => return None,
                _ => Self::from_ast(&group.ast)?,
            },
            Ast::Repetition(repetition) => Self::from_ast(&repetition.ast)?.times(match &repetition.op.kind {
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore | RepetitionKind::OneOrMore => 1,
                RepetitionKind::Range(
                    RepetitionRange::Exactly(most) | RepetitionRange::AtLeast(most) | RepetitionRange::Bounded(_, most),
                ) => u64::from(*most).max(1),
            }),
            Ast::Concat(concat) => Self::sum(concat.asts.iter().map(Self::from_ast))?,
            Ast::Alternation(alternation) => Self::sum(alternation.asts.iter().map(Self::from_ast))?,
            Ast::Flags(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) => return None,
        })
    }

    /// Returns the sum of the costs of parts, plus one state for their combination. `None` if the cost of any part is
    /// `None`.
    fn sum(parts: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        parts.into_iter().try_fold(ONE_STATE, |sum, part| Some(sum.plus(part?)))
    }

    /// Computes the cost of any regular expression from its translated form. Recursion is bounded by the nesting limit
    /// of the parser.
    pub(super) fn from_hir(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => ONE_STATE,
            HirKind::Literal(literal) => Self { states: literal.0.len() as u64, ranges: 0 },
            HirKind::Class(Class::Unicode(class)) => {
                let longest = class.ranges().last().map_or(1, |range| range.end().len_utf8());
                Self { states: longest as u64, ranges: class.ranges().len() as u64 }
            }
            HirKind::Class(Class::Bytes(class)) => Self { states: 1, ranges: class.ranges().len() as u64 },
            HirKind::Capture(capture) => Self::from_hir(&capture.sub),
            HirKind::Repetition(repetition) => {
                let times = u64::from(repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1));
                Self::from_hir(&repetition.sub).times(times)
            }
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                parts.iter().map(Self::from_hir).fold(ONE_STATE, Self::plus)
            }
        }
    }

    /// Adds another cost to this one, saturating.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self { states: self.states.saturating_add(other.states), ranges: self.ranges.saturating_add(other.ranges) }
    }

    /// Multiplies the cost by a number of repetitions, saturating.
    const fn times(self, count: u64) -> Self {
        Self { states: self.states.saturating_mul(count), ranges: self.ranges.saturating_mul(count) }
    }
}
