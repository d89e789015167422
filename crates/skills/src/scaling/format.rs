//! Formats a scaling report as text for a terminal of 80 columns.

use std::fmt;

use super::roadmap::{Condition, ConditionKind, Phase, ScalingReport};

impl Phase {
    /// Returns the parts of the routing architecture in this phase.
    pub const fn architecture(self) -> &'static str {
        match self {
            Self::Keywords => "keywords",
            Self::EnhancedKeywords => "keywords with negative keywords, priorities, compounds",
            Self::Tree => "keywords and a decision tree",
            Self::Llm => "keywords, a decision tree, and a model that is asked",
            Self::Full => "all layers",
        }
    }
}

impl ConditionKind {
    /// Returns the name of the condition in a report.
    const fn name(self) -> &'static str {
        match self {
            Self::Collisions => "collisions of keywords",
            Self::FalseNegatives => "missed skills",
            Self::UserOverrides => "skills that the user named",
            Self::TreeFailures => "requests that the tree does not resolve",
            Self::NovelRequests => "requests that no keyword or row matches",
            Self::TableTokens => "length of the trigger table in tokens",
        }
    }
}

/// Formats the condition with its value and its threshold.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let met = if self.met { "met" } else { "not met" };
        write!(f, "{met:<8} {}: ", self.kind.name())?;
        match self.kind {
            ConditionKind::Collisions => write!(f, "{}, at least {}", self.value.count, self.threshold),
            ConditionKind::TableTokens => write!(f, "{}, above {}", self.value.count, self.threshold),
            _ => write!(f, "{}, above {} %", self.value, self.threshold),
        }
    }
}

/// Formats the phase, and the conditions of the next one with the recommendation.
impl fmt::Display for ScalingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Phase {} of 4: {}.", self.phase.number(), self.phase.architecture())?;
        let plural = if self.skills == 1 { "" } else { "s" };
        writeln!(
            f,
            "It is meant for {} skills; the index has {} skill{plural}.",
            self.phase.skill_range(),
            self.skills
        )?;
        let Some(next) = &self.next else { return writeln!(f, "It is the last phase.") };
        writeln!(f, "\nNext, phase {}: {}.", next.to.number(), next.to.architecture())?;
        for condition in &next.conditions {
            writeln!(f, "  {condition}")?;
        }
        let advice = if next.recommended { "Recommended" } else { "Not recommended" };
        match next.conditions.len() {
            0 => writeln!(f, "{advice}; it has no measured condition."),
            all => writeln!(f, "{advice}: {} of {all} conditions met, {} required.", next.met, next.required),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        counts::RoutingCounts,
        roadmap::{RoutingArchitecture, ScalingReport, ScalingThresholds, TableSize},
    };

    /// SK-78, SK-79, SK-80, SK-85: a report shows the phase and the conditions of the next one.
    #[test]
    fn a_report_shows_the_conditions_of_the_next_phase() {
        let counts = RoutingCounts {
            decisions: 100,
            named_by_user: 30,
            corrected: 11,
            invocations: 100,
            ..RoutingCounts::default()
        };
        let table = TableSize { skills: 12, collisions: 10, tokens: 982 };
        let reports = [(true, false, false), (true, true, false), (false, false, false), (true, true, true)];
        let reports = reports.map(|(enhanced_table, tree, llm)| {
            let architecture = RoutingArchitecture { enhanced_table, tree, llm };
            ScalingReport::new(architecture, table, &counts, &ScalingThresholds::default()).to_string()
        });
        let text = reports.join("\n");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }
}
