//! What is odd about a policy without being wrong (004 §8.12).

use std::fmt;

use crate::policy::{Policy, Rule};

/// A remark on a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// An earlier rule matches whenever this one does, so this one is only a fallback for it.
    Shadowed {
        /// The rule.
        rule: String,
        /// The line it starts on.
        line: usize,
        /// The earlier rule.
        by: String,
        /// The line the earlier rule starts on.
        by_line: usize,
        /// Whether the earlier rule always matches.
        always: bool,
    },
}

/// Remarks on every rule, in the order in which the rules are tried.
pub fn notes(policy: &Policy) -> Vec<Note> {
    policy.scopes().flat_map(|(_, scope)| shadowed(&scope.rules)).collect()
}

fn shadowed(rules: &[Rule]) -> impl Iterator<Item = Note> {
    rules.iter().enumerate().filter_map(|(index, rule)| {
        let by = rules[..index].iter().find(|earlier| earlier.when.is_always() || earlier.when == rule.when)?;
        Some(Note::Shadowed {
            rule: rule.name.clone(),
            line: rule.line,
            by: by.name.clone(),
            by_line: by.line,
            always: by.when.is_always(),
        })
    })
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Shadowed { rule, line, by, by_line, always } = self;
        let why = if *always { "always matches" } else { "has the same condition" };
        write!(
            f,
            "line {line}: rule \"{rule}\" is only a fallback: rule \"{by}\" (line {by_line}) stands above it and {why}"
        )
    }
}
