//! The time that the regular expressions of a policy may take on a hostile message.
//!
//! The matcher takes at most a constant time for each byte of the text and each state of a pattern. The number of states is
//! known without running it, so the bound is the same on every machine that loads the policy.

use std::collections::BTreeSet;

use super::{Policy, Problem};
use crate::predicate::Predicate;

/// The maximum number of states of all patterns for messages together.
const MAX_STATES: u64 = 10_000;
/// The time of the matcher for a state and a byte in its slowest mode, in picoseconds. Measured: 5.5 s for 17,200 states and
/// 64 KiB of a text in which every second byte may be the start of a match.
const PICOSECONDS: u64 = 7_000;
/// The number of rules that an error names.
const NAMED_RULES: usize = 3;

/// An upper bound of the time that is spent on matching messages, in total and by rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextCost {
    /// The time for each KiB of a message, in microseconds.
    pub micros_per_kib: u64,
    /// The maximum of `micros_per_kib` with which a policy is accepted.
    pub limit_micros_per_kib: u64,
    /// The rules with regular expressions, the most expensive first.
    pub rules: Vec<RuleCost>,
}

/// The share of one rule. Rules with the same pattern share its time, and each has all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCost {
    /// The name of the rule.
    pub name: String,
    /// The line of the rule in the file, from 1.
    pub line: usize,
    /// The time for each KiB of a message, in microseconds.
    pub micros_per_kib: u64,
}

/// Converts a number of states to the time for one KiB, in microseconds.
const fn micros_per_kib(states: u64) -> u64 {
    states.saturating_mul(1_024 * PICOSECONDS) / 1_000_000
}

impl Policy {
    /// Returns an upper bound of the time that matching a message takes, in total and for each rule with regular
    /// expressions.
    pub fn text_cost(&self) -> TextCost {
        let rules = self.scopes().flat_map(|(_, scope)| scope.rules.iter()).map(|rule| {
            let mut numbers = BTreeSet::new();
            add_numbers(&rule.when, &mut numbers);
            let states = numbers.into_iter().map(|number| self.texts.states(number)).sum();
            RuleCost { name: rule.name.clone(), line: rule.line, micros_per_kib: micros_per_kib(states) }
        });
        let mut rules: Vec<_> = rules.filter(|rule| rule.micros_per_kib != 0).collect();
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.micros_per_kib), rule.line));
        TextCost {
            micros_per_kib: micros_per_kib(self.texts.total_states()),
            limit_micros_per_kib: micros_per_kib(MAX_STATES),
            rules,
        }
    }

    /// Returns the time that matching a message of `bytes` bytes may take, in microseconds.
    pub fn micros_to_match(&self, bytes: usize) -> u64 {
        let searched = bytes.min(crate::text_set::MAX_SEARCHED_BYTES) as u64;
        self.texts.total_states().saturating_mul(searched * PICOSECONDS) / 1_000_000
    }

    /// Matches a message with all regular expressions, and caches the result for the decision that follows. Can be
    /// called in any thread; no decision depends on it.
    pub fn prepare_message(&self, message: &str) {
        self.texts.prepare(message);
    }
}

/// Returns the problem of a policy whose regular expressions may take too long; `None` if they do not.
pub(super) fn check_text_cost(policy: &Policy) -> Option<Problem> {
    if policy.texts.total_states() <= MAX_STATES {
        return None;
    }
    let cost = policy.text_cost();
    let milliseconds = |micros: u64| micros.div_ceil(1_000);
    let most_expensive = cost.rules.iter().take(NAMED_RULES);
    let most_expensive: Vec<_> =
        most_expensive.map(|rule| format!("`{}` ({} ms)", rule.name, milliseconds(rule.micros_per_kib))).collect();
    let message = format!(
        "the regular expressions of the rules may take {} ms for each KiB of a message, the most is {} ms; the most \
         expensive rules are {}: shorten repetitions such as `{{100}}`, or use `message_contains_any`",
        milliseconds(cost.micros_per_kib),
        milliseconds(cost.limit_micros_per_kib),
        most_expensive.join(", "),
    );
    Some(Problem { line: cost.rules.first().map_or(1, |rule| rule.line), column: 1, message })
}

/// Adds the numbers of the text predicates in a condition.
fn add_numbers(when: &Predicate, numbers: &mut BTreeSet<u16>) {
    match when {
        Predicate::Text(number) => {
            numbers.insert(*number);
        }
        Predicate::Any(parts) | Predicate::All(parts) => parts.iter().for_each(|part| add_numbers(part, numbers)),
        Predicate::Not(part) => add_numbers(part, numbers),
        _ => {}
    }
}
