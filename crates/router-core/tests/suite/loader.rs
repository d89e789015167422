//! Rejected policies, with line, column and message, and accepted ones (004 §5.7, §10.1 test 5, decision D8).

mod bounds;
mod embedding;
mod leniencies;
mod refusals;
mod schema;

use crate::support::{load_over, registry};

/// Returns the problems of a policy, one per line. Panics if the policy is valid.
#[track_caller]
fn problems(text: &str) -> String {
    let Err(problems) = load_over(text, registry()) else { panic!("accepted:\n{text}") };
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Formats policies for a snapshot: each with line numbers, followed by its problems.
#[track_caller]
fn refused(policies: &[&str]) -> String {
    let show = |text: &&str| {
        let lines = (1..).zip(text.lines()).map(|(number, line)| format!("{number:>3} | {line}"));
        format!("{}\n{}\n", lines.collect::<Vec<_>>().join("\n"), problems(text))
    };
    policies.iter().map(show).collect::<Vec<_>>().join("\n")
}
