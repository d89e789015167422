//! Lints of a policy: rules that are valid but have no effect of their own (004 §8.12).

use std::fmt;

use crate::policy::{Policy, Rule};

/// A finding of the policy lints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// An earlier rule matches whenever this rule does, so this rule is used only if the earlier rule's model is
    /// rejected.
    Shadowed {
        /// The name of the rule.
        rule: String,
        /// The line on which it starts.
        line: usize,
        /// The name of the earlier rule.
        by: String,
        /// The line on which the earlier rule starts.
        by_line: usize,
        /// Whether the earlier rule matches every turn; otherwise both have the same condition.
        always: bool,
    },
}

/// Lints every rule of a policy. The findings are in the order in which rules are evaluated.
pub fn notes(policy: &Policy) -> Vec<Note> {
    policy.scopes().flat_map(|(_, scope)| shadowed(&scope.rules)).collect()
}

/// Finds the rules of one scope that an earlier rule shadows.
fn shadowed(rules: &[Rule]) -> impl Iterator<Item = Note> {
    rules.iter().enumerate().filter_map(|(index, rule)| {
        let by = rules[..index].iter().find(|earlier| earlier.when.always_holds() || earlier.when == rule.when)?;
        Some(Note::Shadowed {
            rule: rule.name.clone(),
            line: rule.line,
            by: by.name.clone(),
            by_line: by.line,
            always: by.when.always_holds(),
        })
    })
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Shadowed { rule, line, by, by_line, always } = self;
        let cause = if *always { "always matches" } else { "has the same condition" };
        write!(
            f,
            "line {line}: rule \"{rule}\" is only a fallback: rule \"{by}\" (line {by_line}) stands above it and {cause}"
        )
    }
}
