//! The cost of a regular expression, computed without compiling it.

use regex_syntax::{
    ast::{Ast, GroupKind, RepetitionKind, RepetitionRange},
    hir::{Class, Hir, HirKind},
};

/// An upper bound of the cost of patterns, computed without compiling them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// States of the matcher, which determine the time per byte of text.
    pub(super) places: u64,
    /// Ranges of characters including repetitions, which determine the memory.
    pub(super) ranges: u64,
}

/// The cost of an empty expression or an assertion, such as the start of a line.
const PLACE: Cost = Cost { places: 1, ranges: 0 };

impl Cost {
    /// Computes the cost of a pattern without character classes and flags; `None` if it has any, since their cost must
    /// be looked up.
    pub(super) fn evident(ast: &Ast) -> Option<Self> {
        Some(match ast {
            Ast::Empty(_) | Ast::Assertion(_) => PLACE,
            Ast::Literal(literal) => Self { places: literal.c.len_utf8() as u64, ranges: 0 },
            // Any character except a line feed.
            Ast::Dot(_) => Self { places: 4, ranges: 2 },
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) if !flags.items.is_empty() => return None,
                _ => Self::evident(&group.ast)?,
            },
            Ast::Repetition(repetition) => Self::evident(&repetition.ast)?.times(match &repetition.op.kind {
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore | RepetitionKind::OneOrMore => 1,
                RepetitionKind::Range(
                    RepetitionRange::Exactly(most) | RepetitionRange::AtLeast(most) | RepetitionRange::Bounded(_, most),
                ) => u64::from(*most).max(1),
            }),
            Ast::Concat(concat) => Self::sum(concat.asts.iter().map(Self::evident))?,
            Ast::Alternation(alternation) => Self::sum(alternation.asts.iter().map(Self::evident))?,
            Ast::Flags(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) => return None,
        })
    }

    fn sum(parts: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        parts.into_iter().try_fold(PLACE, |sum, part| Some(sum.plus(part?)))
    }

    /// Computes the cost of a pattern. The nest limit of the parser bounds the recursion.
    pub(super) fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => PLACE,
            HirKind::Literal(literal) => Self { places: literal.0.len() as u64, ranges: 0 },
            HirKind::Class(Class::Unicode(class)) => Self { places: 4, ranges: class.ranges().len() as u64 },
            HirKind::Class(Class::Bytes(class)) => Self { places: 1, ranges: class.ranges().len() as u64 },
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => {
                let times = u64::from(repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1));
                Self::of(&repetition.sub).times(times)
            }
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(Self::of).fold(PLACE, Self::plus),
        }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self { places: self.places.saturating_add(other.places), ranges: self.ranges.saturating_add(other.ranges) }
    }

    const fn times(self, count: u64) -> Self {
        Self { places: self.places.saturating_mul(count), ranges: self.ranges.saturating_mul(count) }
    }
}
