//! Fitting of an L2-regularised logistic regression by Newton's method with conjugate gradients.

use super::sparse::SparseMatrix;

/// The Euclidean length of the gradient, relative to its length before the first step, at which the fit has converged.
const GRADIENT_TOLERANCE: f64 = 1e-4;

/// The maximum number of Newton steps.
const MAX_NEWTON_STEPS: usize = 50;

/// The maximum number of conjugate gradient steps in each Newton step.
const MAX_GRADIENT_STEPS: usize = 100;

/// The weights of a fitted logistic regression, one for each column. The last column is the intercept, which is not
/// regularised.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FittedWeights(pub(super) Vec<f64>);

/// Fits a logistic regression to `targets` from 0 to 1, one for each row. The last column of `rows` must be all ones;
/// `penalty` is the factor of the squared weights. Stops after [`MAX_NEWTON_STEPS`] steps even if the fit has not
/// converged.
pub(super) fn fit_logistic(rows: &SparseMatrix, targets: &[f64], penalty: f64) -> FittedWeights {
    let columns = rows.columns();
    let mut weights = vec![0.0; columns];
    let penalty_of = |column: usize| if column + 1 == columns { 1e-6 } else { penalty };
    let mut initial_length = None;
    for _ in 0..MAX_NEWTON_STEPS {
        let probabilities: Vec<f64> = rows.multiply(&weights).into_iter().map(sigmoid).collect();
        let residuals: Vec<f64> =
            probabilities.iter().zip(targets).map(|(probability, target)| probability - target).collect();
        let mut gradient = rows.multiply_transposed(&residuals);
        for (column, (gradient, weight)) in gradient.iter_mut().zip(&weights).enumerate() {
            *gradient += penalty_of(column) * weight;
        }
        let length = euclidean_length(&gradient);
        let initial_gradient_length = *initial_length.get_or_insert(length);
        if length <= GRADIENT_TOLERANCE * initial_gradient_length {
            break;
        }
        let curvature: Vec<f64> = probabilities.iter().map(|probability| probability * (1.0 - probability)).collect();
        let step = newton_step(rows, &curvature, &penalty_of, &gradient);
        let previous_loss = regularised_loss(rows, targets, &weights, &penalty_of);
        let slope: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
        let mut scale = 1.0;
        // Backtracking line search with the Armijo condition.
        let next_weights = loop {
            let candidate: Vec<f64> = weights.iter().zip(&step).map(|(weight, step)| weight - scale * step).collect();
            if regularised_loss(rows, targets, &candidate, &penalty_of) <= previous_loss - 1e-4 * scale * slope
                || scale < 1e-6
            {
                break candidate;
            }
            scale /= 2.0;
        };
        weights = next_weights;
    }
    FittedWeights(weights)
}

/// Computes one Newton step: solves `(rows' · curvature · rows + penalty) x = gradient` by conjugate gradients. Stops
/// when the Euclidean length of the residual is a tenth of the length of the gradient, or after [`MAX_GRADIENT_STEPS`]
/// steps.
fn newton_step(
    rows: &SparseMatrix,
    curvature: &[f64],
    penalty_of: &impl Fn(usize) -> f64,
    gradient: &[f64],
) -> Vec<f64> {
    let mut solution = vec![0.0; gradient.len()];
    let mut residual = gradient.to_vec();
    let mut direction = residual.clone();
    let mut norm_squared = residual.iter().map(|value| value * value).sum::<f64>();
    let target_norm_squared = norm_squared * 0.01;
    for _ in 0..MAX_GRADIENT_STEPS {
        if norm_squared <= target_norm_squared {
            break;
        }
        let weighted_rows: Vec<f64> =
            rows.multiply(&direction).iter().zip(curvature).map(|(value, weight)| value * weight).collect();
        let mut product = rows.multiply_transposed(&weighted_rows);
        for (column, (product, direction)) in product.iter_mut().zip(&direction).enumerate() {
            *product += penalty_of(column) * direction;
        }
        let scale = norm_squared / direction.iter().zip(&product).map(|(one, other)| one * other).sum::<f64>();
        for (index, direction) in direction.iter().enumerate() {
            solution[index] += scale * direction;
            residual[index] -= scale * product[index];
        }
        let next_norm_squared = residual.iter().map(|value| value * value).sum::<f64>();
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next_norm_squared / norm_squared * *direction;
        }
        norm_squared = next_norm_squared;
    }
    solution
}

/// Computes the loss that the fit minimises: the cross-entropy of the targets, plus half of the squared weights times
/// their penalties.
fn regularised_loss(rows: &SparseMatrix, targets: &[f64], weights: &[f64], penalty_of: &impl Fn(usize) -> f64) -> f64 {
    // ln(1 + e^x) - target · x, without overflow.
    let linear_and_target = rows.multiply(weights).into_iter().zip(targets);
    let data: f64 = linear_and_target.map(|(x, target)| x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x).sum();
    let penalty: f64 = weights.iter().enumerate().map(|(column, weight)| penalty_of(column) * weight * weight).sum();
    data + penalty / 2.0
}

/// Returns the value of the logistic function at `x`, between 0 and 1.
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the Euclidean length of a vector.
fn euclidean_length(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intercept_alone_predicts_the_mean_of_the_targets() {
        let rows = SparseMatrix::from_rows(vec![vec![(0, 1.0)]; 4], 1);
        let FittedWeights(weights) = fit_logistic(&rows, &[1.0, 1.0, 1.0, 0.0], 1.0);
        assert!((sigmoid(weights[0]) - 0.75).abs() < 1e-4);
    }

    #[test]
    fn the_gradient_is_zero_at_the_solution() {
        // Column 0 has a positive effect, column 1 a negative one; the last is all ones.
        let rows =
            SparseMatrix::from_rows([vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0), (2, 1.0)], vec![(0, 0.5), (2, 1.0)]], 3);
        let targets = [1.0, 0.0, 0.8];
        let FittedWeights(weights) = fit_logistic(&rows, &targets, 0.5);
        let residuals: Vec<f64> =
            rows.multiply(&weights).into_iter().zip(targets).map(|(x, target)| sigmoid(x) - target).collect();
        let slopes = rows.multiply_transposed(&residuals);
        assert!((slopes[0] + 0.5 * weights[0]).abs() < 1e-3 && (slopes[1] + 0.5 * weights[1]).abs() < 1e-3);
        assert!(weights[1] < 0.0 && 0.0 < weights[0]);
    }
}
