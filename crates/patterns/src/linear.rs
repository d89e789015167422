//! What words and structure say by themselves: ridge regression of the outcomes of one model.
//!
//! Its state is a sum over rows, each times its coefficient, so it is a function of the rows alone: the order in which
//! they came, or were taken out, leaves no trace in the sums. Coefficients are found one row at a time (dual coordinate
//! descent), in passes over all rows whenever the store learns.

use contracts::Sketch;

use crate::{
    space::Space,
    structure::{BITS, Structure},
    words::ONE,
};

/// Binary places of outcomes and coefficients.
pub(crate) const PLACES: u32 = 20;

/// The share of words; structure has the rest. In tenths.
const WORDS_TENTHS: i64 = 9;

/// How strongly coefficients are held back.
const RIDGE: i64 = 10 * ONE;

/// Words there are.
const NUMBERS: usize = 1 << 16;

/// The regression of one model's outcomes.
#[derive(Clone, Default)]
pub(crate) struct Linear {
    /// By word: the sum of coefficient times share, with 35 binary places. Empty before the first row.
    words: Vec<i64>,
    /// By bit of structure: the sum of coefficients.
    bits: Vec<i64>,
    /// The sum of all coefficients.
    sum: i64,
    /// The sum of coefficient times what is expected, with 35 binary places.
    expected: i64,
}

/// A turn as the regression sees it.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) space: &'a Space,
    pub(crate) sketch: &'a Sketch,
    pub(crate) structure: &'a Structure,
    /// What brings it to a length of one, with fifteen binary places; nothing for a turn without any features.
    scale: i64,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(space: &'a Space, sketch: &'a Sketch, structure: &'a Structure) -> Self {
        let words: i64 = space.words.shares(sketch).map(|(_, share)| share * share / ONE).sum();
        let structural = space.expectation.own(structure).max(0);
        let square = (words * WORDS_TENTHS + structural * (10 - WORDS_TENTHS)) / 10;
        // The root of a number with fifteen binary places has as many when the number has thirty.
        let length = (square.max(0) * ONE).isqrt();
        let scale = (ONE * ONE).checked_div(length).unwrap_or(0);
        Self { space, sketch, structure, scale }
    }
}

impl Linear {
    /// Changes the coefficient of a row.
    pub(crate) fn change(&mut self, seen: Seen<'_>, before: i64, now: i64) {
        let change = now * seen.scale / ONE - before * seen.scale / ONE;
        if change == 0 {
            return;
        }
        if self.bits.is_empty() {
            self.words = vec![0; NUMBERS];
            self.bits = vec![0; BITS];
        }
        for (number, share) in seen.space.words.shares(seen.sketch) {
            self.words[usize::from(number)] += change * share;
        }
        for bit in seen.space.expectation.bits(seen.structure) {
            self.bits[bit.index] += change;
        }
        self.sum += change;
        self.expected += change * seen.space.expectation.expected(seen.structure);
    }

    /// What it says about a turn: how far its outcome will be from the model's mean.
    pub(crate) fn at(&self, seen: Seen<'_>) -> i64 {
        if self.bits.is_empty() {
            return 0;
        }
        let shares = seen.space.words.shares(seen.sketch);
        let words: i64 = shares.map(|(number, share)| (self.words[usize::from(number)] >> 15) * share).sum();
        let bits = seen.space.expectation.bits(seen.structure);
        let beyond = bits.map(|bit| bit.weight * (self.bits[bit.index] - ((bit.frequency * self.sum) >> 15)));
        let structure = beyond.sum::<i64>() - self.expected;
        let sum = ((words >> 15) * WORDS_TENTHS + (structure >> 15) * (10 - WORDS_TENTHS)) / 10;
        sum * seen.scale / ONE
    }

    /// The coefficient of a row that puts it where its outcome is, all others staying as they are.
    pub(crate) fn fitted(&self, seen: Seen<'_>, row: Outcome) -> i64 {
        if seen.scale == 0 {
            return 0;
        }
        let ridge = RIDGE / i64::from(row.weight.max(1));
        let missing = row.residual - self.at(seen);
        row.coefficient + (missing * ONE - ridge * row.coefficient) / (ONE + ridge)
    }
}

impl std::fmt::Debug for Linear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Linear").field("sum", &self.sum).field("expected", &self.expected).finish_non_exhaustive()
    }
}

/// A regression in which nothing is left is the same as one in which nothing ever was.
impl PartialEq for Linear {
    fn eq(&self, other: &Self) -> bool {
        let same = |one: &[i64], other: &[i64]| {
            let longer = if one.len() < other.len() { other } else { one };
            one.iter().zip(other).all(|(one, other)| one == other)
                && longer.iter().skip(one.len().min(other.len())).all(|rest| *rest == 0)
        };
        same(&self.words, &other.words)
            && same(&self.bits, &other.bits)
            && (self.sum, self.expected) == (other.sum, other.expected)
    }
}

impl Eq for Linear {}

/// A row's outcome, and the coefficient it has so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    /// How far it is from the model's mean.
    pub(crate) residual: i64,
    /// How many outcomes the row stands for.
    pub(crate) weight: u32,
    pub(crate) coefficient: i64,
}
