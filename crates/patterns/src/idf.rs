//! Inverse document frequencies of the words of a workspace, and the vectors they weight (TF-IDF).
//!
//! The inverse document frequency of a token is `log2((texts + 1) / (texts with it + 1))`. It is estimated from the
//! store itself from time to time (see `Store::estimate_space`), so no word list is shipped. A text becomes
//!
//! - a sparse vector of token weights with length 1, for the regression; and
//! - a [`UnitVector`], a sparse random projection of the weights of its words to 64 dimensions, for the search: each
//!   word adds its weight to, or subtracts it from, two dimensions that its hash selects.

use crate::{
    fixed::{Fixed, Log2, Q15},
    hash::mix_bits,
    token_hashes::TokenHashes,
    unit_vector::{DIMENSIONS, UnitVector, scale_to_unit},
};

/// The number of possible 16-bit token hashes.
const HASHES: usize = 1 << 16;

/// The number of turns whose texts a token must occur in to have a weight.
const MIN_TEXTS: u32 = 2;

/// The weight of every token before the first estimate: 1, as if half of all texts contained it.
const DEFAULT_WEIGHT: Log2 = Log2(1 << 8);

/// The inverse document frequency of each token hash, estimated from the texts of a workspace.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Idf {
    /// The weight of each token, by hash. Empty before any token has a weight; every token then has [`DEFAULT_WEIGHT`].
    tokens: Vec<Token>,
    /// The number of tokens with a weight other than 0.
    weighted: usize,
}

/// The weight and the column of a token; both are 0 for a token without weight.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Token {
    /// The inverse document frequency; 0 for a token in fewer than [`MIN_TEXTS`] texts or in all texts.
    weight: Log2,
    /// The index of the token among the tokens with a weight.
    column: u16,
}

impl std::fmt::Debug for Idf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.entries()).finish()
    }
}

impl Idf {
    /// Estimates the inverse document frequency of each token hash from texts, each with the number of turns that have
    /// this text. A token in fewer than [`MIN_TEXTS`] turns has no weight.
    pub(crate) fn estimate<'a>(texts: impl Iterator<Item = (&'a (impl TokenHashes + 'a), u32)>) -> Self {
        let mut total = 0_u32;
        let mut texts_with = vec![0_u32; HASHES];
        for (text, occurrences) in texts {
            total = total.saturating_add(occurrences);
            for hash in text.hashes() {
                if let Some(count) = texts_with.get_mut(usize::from(hash)) {
                    *count = count.saturating_add(occurrences);
                }
            }
        }
        let log_total = Log2::from_integer(u64::from(total) + 1);
        let weight = |count: u32| {
            if count < MIN_TEXTS { Log2(0) } else { log_total.saturating_sub(Log2::from_integer(u64::from(count) + 1)) }
        };
        let weights = (0..=u16::MAX).zip(texts_with.into_iter().map(weight));
        Self::from_entries(&weights.filter(|(_, weight)| weight.0 != 0).collect::<Vec<_>>())
    }

    /// Returns hash and weight of every token whose weight is not 0, ordered by hash. This is the serialised form.
    pub(crate) fn entries(&self) -> Vec<(u16, Log2)> {
        let tokens = (0..=u16::MAX).zip(&self.tokens);
        tokens.filter(|(_, token)| token.weight.0 != 0).map(|(hash, token)| (hash, token.weight)).collect()
    }

    /// Restores the weights from the serialised form, see [`entries`](Self::entries).
    pub(crate) fn from_entries(entries: &[(u16, Log2)]) -> Self {
        let mut tokens = vec![Token::default(); if entries.is_empty() { 0 } else { HASHES }];
        for (column, (hash, weight)) in (0..=u16::MAX).zip(entries) {
            if let Some(token) = tokens.get_mut(usize::from(*hash)) {
                *token = Token { weight: *weight, column };
            }
        }
        Self { tokens, weighted: entries.len() }
    }

    /// Returns the number of columns of the vectors that [`tf_idf_vector`](Self::tf_idf_vector) computes: every
    /// possible hash before the first estimate, then one for each token with a weight.
    pub(crate) const fn columns(&self) -> usize {
        if self.tokens.is_empty() { HASHES } else { self.weighted }
    }

    /// Returns the weight and the column of a token, given by its hash. Before the first estimate every token has
    /// [`DEFAULT_WEIGHT`], and its hash is its column.
    fn token(&self, hash: u16) -> Token {
        if self.tokens.is_empty() {
            return Token { weight: DEFAULT_WEIGHT, column: hash };
        }
        self.tokens.get(usize::from(hash)).copied().unwrap_or_default()
    }

    /// Computes the sparse TF-IDF vector of a text, scaled to length 1, as pairs of column and weight. Replaces the
    /// contents of `weights`; without a token of known weight it becomes empty.
    pub(crate) fn tf_idf_vector(&self, text: &impl TokenHashes, weights: &mut Vec<(u16, Q15)>) {
        weights.clear();
        weights.reserve(text.hashes().size_hint().0);
        let mut square_sum = 0;
        text.hashes().map(|hash| self.token(hash)).filter(|token| token.weight.0 != 0).for_each(|token| {
            let weight = i64::from(token.weight.0);
            square_sum += weight.pow(2);
            weights.push((token.column, Fixed(weight)));
        });
        // Not 0 if there is any weight.
        let length = square_sum.isqrt();
        for (_, weight) in weights {
            *weight = Q15::ratio(weight.0, length);
        }
    }

    /// Projects the words of a text to a [`UnitVector`]: the sum of their weighted rows of a fixed random matrix,
    /// scaled to unit length. Zero if no word has a weight.
    ///
    /// Word pairs are omitted: in 64 dimensions they add more noise than information.
    pub(crate) fn project_words(&self, text: &impl TokenHashes) -> UnitVector {
        let mut sums = [0_i64; DIMENSIONS];
        for hash in text.words() {
            let weight = i64::from(self.token(hash).weight.0);
            for (dimension, sign) in projection_row(hash) {
                sums[dimension] += sign * weight;
            }
        }
        scale_to_unit(&sums)
    }
}

/// Returns the two non-zero entries of a token's row in the random projection matrix, as dimension and sign.
fn projection_row(hash: u16) -> [(usize, i64); 2] {
    let bits = mix_bits(u64::from(hash));
    let sign = |bit: u64| if bits >> bit & 1 == 0 { 1 } else { -1 };
    // Both are below 64. The dimensions differ, so that the vector of a single word fits `i8`.
    let first = usize::try_from(bits % 64).unwrap_or_default();
    let distance = usize::try_from(bits / 64 % 63).unwrap_or_default();
    [(first, sign(40)), ((first + 1 + distance) % DIMENSIONS, sign(41))]
}
