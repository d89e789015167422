//! Runs every check, measures its duration and prints a summary.

mod steps;

use std::time::{Duration, Instant};

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
};
use steps::STEPS;

/// The result of one step of `cargo xtask ci`, with its duration.
struct StepResult {
    step: &'static str,
    took: Duration,
    outcome: Outcome<Passed>,
}

/// Runs all steps in order; stops at the first failed one unless `keep_going`.
pub(crate) fn run(keep_going: bool) -> Outcome {
    let begun = Instant::now();
    let mut results = Vec::new();
    for (step, check) in STEPS {
        println!("\n=== {step} ===");
        let step_begun = Instant::now();
        let outcome = check();
        if let Err(failure) = &outcome {
            println!("{failure}");
        }
        let failed = outcome.is_err();
        results.push(StepResult { step, took: step_begun.elapsed(), outcome });
        if failed && !keep_going {
            break;
        }
    }
    println!("\n=== summary ===\n{}", summary(&results, begun.elapsed()));
    let failed: Vec<_> = results.iter().filter(|result| result.outcome.is_err()).map(|result| result.step).collect();
    if !failed.is_empty() {
        return Err(Failure::new(format!("failed: {}", failed.join(", "))));
    }
    let passed = results.iter().filter_map(|result| result.outcome.as_ref().ok());
    for check in passed.filter(|check| check.repeat_at_end) {
        println!("{}", check.note);
    }
    Ok(())
}

/// One line per step that ran, then the total with the number of steps that did not run.
fn summary(results: &[StepResult], total: Duration) -> String {
    let mut lines = vec![format!("{:<10} {:>8}  result", "step", "seconds")];
    for StepResult { step, took, outcome } in results {
        let result = match outcome {
            Ok(passed) if passed.note.is_empty() => "ok".to_owned(),
            Ok(passed) => format!("ok: {}", passed.note),
            Err(_) => "FAILED".to_owned(),
        };
        lines.push(format!("{step:<10} {:>8.1}  {result}", took.as_secs_f64()));
    }
    let not_run = STEPS.len() - results.len();
    let note = if not_run == 0 { String::new() } else { format!("{not_run} steps not run") };
    lines.push(format!("{:<10} {:>8.1}  {note}", "all", total.as_secs_f64()).trim_end().to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lists_every_step_that_ran_and_counts_the_others() {
        let took = Duration::from_millis(1_250);
        let results = [
            StepResult { step: "fmt", took, outcome: Ok(Passed::silently()) },
            StepResult { step: "deny", took, outcome: Ok(Passed::noting("skipped")) },
            StepResult { step: "tidy", took, outcome: Err(Failure::new("two places")) },
        ];
        let summary = summary(&results, took * 3);
        let lines: Vec<_> = summary.lines().collect();
        assert_eq!(lines[1], "fmt             1.2  ok");
        assert_eq!(lines[2], "deny            1.2  ok: skipped");
        assert_eq!(lines[3], "tidy            1.2  FAILED");
        assert_eq!(lines[4], format!("all             3.8  {} steps not run", STEPS.len() - 3));
    }
}
