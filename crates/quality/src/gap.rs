//! The performance gap between a weak and a strong model, and the share of it that a router closes.
//!
//! Defined as in `RouteLLM`: turns go to the strong model in descending order of its predicted advantage.

use serde::Serialize;

use crate::numbers::to_f64;

/// The share of the performance gap between a weak and a strong model that a router closes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GapClosed {
    /// The share of the gap that is closed, averaged over all shares of strong calls: APGR.
    pub average: f64,
    /// The share of strong calls that closes half of the gap: CPT(50 %).
    pub half: f64,
    /// The share of strong calls that closes four fifths of the gap: CPT(80 %).
    pub four_fifths: f64,
}

/// Computes the share of the performance gap that is closed if turns go to the strong model in descending order of its
/// predicted advantage. `None` if the strong model has no advantage in total.
///
/// `turns` are pairs of predicted and observed advantage of the strong model. Turns of equal predicted advantage are
/// interpolated, so their order does not matter.
pub(crate) fn gap_closed(turns: &[(f64, f64)]) -> Option<GapClosed> {
    let gap: f64 = turns.iter().map(|turn| turn.1).sum();
    if gap <= 0.0 {
        return None;
    }
    let mut turns = turns.to_vec();
    turns.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Vertices of the curve: share of strong calls, share of the gap.
    let (mut vertices, mut calls, mut closed_gap) = (vec![(0.0, 0.0)], 0, 0.0);
    for tied_turns in turns.chunk_by(|one, other| one.0 <= other.0) {
        calls += tied_turns.len();
        closed_gap += tied_turns.iter().map(|turn| turn.1).sum::<f64>();
        vertices.push((to_f64(calls) / to_f64(turns.len()), closed_gap / gap));
    }
    let area = vertices.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1));
    let calls_for = |share: f64| {
        let crossing = vertices.windows(2).find(|pair| share <= pair[1].1);
        crossing.map_or(1.0, |pair| pair[0].0 + (pair[1].0 - pair[0].0) * (share - pair[0].1) / (pair[1].1 - pair[0].1))
    };
    Some(GapClosed { average: area.sum(), half: calls_for(0.5), four_fifths: calls_for(0.8) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_predictions_close_the_gap_early() {
        // The strong model is better on two of four turns.
        let best = gap_closed(&[(0.9, 1.0), (0.1, 0.0), (0.8, 1.0), (0.2, 0.0)]).unwrap();
        // Corners at (¼, ½), (½, 1), (¾, 1), (1, 1).
        assert!((best.average - 0.75).abs() < 1e-12);
        assert!((best.half - 0.25).abs() < 1e-12 && (best.four_fifths - 0.4).abs() < 1e-12);
    }

    #[test]
    fn equal_predictions_close_half_of_the_gap_on_average() {
        let none = gap_closed(&[(0.5, 1.0), (0.5, 0.0), (0.5, -1.0), (0.5, 1.0)]).unwrap();
        assert!((none.average - 0.5).abs() < 1e-12);
        assert!((none.half - 0.5).abs() < 1e-12 && (none.four_fifths - 0.8).abs() < 1e-12);
    }

    #[test]
    fn there_is_no_gap_if_the_strong_model_is_not_better() {
        assert_eq!(gap_closed(&[(0.5, 1.0), (0.4, -1.0)]), None);
    }
}
