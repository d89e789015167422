//! `skills lint`: the findings about the files of all skills.

use serde_json::json;
use skills::{Finding, Severity};

use super::{Counts, FindingView, Loaded};
use crate::{
    context::Context,
    failure::Failure,
    screen::{BAD, FAINT, GOOD, HEADING, NOTICE, count_noun, escape_line, outln, styled, wrap},
};

/// The number of columns for the line number and the severity of a finding.
const MARGIN: usize = 17;

/// Prints the findings about all files, grouped by file. Recommendations are left out unless `all`.
///
/// # Errors
/// [`Failure::Negative`] if there is an error, or a warning if `strict`.
pub(super) fn run(context: &Context, loaded: &Loaded, all: bool, strict: bool) -> Result<(), Failure> {
    let mut findings = loaded.lint();
    let skills = loaded.set.index.skills();
    let counts = Counts::of(&findings);
    if !all {
        findings.retain(|finding| finding.severity() != Severity::Info);
    }
    let json = json!({ "skills": skills.len(), "counts": counts, "findings": FindingView::of(&findings) });
    context.print(&json, || {
        if skills.is_empty() && findings.is_empty() {
            outln!("{}", loaded.nothing_found());
            return;
        }
        print_findings(&findings);
        if !findings.is_empty() {
            outln!();
        }
        let style = match counts {
            Counts { errors: 0, warnings: 0, .. } => GOOD,
            Counts { errors: 0, .. } => NOTICE,
            _ => BAD,
        };
        outln!("{} in {}", styled(style, &counts.text()), count_noun(skills.len() as u64, "skill"));
        if !all && 0 < counts.recommendations {
            let text = count_noun(counts.recommendations, "recommendation");
            outln!("{}", styled(FAINT, &format!("{text} for authors: turnwise skills lint --all")));
        }
    })?;
    let failed = 0 < counts.errors || (strict && 0 < counts.warnings);
    if failed { Err(Failure::Negative) } else { Ok(()) }
}

/// The maximum number of findings that are printed.
const MAX_FINDINGS: usize = 1_000;

/// Prints how many items of a list of `count` were left out if `printed` of them were printed; nothing if all were.
pub(in crate::commands) fn print_omitted(count: usize, printed: usize) {
    if printed < count {
        outln!("{}", styled(FAINT, &format!("and {} more (--json lists them)", count - printed)));
    }
}

/// Prints findings in 80 columns, each file once; at most [`MAX_FINDINGS`].
pub(in crate::commands) fn print_findings(findings: &[Finding]) {
    let mut file = "";
    for finding in findings.iter().take(MAX_FINDINGS) {
        if finding.path != file {
            if !file.is_empty() {
                outln!();
            }
            outln!("{}", styled(HEADING, &escape_line(&finding.path)));
            file = &finding.path;
        }
        let style = match finding.severity() {
            Severity::Error => BAD,
            Severity::Warning => NOTICE,
            Severity::Info => FAINT,
        };
        let line = finding.line.map(|line| line.to_string()).unwrap_or_default();
        let severity = format!("{:<7}", finding.severity().name());
        let text = format!("{} ({})", escape_line(&finding.message), finding.code.name());
        for (index, part) in wrap(&text, 80 - MARGIN).iter().enumerate() {
            if index == 0 {
                outln!("  {line:>4}  {}  {part}", styled(style, &severity));
            } else {
                outln!("{:MARGIN$}{part}", "");
            }
        }
    }
    print_omitted(findings.len(), MAX_FINDINGS);
}
