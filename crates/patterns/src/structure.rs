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

/// Bits that nearly all turns or nearly none have are dropped: `p (1 - p)` of at most one hundredth.
const LEAST_SPREAD: i64 = ONE / 100;

/// What the same workload weighs where bits are weighed one by one, against one for all the rest.
const WORKLOAD_WEIGHT: i64 = 3 * ONE;

/// So many bits of structure there are: of levels, of sets, of workloads.
pub(crate) const BITS: usize = WORKLOADS + 128;
const SET_BITS: usize = LEVELS * (HIGHEST as usize + 1);
const WORKLOADS: usize = SET_BITS + SETS * 128;

/// So many bits of sets are compared: those that vary most.
const SET_BITS_COMPARED: usize = 64;

/// The structure of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Structure {
    /// How many of the levels that count it reaches, of each.
    lanes: [u8; LANES],
    /// The values that count, of all sets.
    sets: u64,
    /// What its bits are expected to agree in with any turn, with fifteen binary places.
    expected: i32,
    /// The number of its workload, from 1; 0 for none.
    workload: u8,
}

impl Structure {
    /// How many bits it has.
    pub(crate) fn bits(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|reached| usize::from(*reached)).sum();
        // At most sixty-four.
        lanes + self.sets.count_ones() as usize + usize::from(self.workload != 0)
    }
}

/// What a turn brings along to be compared.
#[derive(Clone, Copy)]
pub(crate) struct Raw {
    pub(crate) levels: [u8; LEVELS],
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
    /// The bits of sets that are compared, with their frequencies, in order.
    values: Vec<(usize, i64)>,
    /// What is expected of no bits at all.
    nothing: i64,
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
    pub(crate) fn learn(turns: impl Iterator<Item = Raw>) -> Self {
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
        let (levels, mut values): (Vec<_>, Vec<_>) = known.partition(|(bit, _)| usize::from(*bit) < SET_BITS);
        values.sort_by_key(|(bit, often)| (std::cmp::Reverse(often * (ONE - often)), *bit));
        values.truncate(SET_BITS_COMPARED);
        values.sort_unstable();
        let known = levels.into_iter().chain(values);
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
        let mut found = Self { steps: vec![(0, 0); SET_BITS], lanes: vec![0; SET_BITS], ..Self::default() };
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
            found.values.push((bit - SET_BITS, *often));
            found.sets.add(*often);
        }
        // Half each where both vary.
        let both = 0 < found.levels.spread && 0 < found.sets.spread;
        found.levels.finish(both);
        found.sets.finish(both);
        found.nothing = (found.levels.factor * found.levels.squares + found.sets.factor * found.sets.squares) / ONE;
        found.known = known;
        found
    }

    /// The structure of a turn.
    pub(crate) fn structure(&self, raw: &Raw) -> Structure {
        let width = usize::from(HIGHEST) + 1;
        let mut lanes = [0; LANES];
        let mut of_levels = 0;
        for (lane, level) in raw.levels.iter().enumerate().take(LEVELS) {
            let step = self.steps.get(lane * width + usize::from((*level).min(HIGHEST)));
            let (reached, sum) = step.copied().unwrap_or_default();
            lanes[lane] = reached;
            of_levels += sum;
        }
        let (mut sets, mut of_sets) = (0, 0);
        for (number, (bit, often)) in self.values.iter().enumerate() {
            if raw.sets[bit / 128] >> (bit % 128) & 1 == 1 {
                sets |= 1 << number;
                of_sets += often;
            }
        }
        let expected = (self.levels.factor * of_levels + self.sets.factor * of_sets) / ONE;
        Structure { lanes, sets, expected: i32::try_from(expected).unwrap_or(i32::MAX), workload: raw.workload }
    }

    /// How much two turns agree: 0 for strangers, about 1 for the same turn; one more for the same workload.
    #[inline]
    pub(crate) fn agreement(&self, one: &Structure, other: &Structure) -> i64 {
        let same_work = one.workload != 0 && one.workload == other.workload;
        self.likeness(one, other) + if same_work { ONE } else { 0 }
    }

    /// What a turn has in common with itself when its bits are weighed one by one.
    pub(crate) fn own(&self, turn: &Structure) -> i64 {
        self.likeness(turn, turn) + if turn.workload == 0 { 0 } else { WORKLOAD_WEIGHT }
    }

    #[inline]
    fn likeness(&self, one: &Structure, other: &Structure) -> i64 {
        // At most 31 in each of some dozens of lanes; saying that it cannot overflow lets the compiler take many at once,
        // and processors add bytes up into more than two.
        let levels = one
            .lanes
            .iter()
            .zip(&other.lanes)
            .fold(0_u32, |sum, (one, other)| sum.wrapping_add(u32::from(*one.min(other))));
        let values = (one.sets & other.sets).count_ones();
        let common = self.levels.factor * i64::from(levels) + self.sets.factor * i64::from(values);
        common - i64::from(one.expected) - i64::from(other.expected) + self.nothing
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
        let values = self.values.iter().enumerate().filter(|(number, _)| turn.sets >> number & 1 == 1);
        let sets = values.map(|(_, (bit, frequency))| Bit {
            index: SET_BITS + bit,
            weight: self.sets.factor,
            frequency: *frequency,
        });
        let workload = (turn.workload != 0).then(|| Bit {
            index: WORKLOADS + usize::from(turn.workload - 1) % 128,
            weight: WORKLOAD_WEIGHT,
            frequency: 0,
        });
        lanes.chain(sets).chain(workload)
    }

    /// What the bits of a turn are expected to have in common with any turn, weighted, less the same for no bits at all.
    pub(crate) fn expected(&self, turn: &Structure) -> i64 {
        i64::from(turn.expected) - self.nothing
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
