//! [`Components`], the parts of the score of one skill.

use serde::{Deserialize, Serialize};

use crate::rate::divide_half_up;

/// Points of a full match of the request's intent.
pub(super) const MAX_INTENT: u8 = 40;
/// Points if all paths and commands of the task belong to the skill.
pub(super) const MAX_ARTIFACT: u8 = 20;
/// Points if the skill belongs to the documented stack.
pub(super) const MAX_STACK: u8 = 15;
/// Points if the skill covers a risk of the task.
pub(super) const MAX_RISK: u8 = 15;
/// The highest ambiguity penalty.
pub(super) const MAX_AMBIGUITY: u8 = 15;
/// The highest scope penalty.
pub(super) const MAX_SCOPE: u8 = 15;

/// The highest score that the components can add up to. The range of scores is 0 to 100 all the same (003 Formula).
pub const MAX_ATTAINABLE: u8 = MAX_INTENT + MAX_ARTIFACT + MAX_STACK + MAX_RISK;

/// The parts of the score of one skill for one request (003 Components). `None` for a component that does not apply,
/// because the request has no input for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Components {
    /// Match of the request's words, 0 to 40.
    pub intent: u8,
    /// Match of the paths and commands of the task, 0 to 20; `None` if the task has none.
    pub artifact: Option<u8>,
    /// 15 if the skill belongs to the documented stack, else 0; `None` if no stack is documented.
    pub stack: Option<u8>,
    /// 15 if the skill covers a risk of the request, else 0; `None` if the request has no risk.
    pub risk: Option<u8>,
    /// Penalty for a rival with the same evidence and nearly the same score, 0 to 15.
    pub ambiguity: u8,
    /// Penalty for a trivial task, 0 to 15.
    pub scope: u8,
}

/// Error of a component that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{component} is {value}, the range is 0 to {max}")]
pub struct ComponentError {
    /// Name of the component.
    pub component: &'static str,
    /// The value.
    pub value: u8,
    /// The highest value of the component.
    pub max: u8,
}

impl Components {
    /// Checks that every component is in its range.
    ///
    /// # Errors
    /// [`ComponentError`] for the first one that is not.
    pub fn check(&self) -> Result<(), ComponentError> {
        let all = [
            ("intent", self.intent, MAX_INTENT),
            ("artifact", self.artifact.unwrap_or_default(), MAX_ARTIFACT),
            ("stack", self.stack.unwrap_or_default(), MAX_STACK),
            ("risk", self.risk.unwrap_or_default(), MAX_RISK),
            ("ambiguity", self.ambiguity, MAX_AMBIGUITY),
            ("scope", self.scope, MAX_SCOPE),
        ];
        match all.into_iter().find(|(_, value, max)| value > max) {
            Some((component, value, max)) => Err(ComponentError { component, value, max }),
            None => Ok(()),
        }
    }

    /// Returns the score, 0 to 100. With `redistribute`, the points of components that do not apply are distributed over
    /// the ones that apply, in proportion; otherwise they are lost.
    pub fn score(&self, redistribute: bool) -> u8 {
        self.positive(redistribute).saturating_sub(self.ambiguity).saturating_sub(self.scope).min(100)
    }

    /// Returns the sum of the components that add to the score, 0 to 90 if they are in range.
    fn positive(&self, redistribute: bool) -> u8 {
        let optional = [(self.artifact, MAX_ARTIFACT), (self.stack, MAX_STACK), (self.risk, MAX_RISK)];
        let applicable = optional.into_iter().filter_map(|(value, max)| value.map(|value| (value, max)));
        let (mut sum, mut max) = (u64::from(self.intent), u64::from(MAX_INTENT));
        for (value, highest) in applicable {
            sum += u64::from(value);
            max += u64::from(highest);
        }
        let points =
            if redistribute { divide_half_up(sum * u64::from(MAX_ATTAINABLE), max).unwrap_or_default() } else { sum };
        u8::try_from(points).unwrap_or(u8::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates components that all apply, without penalties.
    fn all(intent: u8, artifact: u8, stack: u8, risk: u8) -> Components {
        let (artifact, stack, risk) = (Some(artifact), Some(stack), Some(risk));
        Components { intent, artifact, stack, risk, ..Components::default() }
    }

    /// SC-08, SC-09, TV-70, TV-71, TV-72, TV-73: with all four components the score is their sum, at most 90.
    #[test]
    fn the_score_is_the_sum_of_components_that_all_apply() {
        let examples = [(36, 18, 12, 10), (40, 20, 15, 15), (30, 20, 10, 9), (25, 15, 10, 5), (25, 15, 10, 4)];
        let scores = examples.map(|(intent, artifact, stack, risk)| {
            let components = all(intent, artifact, stack, risk);
            assert_eq!(components.score(true), components.score(false));
            components.score(true)
        });
        assert_eq!(scores, [76, 90, 69, 55, 54]);
        assert_eq!(MAX_ATTAINABLE, 90);
    }

    /// SC-08, SC-09: penalties are subtracted, and the score is never below 0.
    #[test]
    fn penalties_reduce_the_score_to_no_less_than_zero() {
        let components = Components { ambiguity: 10, scope: 8, ..all(36, 18, 12, 10) };
        assert_eq!(components.score(true), 58);
        assert_eq!(Components { intent: 3, ambiguity: 15, scope: 15, ..Components::default() }.score(true), 0);
    }

    /// TV-75: intent 36 alone is 81 with redistribution, and 36 by the letter of the specification.
    #[test]
    fn points_of_components_that_do_not_apply_are_redistributed() {
        let intent_alone = Components { intent: 36, ..Components::default() };
        assert_eq!((intent_alone.score(true), intent_alone.score(false)), (81, 36));
        let with_stack = Components { intent: 20, stack: Some(15), ..Components::default() };
        // 35 × 90 / 55 = 57.27
        assert_eq!((with_stack.score(true), with_stack.score(false)), (57, 35));
    }

    /// SC-10: a component out of its range is an error that names it.
    #[test]
    fn a_component_out_of_range_is_an_error() {
        assert_eq!(all(40, 20, 15, 15).check(), Ok(()));
        let error = all(41, 20, 15, 15).check().unwrap_err();
        assert_eq!(error.to_string(), "intent is 41, the range is 0 to 40");
        let components = [all(0, 21, 0, 0), all(0, 0, 16, 0), all(0, 0, 0, 16)];
        assert_eq!(components.map(|parts| parts.check().unwrap_err().component), ["artifact", "stack", "risk"]);
        let penalties = Components { ambiguity: 16, ..Components::default() };
        assert_eq!(penalties.check().unwrap_err().component, "ambiguity");
    }
}
