//! The upper convex hull of quality over cost: the best quality that a mix of the measured choices reaches at each
//! cost.

/// The upper convex hull of points of cost and quality, given by its vertices `(cost, quality)` from the cheapest to
/// the best.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hull(Vec<(f64, f64)>);

impl Hull {
    /// Computes the upper convex hull of points `(cost, quality)`, in any order.
    pub(crate) fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut points: Vec<_> = points.into_iter().collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
        let mut hull: Vec<(f64, f64)> = Vec::new();
        for point in points {
            while let [.., before, last] = hull[..]
                && 0.0 <= (last.0 - before.0) * (point.1 - before.1) - (last.1 - before.1) * (point.0 - before.0)
            {
                hull.pop();
            }
            // A point that costs more must have a greater quality.
            if hull.last().is_none_or(|last| last.1 < point.1) {
                hull.push(point);
            }
        }
        Self(hull)
    }

    /// Returns the quality that the hull reaches at a cost, interpolated between vertices. Constant outside the range
    /// of costs; 0 without points.
    pub(crate) fn quality_at(&self, cost: f64) -> f64 {
        let next_index = self.0.partition_point(|point| point.0 < cost);
        match (next_index.checked_sub(1).and_then(|index| self.0.get(index)), self.0.get(next_index)) {
            (Some(left), Some(right)) => left.1 + (right.1 - left.1) * (cost - left.0) / (right.0 - left.0),
            (Some(only), None) | (None, Some(only)) => only.1,
            (None, None) => 0.0,
        }
    }

    /// Returns the lowest cost at which a quality is reached; `None` if the hull does not reach it.
    pub(crate) fn lowest_cost_of(&self, quality: f64) -> Option<f64> {
        let next_index = self.0.iter().position(|point| quality <= point.1)?;
        let (right, left) = (self.0[next_index], next_index.checked_sub(1).map(|index| self.0[index]));
        Some(left.map_or(right.0, |left| left.0 + (right.0 - left.0) * (quality - left.1) / (right.1 - left.1)))
    }

    /// Returns the mean quality between two costs: the area below the hull, divided by its width.
    pub(crate) fn mean_quality(&self, lowest_cost: f64, highest_cost: f64) -> f64 {
        if highest_cost <= lowest_cost {
            return self.quality_at(lowest_cost);
        }
        let inner_vertices = self.0.iter().filter(|point| lowest_cost < point.0 && point.0 < highest_cost).copied();
        let ends = [lowest_cost, highest_cost].map(|cost| (cost, self.quality_at(cost)));
        let vertices: Vec<_> = [ends[0]].into_iter().chain(inner_vertices).chain([ends[1]]).collect();
        let area = vertices.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1));
        area.sum::<f64>() / (highest_cost - lowest_cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_below_the_line_between_others_are_dropped() {
        let hull = Hull::new([(0.0, 0.2), (0.5, 0.3), (1.0, 0.8), (0.4, 0.6), (2.0, 0.7)]);
        assert_eq!(hull.0, [(0.0, 0.2), (0.4, 0.6), (1.0, 0.8)]);
    }

    #[test]
    fn the_mean_is_that_of_trapezoids_and_constant_outside() {
        let hull = Hull::new([(1.0, 0.0), (2.0, 0.8), (4.0, 1.0)]);
        // 0.4 from 1 to 2, 1.8 from 2 to 4, and 1 from 4 to 5.
        assert!((hull.mean_quality(1.0, 5.0) - 3.2 / 4.0).abs() < 1e-12);
        assert!((hull.quality_at(0.0), hull.quality_at(9.0)) == (0.0, 1.0));
    }

    #[test]
    fn the_cost_of_a_quality_is_interpolated() {
        let hull = Hull::new([(1.0, 0.5), (3.0, 1.0)]);
        assert_eq!(
            [0.4, 0.5, 0.75, 1.0, 1.1].map(|quality| hull.lowest_cost_of(quality)),
            [Some(1.0), Some(1.0), Some(2.0), Some(3.0), None]
        );
    }
}
