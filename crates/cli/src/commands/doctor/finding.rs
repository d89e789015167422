//! The findings of `doctor` and their output in 80 columns.

use std::path::Path;

use serde::Serialize;

use crate::{
    context::Context,
    screen::{BAD, FAINT, GOOD, HEADING, NOTICE, escape_line, fit, outln, styled, wrap},
};

/// The number of columns before the text of a finding, for the name of the section and the level.
const MARGIN: usize = 19;

/// The number of columns of the report.
pub(super) const COLUMNS: usize = 80;

/// The number of columns for the text of a finding.
const TEXT_COLUMNS: usize = COLUMNS - MARGIN;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// The checked fact is as it should be.
    Ok,
    /// Worth knowing; nothing is wrong.
    Note,
    /// Something does not work; the exit code is 1.
    Problem,
}

/// The result of one check of `doctor`: a fact with its severity, and what the user can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// The severity.
    pub(super) level: Level,
    /// The fact, as a sentence for the user.
    pub(super) text: String,
    /// The command or setting that is the next step; `None` if there is nothing to do.
    pub(super) next: Option<String>,
}

impl Finding {
    /// Creates a finding without a problem.
    pub(super) fn ok(text: impl Into<String>) -> Self {
        Self { level: Level::Ok, text: text.into(), next: None }
    }

    /// Creates a finding for information, with the next step.
    pub(super) fn note(text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { level: Level::Note, text: text.into(), next: Some(next.into()) }
    }

    /// Creates a finding about a problem, with the next step.
    pub(super) fn problem(text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { level: Level::Problem, text: text.into(), next: Some(next.into()) }
    }
}

/// A section of the report of `doctor`: the findings about one subject.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Section {
    /// The subject, such as `policy`, in at most eight letters.
    pub(super) name: &'static str,
    /// The findings, in the order in which they are printed.
    pub(super) findings: Vec<Finding>,
}

impl Section {
    pub(super) fn new(name: &'static str, findings: Vec<Finding>) -> Self {
        Self { name, findings }
    }

    /// Returns the number of findings with this severity.
    pub(super) fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Prints the findings with the next step below each. The name of the section is printed before the first one.
    pub(super) fn print(&self) {
        for (number, finding) in self.findings.iter().enumerate() {
            let name = if number == 0 { self.name } else { "" };
            let (style, level) = match finding.level {
                Level::Ok => (GOOD, "ok"),
                Level::Note => (NOTICE, "note"),
                Level::Problem => (BAD, "problem"),
            };
            let lines = wrap(&escape_line(&finding.text), TEXT_COLUMNS);
            for (number, line) in lines.iter().enumerate() {
                if number == 0 {
                    let start = [styled(HEADING, &fit(name, 10)), styled(style, &fit(level, MARGIN - 10))];
                    outln!("{}{line}", start.concat());
                } else {
                    outln!("{:MARGIN$}{line}", "");
                }
            }
            let steps = finding.next.iter().flat_map(|next| wrap(&escape_line(next), TEXT_COLUMNS - 2));
            for (number, line) in steps.enumerate() {
                let arrow = if number == 0 { "→ " } else { "  " };
                outln!("{:MARGIN$}{}", "", styled(FAINT, &format!("{arrow}{line}")));
            }
        }
    }
}

/// Formats a path with `~` for the home folder of the user.
pub(super) fn short_path(context: &Context, path: &Path) -> String {
    let in_home = context.home.user.as_deref().and_then(|user| path.strip_prefix(user).ok());
    in_home.map_or_else(|| path.display().to_string(), |rest| format!("~/{}", rest.display()))
}
