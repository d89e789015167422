//! The structure of turns, compared by how much they agree beyond what is to be expected.
//!
//! Every feature is a set of yes-or-no bits: "has `.rs`", "at least three options". Two turns agree in a bit more the
//! further both are from what is usual: with a bit that `p` of all turns have, they gain `(b - p)(b' - p)`. What is the
//! same everywhere, such as having no tools at all, says nothing, and unrelated turns agree by nothing on average: there
//! is no floor of similarity. The scale is such that a turn agrees with itself by one on average.

use crate::{
    levels::{HIGHEST, LEVELS},
    words::ONE,
};

/// Levels, rounded up to what a processor compares at once.
const LANES: usize = LEVELS.next_multiple_of(16);

/// Extensions, tools, directories: each a set of bits.
pub(crate) const SETS: usize = 3;

/// Bits that nearly all turns or nearly none have are left out: `p (1 - p)` of at most one hundredth.
const LEAST_SPREAD: i64 = ONE / 100;

/// What the same workload weighs where bits are weighed one by one, against one for all the rest.
const WORKLOAD_WEIGHT: i64 = 3 * ONE;

/// So many bits of structure there are: of levels, of sets, of workloads.
pub(crate) const BITS: usize = WORKLOADS + 128;
const SET_BITS: usize = LEVELS * (HIGHEST as usize + 1);
const WORKLOADS: usize = SET_BITS + SETS * 128;

/// The structure of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Structure {
    /// How many of the levels that count it reaches, of each.
    lanes: [u8; LANES],
    /// The values that count, of each set.
    sets: [u128; SETS],
    /// The number of its workload, from 1; 0 for none.
    workload: u8,
    /// What is to be expected of its levels and of its sets: sums of `p` over its bits.
    expected: [i64; 2],
}

/// What a turn brings along to be compared.
pub(crate) struct Raw<'a> {
    pub(crate) levels: &'a [u8],
    pub(crate) sets: [u128; SETS],
    pub(crate) workload: u8,
    /// How many turns it stands for.
    pub(crate) turns: u32,
}

/// One kind of bits: levels, or sets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Scale {
    /// The sum of `p²`.
    squares: i64,
    /// The sum of `p (1 - p)`: by how much a turn agrees with itself on average.
    spread: i64,
    /// The inverse of the spread, times the share of this kind; nothing when nothing varies.
    factor: i64,
}

/// How frequent every bit is, of those that count: all with fifteen binary places.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Expectation {
    /// Bits that count with their frequency, in order: what is kept.
    known: Vec<(u16, u16)>,
    /// By level: how many levels up to it count, and the sum of their frequencies.
    steps: Vec<(u8, i64)>,
    /// Frequencies of the levels that count, by lane and by how many lie below.
    lanes: Vec<i64>,
    masks: [u128; SETS],
    frequencies: Vec<i64>,
    levels: Scale,
    sets: Scale,
}

impl std::fmt::Debug for Expectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.known.iter().copied()).finish()
    }
}

impl Expectation {
    /// Counts the bits of all turns.
    pub(crate) fn learn<'a>(turns: impl Iterator<Item = Raw<'a>>) -> Self {
        let mut all = 0_i64;
        let mut with = vec![0_i64; WORKLOADS];
        for turn in turns {
            let times = i64::from(turn.turns);
            all += times;
            for (lane, level) in turn.levels.iter().enumerate().take(LEVELS) {
                for reached in 1..=(*level).min(HIGHEST) {
                    with[lane * (usize::from(HIGHEST) + 1) + usize::from(reached)] += times;
                }
            }
            for (set, mask) in turn.sets.iter().enumerate() {
                for bit in ones(*mask) {
                    with[SET_BITS + set * 128 + bit] += times;
                }
            }
        }
        // A level that no turn stops below says nothing that the one before it does not.
        let width = usize::from(HIGHEST) + 1;
        for lane in with[..SET_BITS].chunks_exact_mut(width) {
            for level in (2..width).rev() {
                if lane[level] == lane[level - 1] {
                    lane[level] = 0;
                }
            }
        }
        let frequency = |with: i64| with.saturating_mul(ONE) / all.max(1);
        let counts = |frequency: &i64| LEAST_SPREAD < frequency * (ONE - frequency) / ONE;
        let known = (0..).zip(with).map(|(bit, with)| (bit, frequency(with))).filter(|(_, often)| counts(often));
        // A frequency is at most one, and so fits.
        let known: Vec<_> = known.map(|(bit, often)| (bit, u16::try_from(often).unwrap_or(u16::MAX))).collect();
        Self::from_known(known)
    }

    /// The bits that count.
    pub(crate) fn known(&self) -> &[(u16, u16)] {
        &self.known
    }

    /// The same expectation again.
    pub(crate) fn from_known(known: Vec<(u16, u16)>) -> Self {
        if known.is_empty() {
            return Self::default();
        }
        let width = usize::from(HIGHEST) + 1;
        let mut found = Self {
            steps: vec![(0, 0); SET_BITS],
            lanes: vec![0; SET_BITS],
            frequencies: vec![0; SETS * 128],
            ..Self::default()
        };
        let frequencies: std::collections::BTreeMap<usize, i64> =
            known.iter().map(|(bit, often)| (usize::from(*bit), i64::from(*often))).collect();
        for lane in 0..LEVELS {
            let (mut below, mut sum) = (0_u8, 0);
            for level in 0..width {
                if let Some(often) = frequencies.get(&(lane * width + level)) {
                    found.lanes[lane * width + usize::from(below)] = *often;
                    below += 1;
                    sum += often;
                    found.levels.add(*often);
                }
                found.steps[lane * width + level] = (below, sum);
            }
        }
        for (bit, often) in frequencies.range(SET_BITS..) {
            let bit = bit - SET_BITS;
            if let Some(mask) = found.masks.get_mut(bit / 128) {
                *mask |= 1 << (bit % 128);
                found.frequencies[bit] = *often;
                found.sets.add(*often);
            }
        }
        // Half each where both vary.
        let both = 0 < found.levels.spread && 0 < found.sets.spread;
        found.levels.finish(both);
        found.sets.finish(both);
        found.known = known;
        found
    }

    /// The structure of a turn.
    pub(crate) fn structure(&self, raw: &Raw<'_>) -> Structure {
        let width = usize::from(HIGHEST) + 1;
        let mut lanes = [0; LANES];
        let mut expected = [0; 2];
        for (lane, level) in raw.levels.iter().enumerate().take(LEVELS) {
            let step = self.steps.get(lane * width + usize::from((*level).min(HIGHEST)));
            let (reached, sum) = step.copied().unwrap_or_default();
            lanes[lane] = reached;
            expected[0] += sum;
        }
        let mut sets = raw.sets;
        for (set, (values, mask)) in sets.iter_mut().zip(&self.masks).enumerate() {
            *values &= mask;
            expected[1] += ones(*values).map(|bit| self.frequencies[set * 128 + bit]).sum::<i64>();
        }
        Structure { lanes, sets, workload: raw.workload, expected }
    }

    /// How much two turns agree: 0 for strangers, about 1 for the same turn; one more for the same workload.
    pub(crate) fn agreement(&self, one: &Structure, other: &Structure) -> i64 {
        let same_work = one.workload != 0 && one.workload == other.workload;
        self.likeness(one, other) + if same_work { ONE } else { 0 }
    }

    /// What a turn has in common with itself when its bits are weighed one by one.
    pub(crate) fn own(&self, turn: &Structure) -> i64 {
        self.likeness(turn, turn) + if turn.workload == 0 { 0 } else { WORKLOAD_WEIGHT }
    }

    fn likeness(&self, one: &Structure, other: &Structure) -> i64 {
        let levels: u32 = one.lanes.iter().zip(&other.lanes).map(|(one, other)| u32::from(*one.min(other))).sum();
        let mut agreement = self.levels.of(i64::from(levels), one.expected[0] + other.expected[0]);
        if self.sets.factor != 0 {
            let common = one.sets.iter().zip(&other.sets).map(|(one, other)| (one & other).count_ones()).sum::<u32>();
            agreement += self.sets.of(i64::from(common), one.expected[1] + other.expected[1]);
        }
        agreement
    }

    /// The bits of a turn, each with its weight and its frequency: the agreement of two turns is the sum over all bits
    /// of `weight (b - frequency)(b' - frequency)`, but that the same workload weighs more.
    pub(crate) fn bits<'a>(&'a self, turn: &'a Structure) -> impl Iterator<Item = Bit> + 'a {
        let width = usize::from(HIGHEST) + 1;
        let lanes = turn.lanes.iter().take(LEVELS).enumerate().flat_map(move |(lane, reached)| {
            (lane * width..lane * width + usize::from(*reached)).map(|index| {
                let frequency = self.lanes.get(index).copied().unwrap_or(0);
                Bit { index, weight: self.levels.factor, frequency }
            })
        });
        let sets = turn.sets.iter().enumerate().flat_map(move |(set, values)| {
            ones(*values).map(move |bit| Bit {
                index: SET_BITS + set * 128 + bit,
                weight: self.sets.factor,
                frequency: self.frequencies[set * 128 + bit],
            })
        });
        let workload = (turn.workload != 0).then(|| Bit {
            index: WORKLOADS + usize::from(turn.workload - 1) % 128,
            weight: WORKLOAD_WEIGHT,
            frequency: 0,
        });
        lanes.chain(sets).chain(workload)
    }

    /// What the bits of a turn are expected to have in common with any turn, weighted; and the same for no bits at all.
    pub(crate) fn expected(&self, turn: &Structure) -> i64 {
        (self.levels.factor * (turn.expected[0] - self.levels.squares)
            + self.sets.factor * (turn.expected[1] - self.sets.squares))
            / ONE
    }
}

/// One bit that a turn has.
pub(crate) struct Bit {
    pub(crate) index: usize,
    pub(crate) weight: i64,
    pub(crate) frequency: i64,
}

impl Scale {
    fn add(&mut self, frequency: i64) {
        self.squares += frequency * frequency / ONE;
        self.spread += frequency * (ONE - frequency) / ONE;
    }

    fn finish(&mut self, shared: bool) {
        let whole = if shared { ONE * ONE / 2 } else { ONE * ONE };
        self.factor = whole.checked_div(self.spread).unwrap_or(0);
    }

    fn of(&self, common: i64, expected: i64) -> i64 {
        self.factor * (common * ONE - expected + self.squares) / ONE
    }
}

/// The numbers of the bits that are set.
fn ones(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let bit = mask.trailing_zeros();
        mask &= mask - 1;
        usize::try_from(bit).ok()
    })
}
