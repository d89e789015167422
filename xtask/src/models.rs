//! The bus under two model checkers: loom tries every order of steps within a bound, shuttle many random ones.

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture, cargo, shown},
};

/// Runs the models of `crates/event-bus/tests/models` under both checkers, and checks that their stand-ins for locks
/// and channels keep the contract of the real ones.
pub(crate) fn run() -> Outcome<Passed> {
    let (loom, shuttle) = (check("loom")?, check("shuttle")?);
    let models = loom.models;
    if shuttle.models != models {
        return Err(Failure::new(format!("{models} models ran under loom, {} under shuttle", shuttle.models)));
    }
    let note = format!(
        "{models} models of the bus, {} schedules under loom, all there are within the bound of preemptions, and {} \
         random ones under shuttle",
        loom.schedules, shuttle.schedules
    );
    println!("kept: concurrency: {note}");
    Ok(Passed::noting(note))
}

/// What a checker tried.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tried {
    models: u64,
    schedules: u64,
}

fn check(checker: &str) -> Outcome<Tried> {
    let mut command = cargo(&["test", "--quiet", "--locked", "--package", "event-bus", "--lib", "--test", "models"]);
    command.args(["--features", &format!("model-{checker}")]);
    // Half a minute of building saves twice that.
    command.args(["--config", "profile.dev.package.event-bus.opt-level=1", "--", "--nocapture"]);
    println!("$ {}", shown(&command));
    let printed = capture(&mut command)?;
    print!("{printed}");
    let tried = tried(&printed)?;
    if tried.models == 0 {
        return Err(Failure::new(format!("no model ran under {checker}")));
    }
    Ok(tried)
}

/// Adds up lines such as `model: head watch: 108 schedules`, wherever in the output of other tests they begin.
fn tried(printed: &str) -> Outcome<Tried> {
    let mut tried = Tried::default();
    for said in printed.lines().filter_map(|line| line.split_once("model: ")).map(|(_, said)| said) {
        let count = said.rsplit_once(": ").and_then(|(_, count)| count.strip_suffix(" schedules")?.parse::<u64>().ok());
        tried.schedules += count.ok_or_else(|| Failure::new(format!("cannot read how much was tried: {said}")))?;
        tried.models += 1;
    }
    Ok(tried)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_added_up_over_all_models() {
        let printed = "running 2 tests\nmodel: head watch: 108 schedules\n.model: two producers: 7 schedules\n.\n";
        assert_eq!(tried(printed), Ok(Tried { models: 2, schedules: 115 }));
        assert!(tried("model: head watch: many schedules").is_err());
    }
}
