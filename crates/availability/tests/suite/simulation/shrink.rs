//! Shortens a script while it still has a disagreement.

use super::{
    comparison::{Disagreement, compare},
    model::Thresholds,
    trace::{Action, Step},
};

/// Returns the shortest script found that still has a disagreement, with that disagreement: steps are removed, then times
/// are moved closer together, until neither succeeds. Panics if `steps` has no disagreement.
pub(crate) fn shrink(steps: &[Step], thresholds: Thresholds) -> (Vec<Step>, Disagreement) {
    let mut short = steps.to_vec();
    let mut found = compare(&short, thresholds).unwrap();
    loop {
        let before = short.clone();
        let mut size = short.len().div_ceil(2);
        while 0 < size {
            let mut start = 0;
            while start < short.len() {
                let rest = [&short[..start], &short[(start + size).min(short.len())..]].concat();
                match compare(&rest, thresholds) {
                    Some(disagreement) => (short, found) = (rest, disagreement),
                    None => start += size,
                }
            }
            size /= 2;
        }
        for index in 0..short.len() {
            for simpler in simpler(&short, index) {
                if let Some(disagreement) = compare(&simpler, thresholds) {
                    (short, found) = (simpler, disagreement);
                    break;
                }
            }
        }
        if short == before {
            return (short, found);
        }
    }
}

/// Returns scripts in which the step at `index` is simpler: earlier together with all later ones, or without the number of
/// its call.
fn simpler(steps: &[Step], index: usize) -> Vec<Vec<Step>> {
    let earliest = if index == 0 { 1_000 } else { steps[index - 1].at };
    let gap = steps[index].at.saturating_sub(earliest);
    let mut found = Vec::new();
    for less in [gap, gap / 2, 1] {
        if 0 < less && less <= gap {
            let mut moved = steps.to_vec();
            moved[index..].iter_mut().for_each(|step| step.at = step.at.saturating_sub(less));
            found.push(moved);
        }
    }
    if let Action::Call { number: Some(_), outcome, .. } = &steps[index].action
        && *outcome != crate::script::Outcome::Sent
    {
        let mut alone = steps.to_vec();
        if let Action::Call { number, .. } = &mut alone[index].action {
            *number = None;
        }
        found.push(alone);
    }
    found
}
