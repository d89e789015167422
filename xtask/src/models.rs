//! Runs the concurrency models of the event bus under two model checkers: loom explores every schedule within a bound,
//! shuttle explores many random ones.

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture_output, cargo, display_command},
};

/// Runs the models in `crates/event-bus/tests/models` under both checkers, and the contract tests of the simulated
/// locks and channels. Fails if the checkers ran different numbers of models.
pub(crate) fn run() -> Outcome<Passed> {
    let (loom, shuttle) = (run_checker("loom")?, run_checker("shuttle")?);
    let models = loom.models;
    if shuttle.models != models {
        return Err(Failure::new(format!("{models} models ran under loom, {} under shuttle", shuttle.models)));
    }
    let note = format!(
        "{models} models of the bus, {} schedules under loom, exhaustive within the bound of preemptions, and {} \
         random ones under shuttle",
        loom.schedules, shuttle.schedules
    );
    println!("kept: concurrency: {note}");
    Ok(Passed::with_note(note))
}

/// The numbers of models and of schedules that a checker explored.
#[derive(Debug, Default, PartialEq, Eq)]
struct ExplorationCounts {
    /// The number of models that ran.
    models: u64,
    /// The number of schedules of all models.
    schedules: u64,
}

/// Builds and runs the concurrency models of the bus with a model checker, `loom` or `shuttle`. Fails if a model fails
/// or if none ran.
fn run_checker(checker: &str) -> Outcome<ExplorationCounts> {
    let mut command = cargo(&["test", "--quiet", "--locked", "--package", "event-bus", "--lib", "--test", "models"]);
    command.args(["--features", &format!("model-{checker}")]);
    // Costs half a minute of building and saves a minute of running.
    command.args(["--config", "profile.dev.package.event-bus.opt-level=1", "--", "--nocapture"]);
    println!("$ {}", display_command(&command));
    let output = capture_output(&mut command)?;
    print!("{output}");
    let counts = parse_counts(&output)?;
    if counts.models == 0 {
        return Err(Failure::new(format!("no model ran under {checker}")));
    }
    Ok(counts)
}

/// Adds up the counts in lines such as `model: head watch: 108 schedules`, which may follow other output on their line.
fn parse_counts(output: &str) -> Outcome<ExplorationCounts> {
    let mut counts = ExplorationCounts::default();
    for line in output.lines().filter_map(|line| line.split_once("model: ")).map(|(_, rest)| rest) {
        let count = line.rsplit_once(": ").and_then(|(_, count)| count.strip_suffix(" schedules")?.parse::<u64>().ok());
        counts.schedules +=
            count.ok_or_else(|| Failure::new(format!("cannot parse the number of schedules: {line}")))?;
        counts.models += 1;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_of_all_models_are_summed() {
        let printed = "running 2 tests\nmodel: head watch: 108 schedules\n.model: two producers: 7 schedules\n.\n";
        assert_eq!(parse_counts(printed), Ok(ExplorationCounts { models: 2, schedules: 115 }));
        assert!(parse_counts("model: head watch: many schedules").is_err());
    }
}
