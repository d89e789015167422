//! `cases`: decides labelled requests and compares the skills with the labels.

use serde_json::json;
use skills::{CasesReport, ConfusedSkills, Rate, SkillRequest, decide, parse_cases};

use super::skills::Loaded;
use crate::{
    arguments::{CasesArguments, CasesCommand},
    context::{Context, read_text},
    failure::Failure,
    screen::{BAD, FAINT, HEADING, count_noun, escape_line, outln, styled},
};

/// The maximum number of confused pairs that are printed.
const MAX_PAIRS: usize = 10;
/// The number of columns for the names and the lines of a pair.
const MAX_PAIR_COLUMNS: usize = 72;
/// The maximum number of lines that are printed for a pair.
const MAX_LINES: usize = 8;

/// Executes a subcommand of `cases`.
pub(super) fn run(context: &Context, command: &CasesCommand) -> Result<(), Failure> {
    match command {
        CasesCommand::Run(arguments) => run_cases(context, arguments),
    }
}

/// Decides every case of a file and prints how well the skills agree with the labels.
///
/// # Errors
/// [`Failure::Invalid`] if the file has an invalid case, [`Failure::Negative`] if a limit is not met.
fn run_cases(context: &Context, arguments: &CasesArguments) -> Result<(), Failure> {
    let loaded = Loaded::read(context, &arguments.places)?;
    let text = read_text(&arguments.file)?;
    let cases = parse_cases(&text, &arguments.file.display().to_string(), arguments.skill.as_deref())
        .map_err(|finding| Failure::Invalid(finding.to_string()))?;
    let router = loaded.router(context, &[])?;
    let trained = cases.iter().filter(|case| loaded.cases.iter().any(|other| other.prompt == case.prompt)).count();
    if router.learned().is_some() && 0 < trained {
        context.print_note(&format!(
            "{} of this file {} also in the training requests of the policy (`skills.cases`): the result is too good as a \
             measurement",
            count_noun(trained as u64, "case"),
            if trained == 1 { "is" } else { "are" }
        ));
    }
    let mut outcomes = Vec::with_capacity(cases.len());
    for case in &cases {
        let exclusions = Some(&loaded.stale);
        let request = SkillRequest { text: &case.prompt, exclusions, interactive: true, ..SkillRequest::default() };
        // Every request has an outcome.
        outcomes.extend(decide(&request, &router).chosen.map(|outcome| (case, outcome)));
    }
    let report = CasesReport::new(outcomes.iter().map(|(case, outcome)| (*case, outcome)));
    let failed = unmet_limits(arguments, &report);
    let json = json!({ "report": report, "failed": failed });
    context.print(&json, || print_report(&report, &failed))?;
    if failed.is_empty() { Ok(()) } else { Err(Failure::Negative) }
}

/// Returns a sentence for each limit of the command line that the report does not meet.
fn unmet_limits(arguments: &CasesArguments, report: &CasesReport) -> Vec<String> {
    let below = |name: &str, rate: Rate, limit: Option<u64>| {
        let limit = limit.filter(|percent| rate.is_below_percent(*percent))?;
        Some(format!("{name} is {rate}, the least is {limit} %"))
    };
    let above = |name: &str, rate: Rate, limit: Option<u64>| {
        let limit = limit.filter(|percent| rate.exceeds_percent(*percent))?;
        Some(format!("{name} is {rate}, the most is {limit} %"))
    };
    [
        below("precision", report.precision, arguments.min_precision),
        above("missed", report.missed, arguments.max_missed),
        above("false positives", report.false_positives, arguments.max_false_positives),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Prints a report in 80 columns.
fn print_report(report: &CasesReport, failed: &[String]) {
    outln!("{}", styled(HEADING, &count_noun(report.cases, "case")));
    let rates = [
        ("precision", report.precision, "loaded skills that are right"),
        ("recall", report.recall, "expected skills that are loaded"),
        ("missed", report.missed, "cases that lack a skill"),
        ("unnecessary", report.unnecessary, "cases with a wrong skill"),
        ("false positives", report.false_positives, "cases without a need that load one"),
        ("undecided", report.undecided, "cases that ask or wait"),
    ];
    for (name, rate, meaning) in rates {
        outln!("{name:<17}{:<22} {}", rate.to_string(), styled(FAINT, meaning));
    }
    outln!("{:<17}{}.{:04}", "mean F1", report.mean_f1 / 10_000, report.mean_f1 % 10_000);
    if !report.confused.is_empty() {
        outln!("\n{}", styled(HEADING, "expected → loaded"));
        for pair in report.confused.iter().take(MAX_PAIRS) {
            print_pair(pair);
        }
        if MAX_PAIRS < report.confused.len() {
            let more = report.confused.len() - MAX_PAIRS;
            outln!("{}", styled(FAINT, &format!("and {} (--json lists them)", count_noun(more as u64, "more pair"))));
        }
    }
    for text in failed {
        outln!("{} {text}", styled(BAD, "FAIL"));
    }
}

/// Prints a confused pair with the lines of its cases.
fn print_pair(pair: &ConfusedSkills) {
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
    let names = format!("{} → {}", name(&pair.expected), name(&pair.loaded));
    let lines: Vec<_> = pair.lines.iter().take(MAX_LINES).map(ToString::to_string).collect();
    let more = if MAX_LINES < pair.lines.len() { ", …" } else { "" };
    let place = format!("line {}{more}", lines.join(", "));
    let names = escape_line(&names);
    let separator = if names.chars().count() + place.len() < MAX_PAIR_COLUMNS { "  " } else { "\n      " };
    outln!("{:>4}  {names}{separator}{}", pair.lines.len(), styled(FAINT, &place));
}
