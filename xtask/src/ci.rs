//! Runs every check, measures its duration and prints a summary.

mod steps;

use std::time::{Duration, Instant};

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
};
use steps::{CheckFn, REPEATED, STEPS};

/// The result of one step of `cargo xtask ci`, with its duration.
struct StepResult {
    /// The name of the step.
    step: &'static str,
    /// The time that the step took.
    duration: Duration,
    /// The note of a passed step, or the failure.
    outcome: Outcome<Passed>,
}

/// Runs all steps of `cargo xtask ci` in order and prints a summary. Stops at the first failed step unless
/// `keep_going`. Fails if any step failed.
pub(crate) fn run(keep_going: bool) -> Outcome {
    let start = Instant::now();
    let mut results = Vec::new();
    for (step, check) in STEPS {
        println!("\n=== {step} ===");
        let step_started = Instant::now();
        let outcome = run_step(step, *check);
        if let Err(failure) = &outcome {
            println!("{failure}");
        }
        let has_failed = outcome.is_err();
        results.push(StepResult { step, duration: step_started.elapsed(), outcome });
        if has_failed && !keep_going {
            break;
        }
    }
    println!("\n=== summary ===\n{}", summary(&results, start.elapsed()));
    let failed_steps: Vec<_> =
        results.iter().filter(|result| result.outcome.is_err()).map(|result| result.step).collect();
    if !failed_steps.is_empty() {
        return Err(Failure::new(format!("failed: {}", failed_steps.join(", "))));
    }
    let passed_checks = results.iter().filter_map(|result| result.outcome.as_ref().ok());
    for check in passed_checks.filter(|check| check.repeat_at_end) {
        println!("{}", check.note);
    }
    Ok(())
}

/// Runs a step. A step of [`REPEATED`] that fails is run a second time; if it passes then, the note says so.
fn run_step(step: &str, check: CheckFn) -> Outcome<Passed> {
    match check() {
        Err(failure) if REPEATED.contains(&step) => {
            println!("{failure}\n{step} failed and is run a second time");
            check().map(Passed::at_second_attempt)
        }
        outcome => outcome,
    }
}

/// Formats the summary of a run: one line for each step that ran, then the total duration with the number of steps that
/// did not run.
fn summary(results: &[StepResult], total: Duration) -> String {
    let mut lines = vec![format!("{:<10} {:>8}  result", "step", "seconds")];
    for StepResult { step, duration, outcome } in results {
        let result = match outcome {
            Ok(passed) if passed.note.is_empty() => "ok".to_owned(),
            Ok(passed) => format!("ok: {}", passed.note),
            Err(_) => "FAILED".to_owned(),
        };
        lines.push(format!("{step:<10} {:>8.1}  {result}", duration.as_secs_f64()));
    }
    let not_run = STEPS.len() - results.len();
    let note = if not_run == 0 { String::new() } else { format!("{not_run} steps not run") };
    lines.push(format!("{:<10} {:>8.1}  {note}", "all", total.as_secs_f64()).trim_end().to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn only_steps_that_exist_and_are_named_are_repeated() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        fn passes_at_the_second_call() -> Outcome<Passed> {
            if CALLS.fetch_add(1, Ordering::Relaxed) == 0 {
                return Err(Failure::new("the port was taken"));
            }
            Ok(Passed::with_note("28 requests"))
        }
        assert!(REPEATED.iter().all(|name| STEPS.iter().any(|(step, _)| step == name)));
        let repeated = run_step(REPEATED[0], passes_at_the_second_call).unwrap();
        assert_eq!(repeated.note, "28 requests (at the second attempt)");
        CALLS.store(0, Ordering::Relaxed);
        assert!(run_step("tests", passes_at_the_second_call).is_err());
    }

    #[test]
    fn summary_lists_every_step_that_ran_and_counts_the_others() {
        let duration = Duration::from_millis(1_250);
        let results = [
            StepResult { step: "fmt", duration, outcome: Ok(Passed::without_note()) },
            StepResult { step: "deny", duration, outcome: Ok(Passed::with_note("skipped")) },
            StepResult { step: "tidy", duration, outcome: Err(Failure::new("two places")) },
        ];
        let summary = summary(&results, duration * 3);
        let lines: Vec<_> = summary.lines().collect();
        assert_eq!(lines[1], "fmt             1.2  ok");
        assert_eq!(lines[2], "deny            1.2  ok: skipped");
        assert_eq!(lines[3], "tidy            1.2  FAILED");
        assert_eq!(lines[4], format!("all             3.8  {} steps not run", STEPS.len() - 3));
    }
}
