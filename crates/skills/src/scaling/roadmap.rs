//! [`ScalingReport`], the phase of a workspace and the transition to the next one.

use serde::{Deserialize, Serialize};

use super::counts::RoutingCounts;
use crate::rate::Rate;

/// A phase of the routing architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Keywords only.
    Keywords,
    /// Keywords with negative keywords, priorities and compound triggers.
    EnhancedKeywords,
    /// With a decision tree.
    Tree,
    /// With a model that is asked.
    Llm,
    /// All layers, for more than 20 skills.
    Full,
}

impl Phase {
    /// Returns the number of the phase, 0 to 4.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the number of skills that the phase is meant for, such as `10-15`.
    pub const fn skill_range(self) -> &'static str {
        match self {
            Self::Keywords | Self::EnhancedKeywords => "8",
            Self::Tree => "10-15",
            Self::Llm => "15-20",
            Self::Full => "20+",
        }
    }
}

/// The number of skills above which all layers are one phase of their own.
const FULL_PHASE_SKILLS: u64 = 20;

/// The parts of the routing architecture that are in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingArchitecture {
    /// Whether the trigger table has negative keywords, priorities or compound triggers.
    pub enhanced_table: bool,
    /// Whether the decision tree is on.
    pub tree: bool,
    /// Whether a model is asked.
    pub llm: bool,
}

/// The size of the trigger table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSize {
    /// The number of skills.
    pub skills: u64,
    /// The number of collisions of keywords, exact and contained.
    pub collisions: u64,
    /// The length of the table in tokens.
    pub tokens: u64,
}

/// The thresholds of the conditions, `skills.scaling` in the policy. The defaults are those of 000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScalingThresholds {
    /// The lowest number of collisions.
    pub collisions: u64,
    /// The rate of missed skills to exceed, in percent.
    pub false_negative_percent: u64,
    /// The rate of skills that the user named to exceed, in percent.
    pub user_override_percent: u64,
    /// The rate of requests that the tree does not resolve to exceed, in percent.
    pub tree_failure_percent: u64,
    /// The rate of novel requests to exceed, in percent.
    pub novel_percent: u64,
    /// The length of the trigger table to exceed, in tokens.
    pub table_tokens: u64,
    /// The number of conditions that a transition needs.
    pub required_conditions: u64,
}

impl Default for ScalingThresholds {
    fn default() -> Self {
        Self {
            collisions: 10,
            false_negative_percent: 40,
            user_override_percent: 30,
            tree_failure_percent: 20,
            novel_percent: 15,
            table_tokens: 1_500,
            required_conditions: 2,
        }
    }
}

/// A condition of a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionKind {
    /// Collisions of keywords.
    Collisions,
    /// Missed skills.
    FalseNegatives,
    /// Skills that the user named.
    UserOverrides,
    /// Requests that the tree does not resolve.
    TreeFailures,
    /// Novel requests.
    NovelRequests,
    /// The length of the trigger table.
    TableTokens,
}

/// A condition with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The condition.
    pub kind: ConditionKind,
    /// The value: a rate, or a number with the total 1.
    pub value: Rate,
    /// The threshold: percent of a rate, or a number.
    pub threshold: u64,
    /// Whether the condition is met.
    pub met: bool,
}

/// The transition to the next phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// The next phase.
    pub to: Phase,
    /// The conditions; none for a transition that is a decision alone.
    pub conditions: Vec<Condition>,
    /// The number of conditions that are met.
    pub met: u64,
    /// The number of conditions that the transition needs.
    pub required: u64,
    /// Whether the transition is recommended.
    pub recommended: bool,
}

/// The phase of a workspace and the transition to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScalingReport {
    /// The phase.
    pub phase: Phase,
    /// The number of skills.
    pub skills: u64,
    /// The next transition; `None` in the last phase.
    pub next: Option<Transition>,
}

impl ScalingReport {
    /// Evaluates the roadmap.
    pub fn new(
        architecture: RoutingArchitecture,
        table: TableSize,
        counts: &RoutingCounts,
        thresholds: &ScalingThresholds,
    ) -> Self {
        let phase = phase(architecture, table.skills);
        let rate = |kind, value: Rate, percent| Condition {
            kind,
            value,
            threshold: percent,
            met: value.exceeds_percent(percent),
        };
        let number = |kind, value, threshold, met| Condition { kind, value: Rate::new(value, 1), threshold, met };
        let conditions = match phase {
            Phase::EnhancedKeywords => vec![
                number(
                    ConditionKind::Collisions,
                    table.collisions,
                    thresholds.collisions,
                    thresholds.collisions <= table.collisions,
                ),
                rate(ConditionKind::FalseNegatives, counts.false_negatives(), thresholds.false_negative_percent),
                rate(ConditionKind::UserOverrides, counts.user_overrides(), thresholds.user_override_percent),
            ],
            Phase::Tree => vec![
                rate(ConditionKind::TreeFailures, counts.tree_failures(), thresholds.tree_failure_percent),
                rate(ConditionKind::NovelRequests, counts.novel_requests(), thresholds.novel_percent),
                number(
                    ConditionKind::TableTokens,
                    table.tokens,
                    thresholds.table_tokens,
                    thresholds.table_tokens < table.tokens,
                ),
            ],
            Phase::Keywords | Phase::Llm | Phase::Full => Vec::new(),
        };
        let met = conditions.iter().filter(|condition| condition.met).count() as u64;
        let recommended = match phase {
            // Negative keywords and priorities need no measurement: 000 accepts them at once.
            Phase::Keywords => true,
            Phase::EnhancedKeywords | Phase::Tree => thresholds.required_conditions <= met,
            // All layers of the last phase are on already.
            Phase::Llm | Phase::Full => false,
        };
        let next = next(phase).map(|to| Transition {
            to,
            conditions,
            met,
            required: thresholds.required_conditions,
            recommended,
        });
        Self { phase, skills: table.skills, next }
    }
}

/// Returns the phase of an architecture.
const fn phase(architecture: RoutingArchitecture, skills: u64) -> Phase {
    match architecture {
        RoutingArchitecture { llm: true, .. } if FULL_PHASE_SKILLS < skills => Phase::Full,
        RoutingArchitecture { llm: true, .. } => Phase::Llm,
        RoutingArchitecture { tree: true, .. } => Phase::Tree,
        RoutingArchitecture { enhanced_table: true, .. } => Phase::EnhancedKeywords,
        RoutingArchitecture { .. } => Phase::Keywords,
    }
}

/// Returns the next phase; `None` after the last one.
const fn next(phase: Phase) -> Option<Phase> {
    match phase {
        Phase::Keywords => Some(Phase::EnhancedKeywords),
        Phase::EnhancedKeywords => Some(Phase::Tree),
        Phase::Tree => Some(Phase::Llm),
        Phase::Llm => Some(Phase::Full),
        Phase::Full => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The architecture of phase 1.
    const ENHANCED: RoutingArchitecture = RoutingArchitecture { enhanced_table: true, tree: false, llm: false };
    /// The architecture of phase 2.
    const TREE: RoutingArchitecture = RoutingArchitecture { tree: true, ..ENHANCED };

    /// Evaluates the next transition.
    fn transition(architecture: RoutingArchitecture, table: TableSize, counts: RoutingCounts) -> Transition {
        ScalingReport::new(architecture, table, &counts, &ScalingThresholds::default()).next.unwrap()
    }

    /// Creates counts with a rate of missed skills and of named skills, in percent.
    fn counts(false_negatives: u64, overrides: u64) -> RoutingCounts {
        let corrected = false_negatives - overrides;
        RoutingCounts {
            decisions: 100,
            named_by_user: overrides,
            corrected,
            invocations: 100,
            ..RoutingCounts::default()
        }
    }

    /// SK-79, SK-85: two conditions of three recommend the tree, one alone does not.
    #[test]
    fn two_of_three_conditions_recommend_the_tree() {
        let table = TableSize { skills: 12, collisions: 10, tokens: 0 };
        let two = transition(ENHANCED, table, counts(41, 30));
        assert_eq!((two.to, two.met, two.recommended), (Phase::Tree, 2, true));
        let one = transition(ENHANCED, table, counts(40, 30));
        assert_eq!((one.met, one.recommended), (1, false));
        let none = transition(ENHANCED, TableSize { collisions: 9, ..table }, RoutingCounts::default());
        assert_eq!((none.met, none.recommended), (0, false));
    }

    /// SK-80, SK-85: two conditions of three recommend asking a model; a table of 982 tokens meets none.
    #[test]
    fn two_of_three_conditions_recommend_a_model() {
        let table = TableSize { skills: 12, collisions: 0, tokens: 982 };
        let counts =
            RoutingCounts { decisions: 100, novel: 16, tree_evaluated: 10, tree_unresolved: 3, ..counts(0, 0) };
        let two = transition(TREE, table, counts);
        let met: Vec<_> = two.conditions.iter().map(|condition| condition.met).collect();
        assert_eq!((two.to, met, two.recommended), (Phase::Llm, vec![true, true, false], true));
        let quiet = RoutingCounts { novel: 15, tree_unresolved: 2, ..counts };
        assert!(!transition(TREE, TableSize { tokens: 1_501, ..table }, quiet).recommended);
        assert!(
            transition(TREE, TableSize { tokens: 1_501, ..table }, RoutingCounts { novel: 16, ..quiet }).recommended
        );
    }

    /// SK-78: the five phases with their ranges of skills.
    #[test]
    fn the_phase_follows_from_the_architecture() {
        let llm = RoutingArchitecture { llm: true, ..TREE };
        let of = |architecture, skills| {
            let table = TableSize { skills, ..TableSize::default() };
            let report =
                ScalingReport::new(architecture, table, &RoutingCounts::default(), &ScalingThresholds::default());
            (report.phase.number(), report.phase.skill_range(), report.next.map(|next| next.recommended))
        };
        let all = [of(RoutingArchitecture::default(), 8), of(ENHANCED, 8), of(TREE, 12), of(llm, 18), of(llm, 21)];
        let expected = [
            (0, "8", Some(true)),
            (1, "8", Some(false)),
            (2, "10-15", Some(false)),
            (3, "15-20", Some(false)),
            (4, "20+", None),
        ];
        assert_eq!(all, expected);
    }
}
