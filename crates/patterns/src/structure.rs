//! The similarity of the structural features of two turns: a centred kernel over binary features.
//!
//! Every structural feature is a binary feature ("has `.rs`", "at least three options"). With `p` the share of turns
//! that have a feature, and `b`, `b'` whether two turns have it, the kernel is
//!
//! ```text
//! k = Σ w (b - p)(b' - p),   w = share of the group / Σ p (1 - p) over the group
//! ```
//!
//! A rare feature in common adds more than a frequent one, and a feature of all turns adds nothing. Unrelated turns
//! have a similarity of 0 on average, a turn with itself 1. There are two groups, levels and sets, with a share of one
//! half each.
//!
//! Multiplied out, `k = Σ w b b' - Σ w p b - Σ w p b' + Σ w p²`: the first sum counts the features in common, the
//! second and third are precomputed for each turn, the last is a constant.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    fixed::{Fixed, Q15},
    levels::{LEVELS, MAX_LEVEL},
};

/// The number of levels, rounded up to the width of a SIMD register.
const LANES: usize = LEVELS.next_multiple_of(16);

/// The number of values of a level, 0 included.
const LEVEL_VALUES: usize = MAX_LEVEL as usize + 1;

/// The number of features that are sets of strings: extensions, tools, directories.
pub(crate) const SETS: usize = 3;

/// The number of bits in the mask of a set of strings.
const BITS_OF_SET: usize = 128;

/// The greatest variance `p (1 - p)` of a feature that is dropped, because nearly all or nearly no turns have it.
const MAX_DROPPED_VARIANCE: Q15 = Fixed(Q15::ONE.0 / 100);

/// The weight of the workload in the regression; all other structural features together weigh 1.
const WORKLOAD_WEIGHT: Q15 = Fixed(3 * Q15::ONE.0);

/// The index of the first set feature, after the levels.
const FIRST_SET_BIT: usize = LEVELS * LEVEL_VALUES;

/// The index of the first workload feature, after the sets.
const FIRST_WORKLOAD: usize = FIRST_SET_BIT + SETS * BITS_OF_SET;

/// The number of binary features: levels, sets, workloads.
pub(crate) const STRUCTURE_FEATURES: usize = FIRST_WORKLOAD + 128;

/// The number of set features that are compared; those of the greatest variance are selected.
const MAX_COMPARED_SET_BITS: usize = 64;

/// The structural features of one turn, encoded for fast comparison by a [`StructureKernel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Structure {
    /// For each level, the number of compared features "at least n" that the turn has.
    lanes: [u8; LANES],
    /// A bit mask of the compared set features that the turn has.
    sets: u64,
    /// The sum `Σ w p b` as a [`Q15`]: the part of the kernel that depends on this turn alone.
    offset: i32,
    /// The number of the workload (a kind of task named by the caller) in the store's vocabulary, from 1; 0 if the turn
    /// has none.
    workload: u8,
}

impl Structure {
    /// Returns the number of binary features that the turn has.
    pub(crate) fn feature_count(&self) -> usize {
        let levels: usize = self.lanes.iter().map(|reached| usize::from(*reached)).sum();
        // At most 64.
        levels + self.sets.count_ones() as usize + usize::from(self.workload != 0)
    }

    /// Returns the term `Σ w p b` of the kernel, which depends on this turn alone.
    fn offset(&self) -> Q15 {
        Fixed(i64::from(self.offset))
    }
}

/// The structural features of a fingerprint, before a [`StructureKernel`] encodes them.
#[derive(Clone, Copy)]
pub(crate) struct StructureInput {
    /// The ordinal features.
    pub(crate) levels: [u8; LEVELS],
    /// The sets of extensions, tools and directories as bit masks.
    pub(crate) sets: [u128; SETS],
    /// The number of the workload (a kind of task named by the caller) in the store's vocabulary, from 1; 0 if the turn
    /// has none.
    pub(crate) workload: u8,
    /// The number of turns with these features.
    pub(crate) turns: u32,
}

/// The sums over the compared features of one group (levels or sets), and the weight that these features have in
/// common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FeatureGroup {
    /// The sum `Σ p²`.
    square_sum: Q15,
    /// The sum `Σ p (1 - p)`, which is the average of a turn's product with itself.
    variance: Q15,
    /// The weight `w` of each feature; 0 if no feature varies.
    weight: Q15,
}

/// The kernel estimated from the turns of a workspace: the features that are compared with their frequencies, and the
/// constants computed from them. The default kernel compares no features.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct StructureKernel {
    /// Index and frequency (as a [`Q15`]) of each compared feature. This is the serialised form; all other fields
    /// follow from it.
    frequencies: Vec<(u16, u16)>,
    /// For each value of each level: the number of compared features it implies, and the sum of their frequencies.
    steps: Vec<(u8, Q15)>,
    /// The frequencies of the compared level features: for each lane those of its first, second, … compared feature.
    level_frequencies: Vec<Q15>,
    /// Index and frequency of each compared set feature, in the order of the bits of [`Structure::sets`].
    set_frequencies: Vec<(usize, Q15)>,
    /// The sum `Σ w p²`.
    constant: Q15,
    /// The sums and the weight of the level features.
    levels: FeatureGroup,
    /// The sums and the weight of the set features.
    sets: FeatureGroup,
}

impl std::fmt::Debug for StructureKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.frequencies.iter().copied()).finish()
    }
}

impl StructureKernel {
    /// Estimates the frequency of every feature from turns, and selects the features to compare: drops those with a
    /// variance of at most [`MAX_DROPPED_VARIANCE`], and all but [`MAX_COMPARED_SET_BITS`] set features. Without turns,
    /// no feature is compared.
    pub(crate) fn estimate(turns: impl Iterator<Item = StructureInput>) -> Self {
        let (total, mut counts) = count_features(turns);
        drop_implied_levels(&mut counts);
        let frequency = |count: i64| Fixed(count.saturating_mul(Q15::ONE.0) / total.max(1));
        let varies = |frequency: Q15| MAX_DROPPED_VARIANCE < variance(frequency);
        let frequencies = (0..).zip(counts).map(|(index, count)| (index, frequency(count))).filter(|(_, p)| varies(*p));
        let (levels, mut sets): (Vec<(u16, Q15)>, Vec<_>) =
            frequencies.partition(|(index, _)| usize::from(*index) < FIRST_SET_BIT);
        sets.sort_by_key(|(index, p)| (Reverse(p.0 * (Q15::ONE - *p).0), *index));
        sets.truncate(MAX_COMPARED_SET_BITS);
        sets.sort_unstable();
        let frequencies = levels.into_iter().chain(sets);
        // A frequency is at most 1, which fits.
        let frequencies = frequencies.map(|(index, p)| (index, u16::try_from(p.0).unwrap_or(u16::MAX)));
        Self::from_frequencies(frequencies.collect())
    }

    /// Returns index and frequency of every compared feature. This is the serialised form.
    pub(crate) fn frequencies(&self) -> &[(u16, u16)] {
        &self.frequencies
    }

    /// Restores a kernel from the serialised form, see [`frequencies`](Self::frequencies).
    pub(crate) fn from_frequencies(frequencies: Vec<(u16, u16)>) -> Self {
        if frequencies.is_empty() {
            return Self::default();
        }
        let mut kernel = Self {
            steps: vec![(0, Q15::ZERO); FIRST_SET_BIT],
            level_frequencies: vec![Q15::ZERO; FIRST_SET_BIT],
            ..Self::default()
        };
        let by_index: BTreeMap<usize, Q15> =
            frequencies.iter().map(|(index, p)| (usize::from(*index), Fixed(i64::from(*p)))).collect();
        for lane in 0..LEVELS {
            let first = lane * LEVEL_VALUES;
            let (mut reached, mut sum) = (0_u8, Q15::ZERO);
            for index in first..first + LEVEL_VALUES {
                if let Some(p) = by_index.get(&index) {
                    kernel.level_frequencies[first + usize::from(reached)] = *p;
                    kernel.levels.add(*p);
                    reached += 1;
                    sum += *p;
                }
                kernel.steps[index] = (reached, sum);
            }
        }
        for (index, p) in by_index.range(FIRST_SET_BIT..) {
            kernel.set_frequencies.push((index - FIRST_SET_BIT, *p));
            kernel.sets.add(*p);
        }
        let both_vary = Q15::ZERO < kernel.levels.variance && Q15::ZERO < kernel.sets.variance;
        kernel.levels.set_weight(both_vary);
        kernel.sets.set_weight(both_vary);
        kernel.constant = weighted_sum(&kernel.levels, kernel.levels.square_sum, &kernel.sets, kernel.sets.square_sum);
        kernel.frequencies = frequencies;
        kernel
    }

    /// Encodes the structural features of a turn for comparison with others.
    pub(crate) fn encode(&self, input: &StructureInput) -> Structure {
        let mut lanes = [0; LANES];
        let mut level_sum = Q15::ZERO;
        for (lane, level) in input.levels.iter().enumerate() {
            let step = self.steps.get(lane * LEVEL_VALUES + usize::from((*level).min(MAX_LEVEL)));
            let (reached, sum) = step.copied().unwrap_or_default();
            lanes[lane] = reached;
            level_sum += sum;
        }
        let (mut sets, mut set_sum) = (0, Q15::ZERO);
        for (number, (bit, p)) in self.set_frequencies.iter().enumerate() {
            if input.sets[bit / BITS_OF_SET] >> (bit % BITS_OF_SET) & 1 == 1 {
                sets |= 1 << number;
                set_sum += *p;
            }
        }
        let offset = weighted_sum(&self.levels, level_sum, &self.sets, set_sum);
        Structure { lanes, sets, offset: i32::try_from(offset.0).unwrap_or(i32::MAX), workload: input.workload }
    }

    /// Computes the similarity of two turns for the search: the kernel, plus 1 if both have the same workload.
    #[inline]
    pub(crate) fn similarity(&self, left: &Structure, right: &Structure) -> Q15 {
        let same_workload = left.workload != 0 && left.workload == right.workload;
        self.kernel(left, right) + if same_workload { Q15::ONE } else { Q15::ZERO }
    }

    /// Computes the product of a turn with itself in the regression, in which the workload weighs [`WORKLOAD_WEIGHT`].
    pub(crate) fn square_norm(&self, turn: &Structure) -> Q15 {
        self.kernel(turn, turn) + if turn.workload == 0 { Q15::ZERO } else { WORKLOAD_WEIGHT }
    }

    /// Computes the kernel `k` of two turns, without workloads; see the module documentation.
    #[inline]
    fn kernel(&self, left: &Structure, right: &Structure) -> Q15 {
        // At most 31 in each of some dozens of lanes, so the sum cannot overflow. Wrapping arithmetic lets the compiler
        // use SIMD instructions, which need an accumulator of 32 bits.
        let lanes = left.lanes.iter().zip(&right.lanes);
        let levels = lanes.fold(0_u32, |sum, (left, right)| sum.wrapping_add(u32::from(*left.min(right))));
        let sets = (left.sets & right.sets).count_ones();
        let common = self.levels.weight * i64::from(levels) + self.sets.weight * i64::from(sets);
        common - left.offset() - right.offset() + self.constant
    }

    /// Returns the binary features that a turn has, each with its weight and frequency. The kernel of the regression is
    /// the sum of `weight · (b - frequency) · (b' - frequency)` over all features, where `b` and `b'` are 1 for a turn
    /// with the feature and 0 otherwise.
    pub(crate) fn features<'a>(&'a self, turn: &'a Structure) -> impl Iterator<Item = StructureFeature> + 'a {
        let levels = turn.lanes.iter().take(LEVELS).enumerate().flat_map(move |(lane, reached)| {
            let first = lane * LEVEL_VALUES;
            (first..first + usize::from(*reached)).map(|index| StructureFeature {
                index,
                weight: self.levels.weight,
                frequency: self.level_frequencies.get(index).copied().unwrap_or_default(),
            })
        });
        let sets = self.set_frequencies.iter().enumerate().filter(|(number, _)| turn.sets >> number & 1 == 1);
        let sets = sets.map(|(_, (bit, p))| StructureFeature {
            index: FIRST_SET_BIT + bit,
            weight: self.sets.weight,
            frequency: *p,
        });
        let workload = (turn.workload != 0).then(|| StructureFeature {
            index: FIRST_WORKLOAD + usize::from(turn.workload - 1) % 128,
            weight: WORKLOAD_WEIGHT,
            frequency: Q15::ZERO,
        });
        levels.chain(sets).chain(workload)
    }

    /// Returns `Σ w p b - Σ w p²`: the part of the kernel's centring term that depends on this turn alone.
    pub(crate) fn centring(&self, turn: &Structure) -> Q15 {
        turn.offset() - self.constant
    }
}

/// One binary feature that a turn has, with the constants of the kernel for it.
pub(crate) struct StructureFeature {
    /// The index of the feature, below [`STRUCTURE_FEATURES`].
    pub(crate) index: usize,
    /// The weight `w` of the feature's group.
    pub(crate) weight: Q15,
    /// The share of turns that have the feature.
    pub(crate) frequency: Q15,
}

impl FeatureGroup {
    /// Adds a feature with this frequency to the sums.
    fn add(&mut self, frequency: Q15) {
        self.square_sum += frequency.times(frequency);
        self.variance += variance(frequency);
    }

    /// Computes the weight of each feature in the group, so that the product of a turn with itself is on average 1, or
    /// one half if `shared`. `shared` is true if both groups have features that vary.
    fn set_weight(&mut self, shared: bool) {
        let share = if shared { Q15::ONE / 2 } else { Q15::ONE };
        self.weight = Q15::ratio(share.0, self.variance.0);
    }
}

/// Returns the variance of a binary feature, `p (1 - p)`.
fn variance(frequency: Q15) -> Q15 {
    frequency.times(Q15::ONE - frequency)
}

/// Returns the sum of `level_sum` and `set_sum`, each times the weight of its group of features; rounded once.
fn weighted_sum(levels: &FeatureGroup, level_sum: Q15, sets: &FeatureGroup, set_sum: Q15) -> Q15 {
    Fixed((levels.weight.0 * level_sum.0 + sets.weight.0 * set_sum.0) / Q15::ONE.0)
}

/// Counts the turns with each level and set feature. Returns the number of turns, and the counts by index of the
/// feature.
fn count_features(turns: impl Iterator<Item = StructureInput>) -> (i64, Vec<i64>) {
    let mut total = 0_i64;
    let mut counts = vec![0_i64; FIRST_WORKLOAD];
    for turn in turns {
        let occurrences = i64::from(turn.turns);
        total += occurrences;
        for (lane, level) in turn.levels.iter().enumerate() {
            for reached in 1..=(*level).min(MAX_LEVEL) {
                counts[lane * LEVEL_VALUES + usize::from(reached)] += occurrences;
            }
        }
        for (set, mask) in turn.sets.iter().enumerate() {
            for bit in bits(*mask) {
                counts[FIRST_SET_BIT + set * BITS_OF_SET + bit] += occurrences;
            }
        }
    }
    (total, counts)
}

/// Clears the count of each level that as many turns reach as the next lower one. A turn that reaches a level reaches
/// all lower ones, so equal counts mean that no turn stops between the two, and the higher level tells nothing more.
fn drop_implied_levels(counts: &mut [i64]) {
    for lane in counts[..FIRST_SET_BIT].chunks_exact_mut(LEVEL_VALUES) {
        for level in (2..LEVEL_VALUES).rev() {
            if lane[level] == lane[level - 1] {
                lane[level] = 0;
            }
        }
    }
}

/// Returns the indexes of the bits that are set, in ascending order.
fn bits(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let bit = mask.trailing_zeros();
        mask &= mask - 1;
        usize::try_from(bit).ok()
    })
}
