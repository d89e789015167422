//! L2-regularised logistic regression, fitted by Newton's method with conjugate gradients.

use super::sparse::Sparse;

/// The norm of the gradient, relative to the first one, at which the fit has converged.
const GRADIENT: f64 = 1e-4;

/// The greatest number of Newton steps.
const STEPS: usize = 50;

/// The greatest number of conjugate gradient steps in each Newton step.
const INNER_STEPS: usize = 100;

/// A fitted regression: the weights of the columns. The last column is the intercept, which is not regularised.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted(pub(super) Vec<f64>);

/// Fits targets from 0 to 1. The last column of `rows` must be all ones.
pub(super) fn fit(rows: &Sparse, targets: &[f64], penalty: f64) -> Fitted {
    let columns = rows.columns();
    let mut weights = vec![0.0; columns];
    let held = |column: usize| if column + 1 == columns { 1e-6 } else { penalty };
    let mut first = None;
    for _ in 0..STEPS {
        let chances: Vec<f64> = rows.times(&weights).into_iter().map(chance).collect();
        let residuals: Vec<f64> = chances.iter().zip(targets).map(|(chance, target)| chance - target).collect();
        let mut gradient = rows.sum(&residuals);
        for (column, (gradient, weight)) in gradient.iter_mut().zip(&weights).enumerate() {
            *gradient += held(column) * weight;
        }
        let size = length(&gradient);
        let first = *first.get_or_insert(size);
        if size <= GRADIENT * first {
            break;
        }
        let curvature: Vec<f64> = chances.iter().map(|chance| chance * (1.0 - chance)).collect();
        let step = solve(rows, &curvature, &held, &gradient);
        let before = loss(rows, targets, &weights, &held);
        let slope: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
        let mut scale = 1.0;
        // Backtracking line search with the Armijo condition.
        let stepped = loop {
            let tried: Vec<f64> = weights.iter().zip(&step).map(|(weight, step)| weight - scale * step).collect();
            if loss(rows, targets, &tried, &held) <= before - 1e-4 * scale * slope || scale < 1e-6 {
                break tried;
            }
            scale /= 2.0;
        };
        weights = stepped;
    }
    Fitted(weights)
}

/// Solves `(rows' · curvature · rows + penalty) x = gradient` by conjugate gradients, until the norm of the residual is
/// a tenth of the gradient's.
fn solve(rows: &Sparse, curvature: &[f64], held: &impl Fn(usize) -> f64, gradient: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; gradient.len()];
    let mut residual = gradient.to_vec();
    let mut direction = residual.clone();
    let mut size = residual.iter().map(|value| value * value).sum::<f64>();
    let enough = size * 0.01;
    for _ in 0..INNER_STEPS {
        if size <= enough {
            break;
        }
        let inner: Vec<f64> =
            rows.times(&direction).iter().zip(curvature).map(|(value, weight)| value * weight).collect();
        let mut image = rows.sum(&inner);
        for (column, (image, direction)) in image.iter_mut().zip(&direction).enumerate() {
            *image += held(column) * direction;
        }
        let scale = size / direction.iter().zip(&image).map(|(one, other)| one * other).sum::<f64>();
        for (place, direction) in direction.iter().enumerate() {
            solution[place] += scale * direction;
            residual[place] -= scale * image[place];
        }
        let next = residual.iter().map(|value| value * value).sum::<f64>();
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next / size * *direction;
        }
        size = next;
    }
    solution
}

fn loss(rows: &Sparse, targets: &[f64], weights: &[f64], held: &impl Fn(usize) -> f64) -> f64 {
    // ln(1 + e^x) - target · x, without overflow.
    let all = rows.times(weights).into_iter().zip(targets);
    let data: f64 = all.map(|(x, target)| x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x).sum();
    let penalty: f64 = weights.iter().enumerate().map(|(column, weight)| held(column) * weight * weight).sum();
    data + penalty / 2.0
}

/// Returns the logistic function of `x`: a probability between 0 and 1.
pub(super) fn chance(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intercept_alone_predicts_the_mean_of_the_targets() {
        let rows = Sparse::of(vec![vec![(0, 1.0)]; 4], 1);
        let Fitted(weights) = fit(&rows, &[1.0, 1.0, 1.0, 0.0], 1.0);
        assert!((chance(weights[0]) - 0.75).abs() < 1e-4);
    }

    #[test]
    fn the_gradient_is_zero_at_the_solution() {
        // Column 0 has a positive effect, column 1 a negative one; the last is all ones.
        let rows = Sparse::of([vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0), (2, 1.0)], vec![(0, 0.5), (2, 1.0)]], 3);
        let targets = [1.0, 0.0, 0.8];
        let Fitted(weights) = fit(&rows, &targets, 0.5);
        let residuals: Vec<f64> =
            rows.times(&weights).into_iter().zip(targets).map(|(x, target)| chance(x) - target).collect();
        let slopes = rows.sum(&residuals);
        assert!((slopes[0] + 0.5 * weights[0]).abs() < 1e-3 && (slopes[1] + 0.5 * weights[1]).abs() < 1e-3);
        assert!(weights[1] < 0.0 && 0.0 < weights[0]);
    }
}
