//! Fitting of an L2-regularised logistic regression by Newton's method with conjugate gradients.

use super::sparse::SparseMatrix;

/// The norm of the gradient, relative to that of the first step, at which the fit has converged.
const GRADIENT_TOLERANCE: f64 = 1e-4;

/// The limit of Newton steps.
const MAX_NEWTON_STEPS: usize = 50;

/// The limit of conjugate gradient steps in each Newton step.
const MAX_GRADIENT_STEPS: usize = 100;

/// The weights of the columns. The last column is the intercept, which is not regularised.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FittedWeights(pub(super) Vec<f64>);

/// Fits weights to targets from 0 to 1, one for each row. The last column of `rows` must be all ones; `penalty` is that
/// of the squared weights. Stops at the limits of steps even if the fit has not converged.
pub(super) fn fit(rows: &SparseMatrix, targets: &[f64], penalty: f64) -> FittedWeights {
    let columns = rows.columns();
    let mut weights = vec![0.0; columns];
    let penalty_of = |column: usize| if column + 1 == columns { 1e-6 } else { penalty };
    let mut first = None;
    for _ in 0..MAX_NEWTON_STEPS {
        let probabilities: Vec<f64> = rows.times(&weights).into_iter().map(sigmoid).collect();
        let residuals: Vec<f64> =
            probabilities.iter().zip(targets).map(|(probability, target)| probability - target).collect();
        let mut gradient = rows.transposed_times(&residuals);
        for (column, (gradient, weight)) in gradient.iter_mut().zip(&weights).enumerate() {
            *gradient += penalty_of(column) * weight;
        }
        let norm = length(&gradient);
        let first_norm = *first.get_or_insert(norm);
        if norm <= GRADIENT_TOLERANCE * first_norm {
            break;
        }
        let curvature: Vec<f64> = probabilities.iter().map(|probability| probability * (1.0 - probability)).collect();
        let step = solve(rows, &curvature, &penalty_of, &gradient);
        let before = loss(rows, targets, &weights, &penalty_of);
        let slope: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
        let mut scale = 1.0;
        // Backtracking line search with the Armijo condition.
        let next_weights = loop {
            let candidate: Vec<f64> = weights.iter().zip(&step).map(|(weight, step)| weight - scale * step).collect();
            if loss(rows, targets, &candidate, &penalty_of) <= before - 1e-4 * scale * slope || scale < 1e-6 {
                break candidate;
            }
            scale /= 2.0;
        };
        weights = next_weights;
    }
    FittedWeights(weights)
}

/// Solves `(rows' · curvature · rows + penalty) x = gradient` by conjugate gradients, until the norm of the residual is
/// a tenth of the gradient's.
fn solve(rows: &SparseMatrix, curvature: &[f64], penalty_of: &impl Fn(usize) -> f64, gradient: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; gradient.len()];
    let mut residual = gradient.to_vec();
    let mut direction = residual.clone();
    let mut norm = residual.iter().map(|value| value * value).sum::<f64>();
    let target_norm = norm * 0.01;
    for _ in 0..MAX_GRADIENT_STEPS {
        if norm <= target_norm {
            break;
        }
        let inner: Vec<f64> =
            rows.times(&direction).iter().zip(curvature).map(|(value, weight)| value * weight).collect();
        let mut product = rows.transposed_times(&inner);
        for (column, (product, direction)) in product.iter_mut().zip(&direction).enumerate() {
            *product += penalty_of(column) * direction;
        }
        let scale = norm / direction.iter().zip(&product).map(|(one, other)| one * other).sum::<f64>();
        for (index, direction) in direction.iter().enumerate() {
            solution[index] += scale * direction;
            residual[index] -= scale * product[index];
        }
        let next = residual.iter().map(|value| value * value).sum::<f64>();
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next / norm * *direction;
        }
        norm = next;
    }
    solution
}

/// Returns the loss that the fit minimises: the cross-entropy of the targets, plus half of the penalties times the
/// squared weights.
fn loss(rows: &SparseMatrix, targets: &[f64], weights: &[f64], penalty_of: &impl Fn(usize) -> f64) -> f64 {
    // ln(1 + e^x) - target · x, without overflow.
    let all = rows.times(weights).into_iter().zip(targets);
    let data: f64 = all.map(|(x, target)| x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x).sum();
    let penalty: f64 = weights.iter().enumerate().map(|(column, weight)| penalty_of(column) * weight * weight).sum();
    data + penalty / 2.0
}

/// Returns the logistic function of `x`.
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the Euclidean length of a vector.
fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intercept_alone_predicts_the_mean_of_the_targets() {
        let rows = SparseMatrix::from_rows(vec![vec![(0, 1.0)]; 4], 1);
        let FittedWeights(weights) = fit(&rows, &[1.0, 1.0, 1.0, 0.0], 1.0);
        assert!((sigmoid(weights[0]) - 0.75).abs() < 1e-4);
    }

    #[test]
    fn the_gradient_is_zero_at_the_solution() {
        // Column 0 has a positive effect, column 1 a negative one; the last is all ones.
        let rows =
            SparseMatrix::from_rows([vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0), (2, 1.0)], vec![(0, 0.5), (2, 1.0)]], 3);
        let targets = [1.0, 0.0, 0.8];
        let FittedWeights(weights) = fit(&rows, &targets, 0.5);
        let residuals: Vec<f64> =
            rows.times(&weights).into_iter().zip(targets).map(|(x, target)| sigmoid(x) - target).collect();
        let slopes = rows.transposed_times(&residuals);
        assert!((slopes[0] + 0.5 * weights[0]).abs() < 1e-3 && (slopes[1] + 0.5 * weights[1]).abs() < 1e-3);
        assert!(weights[1] < 0.0 && 0.0 < weights[0]);
    }
}
