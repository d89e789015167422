//! Runs the bus under two model checkers: loom explores every schedule within a bound, shuttle many random ones.

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture, cargo, shown},
};

/// Runs the models of `crates/event-bus/tests/models` under both checkers, and the contract tests of the simulated locks
/// and channels.
pub(crate) fn run() -> Outcome<Passed> {
    let (loom, shuttle) = (check("loom")?, check("shuttle")?);
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
    Ok(Passed::noting(note))
}

/// How much a model checker explored: the number of models and of schedules.
#[derive(Debug, Default, PartialEq, Eq)]
struct Explored {
    models: u64,
    schedules: u64,
}

/// Runs the models of the bus under one checker, `loom` or `shuttle`, and counts their schedules.
fn check(checker: &str) -> Outcome<Explored> {
    let mut command = cargo(&["test", "--quiet", "--locked", "--package", "event-bus", "--lib", "--test", "models"]);
    command.args(["--features", &format!("model-{checker}")]);
    // Costs half a minute of building and saves a minute of running.
    command.args(["--config", "profile.dev.package.event-bus.opt-level=1", "--", "--nocapture"]);
    println!("$ {}", shown(&command));
    let printed = capture(&mut command)?;
    print!("{printed}");
    let explored = parse_explored(&printed)?;
    if explored.models == 0 {
        return Err(Failure::new(format!("no model ran under {checker}")));
    }
    Ok(explored)
}

/// Sums up lines such as `model: head watch: 108 schedules`, which may follow other output on their line.
fn parse_explored(printed: &str) -> Outcome<Explored> {
    let mut explored = Explored::default();
    for line in printed.lines().filter_map(|line| line.split_once("model: ")).map(|(_, rest)| rest) {
        let count = line.rsplit_once(": ").and_then(|(_, count)| count.strip_suffix(" schedules")?.parse::<u64>().ok());
        explored.schedules +=
            count.ok_or_else(|| Failure::new(format!("cannot parse the number of schedules: {line}")))?;
        explored.models += 1;
    }
    Ok(explored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_of_all_models_are_summed() {
        let printed = "running 2 tests\nmodel: head watch: 108 schedules\n.model: two producers: 7 schedules\n.\n";
        assert_eq!(parse_explored(printed), Ok(Explored { models: 2, schedules: 115 }));
        assert!(parse_explored("model: head watch: many schedules").is_err());
    }
}
