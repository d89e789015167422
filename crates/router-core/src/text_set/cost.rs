//! What a pattern costs, counted without compiling it.

use regex_syntax::{
    ast::{Ast, GroupKind, RepetitionKind, RepetitionRange},
    hir::{Class, Hir, HirKind},
};

/// What patterns cost at most, counted without compiling them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// Places between which a matcher moves.
    pub(super) places: u64,
    /// Ranges of characters, all repetitions counted.
    pub(super) ranges: u64,
}

/// Nothing, an end of a line, the start of a word.
const PLACE: Cost = Cost { places: 1, ranges: 0 };

impl Cost {
    /// The cost of a pattern without classes and flags, which is evident before its classes are looked up.
    pub(super) fn evident(ast: &Ast) -> Option<Self> {
        Some(match ast {
            Ast::Empty(_) | Ast::Assertion(_) => PLACE,
            Ast::Literal(literal) => Self { places: literal.c.len_utf8() as u64, ranges: 0 },
            // Everything but the end of a line.
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

    /// The depth of recursion is bounded by the nest limit of the parser.
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
