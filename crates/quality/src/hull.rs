//! The best that can be had at a cost by mixing what was measured: the upper hull of quality over cost.

/// The upper hull of points `(cost, quality)`, from the cheapest to the best.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hull(Vec<(f64, f64)>);

impl Hull {
    /// The hull of any points.
    pub(crate) fn of(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut points: Vec<_> = points.into_iter().collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
        let mut hull: Vec<(f64, f64)> = Vec::new();
        for point in points {
            while let [.., before, last] = hull[..]
                && 0.0 <= (last.0 - before.0) * (point.1 - before.1) - (last.1 - before.1) * (point.0 - before.0)
            {
                hull.pop();
            }
            // What costs more must bring more.
            if hull.last().is_none_or(|last| last.1 < point.1) {
                hull.push(point);
            }
        }
        Self(hull)
    }

    /// The quality at a cost: level outside of what was measured.
    pub(crate) fn at(&self, cost: f64) -> f64 {
        let next = self.0.partition_point(|point| point.0 < cost);
        match (next.checked_sub(1).and_then(|before| self.0.get(before)), self.0.get(next)) {
            (Some(before), Some(next)) => before.1 + (next.1 - before.1) * (cost - before.0) / (next.0 - before.0),
            (Some(only), None) | (None, Some(only)) => only.1,
            (None, None) => 0.0,
        }
    }

    /// The least cost of a quality; `None` when it is not reached.
    pub(crate) fn cost_of(&self, quality: f64) -> Option<f64> {
        let next = self.0.iter().position(|point| quality <= point.1)?;
        let (point, before) = (self.0[next], next.checked_sub(1).map(|before| self.0[before]));
        Some(
            before.map_or(point.0, |before| {
                before.0 + (point.0 - before.0) * (quality - before.1) / (point.1 - before.1)
            }),
        )
    }

    /// The mean quality between two costs: the area below the hull, its width put to 1.
    pub(crate) fn mean(&self, cheapest: f64, dearest: f64) -> f64 {
        if dearest <= cheapest {
            return self.at(cheapest);
        }
        let inside = self.0.iter().filter(|point| cheapest < point.0 && point.0 < dearest).copied();
        let ends = [cheapest, dearest].map(|cost| (cost, self.at(cost)));
        let corners: Vec<_> = [ends[0]].into_iter().chain(inside).chain([ends[1]]).collect();
        let area = corners.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1));
        area.sum::<f64>() / (dearest - cheapest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_below_the_line_between_others_are_dropped() {
        let hull = Hull::of([(0.0, 0.2), (0.5, 0.3), (1.0, 0.8), (0.4, 0.6), (2.0, 0.7)]);
        assert_eq!(hull.0, [(0.0, 0.2), (0.4, 0.6), (1.0, 0.8)]);
    }

    #[test]
    fn the_area_between_two_costs_is_that_of_trapezes_and_level_outside() {
        let hull = Hull::of([(1.0, 0.0), (2.0, 0.8), (4.0, 1.0)]);
        // 0.4 from 1 to 2, 1.8 from 2 to 4, and 1 from 4 to 5.
        assert!((hull.mean(1.0, 5.0) - 3.2 / 4.0).abs() < 1e-12);
        assert!((hull.at(0.0), hull.at(9.0)) == (0.0, 1.0));
    }

    #[test]
    fn a_quality_costs_what_the_mix_costs_that_reaches_it() {
        let hull = Hull::of([(1.0, 0.5), (3.0, 1.0)]);
        assert_eq!(
            [0.4, 0.5, 0.75, 1.0, 1.1].map(|quality| hull.cost_of(quality)),
            [Some(1.0), Some(1.0), Some(2.0), Some(3.0), None]
        );
    }
}
