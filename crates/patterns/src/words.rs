//! What words tell apart: how rare each is among the texts of a workspace, and texts as directions.
//!
//! Rarity is learned from the store now and then (see `Store::learn_when_due`), so that no word list comes with the program. A
//! text is then a direction in a few dimensions: every word adds its rarity to two of them, for or against.

use crate::said::Said;

/// The dimensions in which texts are compared.
pub(crate) const DIMENSIONS: usize = 64;

/// The length of every direction: short enough that one word alone fits its two dimensions, and such that the product of
/// a direction with itself is one, with fifteen binary places.
pub(crate) const LENGTH: i64 = 181;

/// How many numbers words have.
const NUMBERS: usize = 1 << 16;

/// Words of fewer texts say nothing about other texts yet.
const FEWEST_TEXTS: u32 = 2;

/// The rarity of every word before anything was learned: as if half of all texts had it.
const ALIKE: u16 = 1 << 8;

/// One, with fifteen binary places.
pub(crate) const ONE: i64 = 1 << 15;

/// A direction. Each part fits a byte; two bytes are what a processor multiplies many of at once.
pub(crate) type Direction = [i16; DIMENSIONS];

/// How rare each word is: `log2((texts + 1) / (texts with it + 1))` with eight binary places, nothing for words that say
/// nothing.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Words {
    /// By number; empty while all are alike.
    all: Vec<Word>,
    /// How many say something.
    known: usize,
}

/// A word as one of all numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Word {
    rarity: u16,
    /// Its place among those that say something.
    place: u16,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.known()).finish()
    }
}

impl Words {
    /// Counts the words of all texts, each as often as it came.
    pub(crate) fn learn<'a>(texts: impl Iterator<Item = (&'a (impl Said + 'a), u32)>) -> Self {
        let mut all = 0_u32;
        let mut with = vec![0_u32; NUMBERS];
        for (text, times) in texts {
            all = all.saturating_add(times);
            for number in text.numbers() {
                if let Some(count) = with.get_mut(usize::from(number)) {
                    *count = count.saturating_add(times);
                }
            }
        }
        let all = logarithm(u64::from(all) + 1);
        let rarity = |with: &u32| {
            if *with < FEWEST_TEXTS { 0 } else { all.saturating_sub(logarithm(u64::from(*with) + 1)) }
        };
        let known = (0..=u16::MAX).zip(with.iter().map(rarity)).filter(|(_, rarity)| *rarity != 0);
        // Without any rarity left it is the same as before the first text.
        Self::from_known(&known.collect::<Vec<_>>())
    }

    /// The rarities that are not nothing, by number: what is kept of them.
    pub(crate) fn known(&self) -> Vec<(u16, u16)> {
        let all = (0..=u16::MAX).zip(&self.all);
        all.filter(|(_, word)| word.rarity != 0).map(|(number, word)| (number, word.rarity)).collect()
    }

    /// The same rarities again.
    pub(crate) fn from_known(known: &[(u16, u16)]) -> Self {
        let mut all = vec![Word::default(); if known.is_empty() { 0 } else { NUMBERS }];
        for (place, (number, rarity)) in (0..=u16::MAX).zip(known) {
            if let Some(word) = all.get_mut(usize::from(*number)) {
                *word = Word { rarity: *rarity, place };
            }
        }
        Self { all, known: known.len() }
    }

    /// How many words say something: their places are below.
    pub(crate) const fn places(&self) -> usize {
        if self.all.is_empty() { NUMBERS } else { self.known }
    }

    /// A word. While none is known to have come twice, all are alike.
    fn word(&self, number: u16) -> Word {
        if self.all.is_empty() {
            return Word { rarity: ALIKE, place: number };
        }
        self.all.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// The rarity of a word.
    fn rarity(&self, number: u16) -> u16 {
        self.word(number).rarity
    }

    /// Lists the words of a text that say something, by their places, each with its share: the squares of all shares sum
    /// up to one.
    pub(crate) fn shares(&self, text: &impl Said, shares: &mut Vec<(u16, i64)>) {
        shares.clear();
        shares.reserve(text.numbers().size_hint().0);
        let mut squares = 0;
        text.numbers().map(|number| self.word(number)).filter(|word| word.rarity != 0).for_each(|word| {
            squares += i64::from(word.rarity).pow(2);
            shares.push((word.place, i64::from(word.rarity)));
        });
        // Never nothing where there is a share.
        let length = squares.isqrt().max(1);
        for (_, share) in shares {
            *share = *share * ONE / length;
        }
    }

    /// The direction of a text, from its words without the pairs, which would only blur it; all zeros when none of
    /// them says anything.
    pub(crate) fn direction(&self, text: &impl Said) -> Direction {
        let mut sums = [0_i64; DIMENSIONS];
        for number in text.words() {
            let rarity = i64::from(self.rarity(number));
            for (dimension, sign) in spread(number) {
                sums[dimension] += sign * rarity;
            }
        }
        direction(&sums)
    }
}

/// The direction of any vector.
///
/// Parts are divided as floating-point numbers, of which a processor divides several at once. No part differs from that of
/// whole numbers: what is divided has fewer than 37 bits and what by fewer than 33, so a quotient below the next whole
/// number, which stays below 400, is too far below it to be rounded up.
#[expect(clippy::cast_precision_loss, reason = "at most 36 bits")]
#[expect(clippy::cast_possible_truncation, reason = "clamped to what fits, without what is behind the point")]
pub(crate) fn direction(sums: &[i64; DIMENSIONS]) -> Direction {
    // Thirty bits are more than enough for parts of a byte, and their squares fit.
    let largest = sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap_or(0);
    let shift = (64 - largest.leading_zeros()).saturating_sub(28);
    let squares: u64 = sums.iter().map(|sum| (sum.unsigned_abs() >> shift).pow(2)).sum();
    let length = squares.isqrt().max(1) as f64;
    let mut direction = [0; DIMENSIONS];
    for (part, sum) in direction.iter_mut().zip(sums) {
        *part = (((sum >> shift) * LENGTH) as f64 / length).clamp(-127.0, 127.0) as i16;
    }
    direction
}

/// The two dimensions of a word, and whether it speaks for or against.
fn spread(number: u16) -> [(usize, i64); 2] {
    let bits = mixed(u64::from(number));
    let sign = |bit: u64| if bits >> bit & 1 == 0 { 1 } else { -1 };
    // Both fit, being small; they differ, so one word alone is never longer than a dimension holds.
    let first = usize::try_from(bits % 64).unwrap_or_default();
    let apart = usize::try_from(bits / 64 % 63).unwrap_or_default();
    [(first, sign(40)), ((first + 1 + apart) % DIMENSIONS, sign(41))]
}

/// `log2(number)` with eight binary places, from a number of at least 1.
pub(crate) fn logarithm(number: u64) -> u16 {
    let whole = number.max(1).ilog2();
    // From 1 to 2, with thirty-two binary places; squaring it doubles the logarithm.
    let mut rest = (u128::from(number.max(1)) << 32) >> whole;
    let mut places = 0_u32;
    for _ in 0..8 {
        rest = (rest * rest) >> 32;
        places <<= 1;
        if 2 << 32 <= rest {
            rest >>= 1;
            places |= 1;
        }
    }
    // At most 63 and its places.
    u16::try_from(whole << 8 | places).unwrap_or(u16::MAX)
}

/// A step of splitmix64: neighbouring numbers have nothing to do with each other.
pub(crate) const fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The cosine of two directions, with fifteen binary places: from -1 to 1, and just not 1.
///
/// The sum cannot overflow; saying so, and adding the products of neighbours first as processors do, lets the compiler
/// take eight parts at once.
#[inline]
pub(crate) fn cosine(one: &Direction, other: &Direction) -> i16 {
    let mut sums = [0_i32; 4];
    for (one, other) in one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0) {
        let product = |place: usize| i32::from(one[place]).wrapping_mul(i32::from(other[place]));
        for (pair, sum) in sums.iter_mut().enumerate() {
            *sum = sum.wrapping_add(product(2 * pair).wrapping_add(product(2 * pair + 1)));
        }
    }
    let product = sums.into_iter().fold(0, i32::wrapping_add);
    #[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
    let cosine = product.clamp(-32_767, 32_767) as i16;
    cosine
}
