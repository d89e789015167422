//! Ridge regression of the outcomes of one model on words and structure, in its dual form.
//!
//! With `x` the feature vector of a turn scaled to length 1, `y` the mean outcome of a row less the model's mean, and
//! `n` the number of outcomes of the row, the coefficients `a` minimise the usual ridge loss with penalty `λ / n`:
//!
//! ```text
//! prediction(x) = Σ a · (x · x_row)         over the rows of the model
//! a  ←  a + (y - prediction(x_row) - λ/n · a) / (1 + λ/n)    one row at a time (dual coordinate descent)
//! ```
//!
//! The product of two turns is 9/10 that of their TF-IDF vectors plus 1/10 the structure kernel. The state is a sum
//! over rows of coefficient times features, so it does not depend on the order in which rows were added or removed.

use crate::{
    fixed::{Fixed, Q15, Q20, Q35},
    space::FeatureSpace,
    structure::{STRUCTURE_FEATURES, Structure, StructureFeature},
    token_hashes::TokenHashes,
};

/// The weight of words in tenths; structure has the rest.
const WORD_TENTHS: i64 = 9;

/// The penalty `λ` of the ridge regression.
const RIDGE_PENALTY: Q15 = Fixed(10 * Q15::ONE.0);

/// A ridge regression of one model's outcomes, as weights of words and of structural features.
#[derive(Clone, Default)]
pub(crate) struct Regression {
    /// For each token, by its column: the sum of `coefficient · TF-IDF weight` over all rows. Empty before the first
    /// row.
    words: Vec<Q35>,
    /// For each structural feature, by its index: the sum of the coefficients of the rows that have it. Empty before
    /// the first row.
    structure: Vec<Q20>,
    /// The sum of the coefficients of all rows.
    sum: Q20,
    /// The sum of `coefficient · centring` over all rows; see
    /// [`StructureKernel::centring`](crate::structure::StructureKernel::centring).
    centring: Q35,
}

/// The feature vector of a turn: its weighted tokens and structural features, and the factor that scales them to unit
/// length. It does not depend on the model.
#[derive(Default)]
pub(crate) struct RegressionInput {
    /// Columns and TF-IDF weights of the tokens.
    words: Vec<(u16, Q15)>,
    /// The number of columns of all tokens.
    columns: usize,
    /// The structural features of the turn.
    structure: Vec<StructureFeature>,
    /// The amount that the structure kernel subtracts for this turn, see
    /// [`StructureKernel::centring`](crate::structure::StructureKernel::centring).
    centring: Q15,
    /// The factor that scales the vector to length 1; 0 for a turn without features.
    scale: Q15,
}

impl RegressionInput {
    /// Computes the feature vector of a turn from the token hashes of its message and its encoded structure.
    pub(crate) fn new(space: &FeatureSpace, text: &impl TokenHashes, structure: &Structure) -> Self {
        let mut input = Self::default();
        input.recompute(space, text, structure);
        input
    }

    /// Recomputes the feature vector for another turn, reusing the buffers. `text` has the token hashes of the turn's
    /// message, `structure` its encoded structural features.
    pub(crate) fn recompute(&mut self, space: &FeatureSpace, text: &impl TokenHashes, structure: &Structure) {
        space.idf.tf_idf_vector(text, &mut self.words);
        self.structure.clear();
        self.structure.reserve(structure.feature_count());
        space.kernel.features(structure).for_each(|feature| self.structure.push(feature));
        let word_norm: Q15 = self.words.iter().map(|(_, weight)| weight.times(*weight)).sum();
        let structure_norm = space.kernel.square_norm(structure).max(Q15::ZERO);
        let length = blend_products(word_norm, structure_norm).sqrt();
        self.scale = Q15::ratio(Q15::ONE.0, length.0);
        (self.columns, self.centring) = (space.idf.columns(), space.kernel.centring(structure));
    }
}

impl Regression {
    /// Changes the coefficient of a row in the model from `before` to `after`; `before` is 0 for a new row. `row` is
    /// the row's feature vector, which must be the same at every call.
    pub(crate) fn update(&mut self, row: &RegressionInput, before: Q20, after: Q20) {
        let change = after.times(row.scale) - before.times(row.scale);
        if change == Q20::ZERO {
            return;
        }
        if self.structure.is_empty() {
            self.words = vec![Q35::ZERO; row.columns];
            self.structure = vec![Q20::ZERO; STRUCTURE_FEATURES];
        }
        for (column, weight) in &row.words {
            self.words[usize::from(*column)] += change.wide_product(*weight);
        }
        for feature in &row.structure {
            self.structure[feature.index] += change;
        }
        self.sum += change;
        self.centring += change.wide_product(row.centring);
    }

    /// Predicts the mean outcome of a turn, as the difference from the model's mean; 0 before the first row.
    pub(crate) fn predict(&self, turn: &RegressionInput) -> Q20 {
        if self.structure.is_empty() {
            return Q20::ZERO;
        }
        let word = |(column, weight): &(u16, Q15)| self.words[usize::from(*column)].to_q20().wide_product(*weight);
        let words: Q35 = turn.words.iter().map(word).sum();
        let feature = |feature: &StructureFeature| {
            (self.structure[feature.index] - self.sum.times_floor(feature.frequency)).wide_product(feature.weight)
        };
        let structure: Q35 = turn.structure.iter().map(feature).sum::<Q35>() - self.centring;
        blend_products(words.to_q20(), structure.to_q20()).times(turn.scale)
    }

    /// Returns the coefficient of a row that minimises the loss while all other coefficients stay the same; 0 for a row
    /// without features. The regression itself changes only with [`update`](Self::update).
    pub(crate) fn fit_row(&self, row: &RegressionInput, target: RowTarget) -> Q20 {
        if row.scale == Q15::ZERO {
            return Q20::ZERO;
        }
        let penalty = RIDGE_PENALTY / i64::from(target.outcomes.max(1));
        let error = target.residual - self.predict(row);
        let gradient = error.0 * Q15::ONE.0 - penalty.0 * target.coefficient.0;
        target.coefficient + Fixed(gradient / (Q15::ONE + penalty).0)
    }
}

/// Returns the weighted mean of the product of words and the product of structure; words have a weight of
/// [`WORD_TENTHS`].
fn blend_products<const F: u32>(words: Fixed<F>, structure: Fixed<F>) -> Fixed<F> {
    (words * WORD_TENTHS + structure * (10 - WORD_TENTHS)) / 10
}

impl std::fmt::Debug for Regression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regression").field("sum", &self.sum).field("centring", &self.centring).finish_non_exhaustive()
    }
}

/// Compares weights; a regression whose weights are all 0 equals an empty one.
impl PartialEq for Regression {
    fn eq(&self, other: &Self) -> bool {
        equal_padded(&self.words, &other.words)
            && equal_padded(&self.structure, &other.structure)
            && (self.sum, self.centring) == (other.sum, other.centring)
    }
}

impl Eq for Regression {}

/// Whether two lists of numbers are equal, where the shorter one is extended with zeros.
fn equal_padded<const F: u32>(left: &[Fixed<F>], right: &[Fixed<F>]) -> bool {
    let (shorter, longer) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let (start, rest) = longer.split_at(shorter.len());
    shorter == start && rest.iter().all(|number| *number == Fixed::ZERO)
}

/// The observed outcome to which the coefficient of a row is fitted, with its present coefficient.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowTarget {
    /// The mean outcome of the row less the mean outcome of the model.
    pub(crate) residual: Q20,
    /// The number of outcomes in the row.
    pub(crate) outcomes: u32,
    /// The present coefficient of the row, from which the fit starts.
    pub(crate) coefficient: Q20,
}
