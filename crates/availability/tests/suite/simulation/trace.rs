//! The steps of a simulation and their text, one on each line: `12 a:x #3 sent`, `14 a:x #3 overloaded`, `20 record`,
//! `30 retry a`, `31 restart`.

use contracts::ModelId;

use crate::script::{Outcome, model, outcome};

/// What happens in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// The start or the outcome of a call.
    Call {
        /// The called model.
        model: ModelId,
        /// The number of the call; `None` for an outcome whose start is not in the log, as in an import.
        number: Option<u32>,
        /// The start or the outcome.
        outcome: Outcome,
    },
    /// The transitions that are due are recorded.
    Record,
    /// The user ends the outages of a provider.
    Retry(String),
    /// The projection is read from its checkpoint.
    Restart,
}

/// One step of a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The time in seconds. That of a call that is recorded late is lower than that of the step before.
    pub(crate) at: u64,
    /// What happens.
    pub(crate) action: Action,
}

/// Formats steps, one on each line.
pub(crate) fn script(steps: &[Step]) -> String {
    steps.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats a step.
fn line(Step { at, action }: &Step) -> String {
    match action {
        Action::Call { model, number, outcome } => {
            let number = number.map(|number| format!(" #{number}")).unwrap_or_default();
            format!("{at} {model}{number} {}", outcome.name())
        }
        Action::Record => format!("{at} record"),
        Action::Retry(provider) => format!("{at} retry {provider}"),
        Action::Restart => format!("{at} restart"),
    }
}

/// Parses the text of [`script`]. Panics on another text.
pub(crate) fn parse(script: &str) -> Vec<Step> {
    script.lines().map(parse_line).collect()
}

/// Parses one line of a script.
fn parse_line(line: &str) -> Step {
    let words: Vec<_> = line.split_whitespace().collect();
    let call = |name, number: Option<&str>, word| Action::Call {
        model: model(name),
        number: number.map(|number| number.strip_prefix('#').unwrap().parse().unwrap()),
        outcome: outcome(word),
    };
    let action = match words[1..] {
        ["record"] => Action::Record,
        ["restart"] => Action::Restart,
        ["retry", provider] => Action::Retry(provider.to_owned()),
        [name, number, word] => call(name, Some(number), word),
        [name, word] => call(name, None, word),
        _ => panic!("`{line}` is no step"),
    };
    Step { at: words[0].parse().unwrap(), action }
}
