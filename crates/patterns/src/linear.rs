//! What words and structure say by themselves: ridge regression of the outcomes of one model.
//!
//! Its state is a sum over rows, each times its coefficient, so it is a function of the rows alone: the order in which
//! they came, or were taken out, leaves no trace in the sums. Coefficients are found one row at a time (dual coordinate
//! descent), in passes over all rows whenever the store learns.

use crate::{
    said::Said,
    space::Space,
    structure::{BITS, Bit, Structure},
    words::ONE,
};

/// Binary places of outcomes and coefficients.
pub(crate) const PLACES: u32 = 20;

/// The share of words; structure has the rest. In tenths.
const WORDS_TENTHS: i64 = 9;

/// How strongly coefficients are held back.
const RIDGE: i64 = 10 * ONE;

/// The regression of one model's outcomes.
#[derive(Clone, Default)]
pub(crate) struct Linear {
    /// By place of the word: the sum of coefficient times share, with 35 binary places. Empty before the first row.
    words: Vec<i64>,
    /// By bit of structure: the sum of coefficients.
    bits: Vec<i64>,
    /// The sum of all coefficients.
    sum: i64,
    /// The sum of coefficient times what is expected, with 35 binary places.
    expected: i64,
}

/// A turn as the regression sees it, read once for all models.
#[derive(Default)]
pub(crate) struct Seen {
    /// Its words by their places, each with its share.
    words: Vec<(u16, i64)>,
    /// How many places there are.
    places: usize,
    bits: Vec<Bit>,
    /// What its bits are expected to have in common with any turn.
    expected: i64,
    /// What brings it to a length of one, with fifteen binary places; nothing for a turn without any features.
    scale: i64,
}

impl Seen {
    pub(crate) fn new(space: &Space, text: &impl Said, structure: &Structure) -> Self {
        let mut seen = Self::default();
        seen.look(space, text, structure);
        seen
    }

    /// Looks at another turn, in the room that the one before took.
    pub(crate) fn look(&mut self, space: &Space, text: &impl Said, structure: &Structure) {
        space.words.shares(text, &mut self.words);
        self.bits.clear();
        self.bits.reserve(structure.bits());
        space.expectation.bits(structure).for_each(|bit| self.bits.push(bit));
        let words: i64 = self.words.iter().map(|(_, share)| share * share / ONE).sum();
        let structural = space.expectation.own(structure).max(0);
        let square = (words * WORDS_TENTHS + structural * (10 - WORDS_TENTHS)) / 10;
        // The root of a number with fifteen binary places has as many when the number has thirty.
        let length = (square.max(0) * ONE).isqrt();
        self.scale = (ONE * ONE).checked_div(length).unwrap_or(0);
        (self.places, self.expected) = (space.words.places(), space.expectation.expected(structure));
    }
}

impl Linear {
    /// Changes the coefficient of a row.
    pub(crate) fn change(&mut self, seen: &Seen, before: i64, now: i64) {
        let change = now * seen.scale / ONE - before * seen.scale / ONE;
        if change == 0 {
            return;
        }
        if self.bits.is_empty() {
            self.words = vec![0; seen.places];
            self.bits = vec![0; BITS];
        }
        for (place, share) in &seen.words {
            self.words[usize::from(*place)] += change * share;
        }
        for bit in &seen.bits {
            self.bits[bit.index] += change;
        }
        self.sum += change;
        self.expected += change * seen.expected;
    }

    /// What it says about a turn: how far its outcome will be from the model's mean.
    pub(crate) fn at(&self, seen: &Seen) -> i64 {
        if self.bits.is_empty() {
            return 0;
        }
        let words = seen.words.iter().map(|(place, share)| (self.words[usize::from(*place)] >> 15) * share);
        let beyond = |bit: &Bit| bit.weight * (self.bits[bit.index] - ((bit.frequency * self.sum) >> 15));
        let structure = seen.bits.iter().map(beyond).sum::<i64>() - self.expected;
        let words = words.sum::<i64>() >> 15;
        let sum = (words * WORDS_TENTHS + (structure >> 15) * (10 - WORDS_TENTHS)) / 10;
        sum * seen.scale / ONE
    }

    /// The coefficient of a row that puts it where its outcome is, all others staying as they are.
    pub(crate) fn fitted(&self, seen: &Seen, row: Outcome) -> i64 {
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
