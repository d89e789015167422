//! Every check, timed, with a table at the end.

mod steps;

use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};

pub(crate) use steps::Done;
use steps::STEPS;

/// How a step went.
struct Report {
    step: &'static str,
    took: Duration,
    outcome: Outcome<Done>,
}

pub(crate) fn run(keep_going: bool) -> Outcome {
    let begun = Instant::now();
    let mut reports = Vec::new();
    for (step, check) in STEPS {
        println!("\n=== {step} ===");
        let begun = Instant::now();
        let outcome = check();
        if let Err(failure) = &outcome {
            println!("{failure}");
        }
        let failed = outcome.is_err();
        reports.push(Report { step, took: begun.elapsed(), outcome });
        if failed && !keep_going {
            break;
        }
    }
    println!("\n=== summary ===\n{}", table(&reports, begun.elapsed()));
    let failed: Vec<_> = reports.iter().filter(|report| report.outcome.is_err()).map(|report| report.step).collect();
    if failed.is_empty() {
        // Once more at the very end, where one looks first.
        for said in reports.iter().filter_map(|report| report.outcome.as_ref().ok()).filter(|done| done.closes) {
            println!("{}", said.note);
        }
        return Ok(());
    }
    Err(Failure::new(format!("failed: {}", failed.join(", "))))
}

fn table(reports: &[Report], total: Duration) -> String {
    let mut lines = vec![format!("{:<10} {:>8}  result", "step", "seconds")];
    for Report { step, took, outcome } in reports {
        let result = match outcome {
            Ok(done) if done.note.is_empty() => "ok".to_owned(),
            Ok(done) => format!("ok: {}", done.note),
            Err(_) => "FAILED".to_owned(),
        };
        lines.push(format!("{step:<10} {:>8.1}  {result}", took.as_secs_f64()));
    }
    let left = STEPS.len() - reports.len();
    let left = if left == 0 { String::new() } else { format!("{left} steps not run") };
    lines.push(format!("{:<10} {:>8.1}  {left}", "all", total.as_secs_f64()).trim_end().to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_step_that_ran_and_counts_those_that_did_not() {
        let took = Duration::from_millis(1_250);
        let reports = [
            Report { step: "fmt", took, outcome: Ok(Done::all()) },
            Report { step: "deny", took, outcome: Ok(Done::noting("skipped")) },
            Report { step: "tidy", took, outcome: Err(Failure::new("two places")) },
        ];
        let table = table(&reports, took * 3);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines[1], "fmt             1.2  ok");
        assert_eq!(lines[2], "deny            1.2  ok: skipped");
        assert_eq!(lines[3], "tidy            1.2  FAILED");
        assert_eq!(lines[4], format!("all             3.8  {} steps not run", STEPS.len() - 3));
    }
}
