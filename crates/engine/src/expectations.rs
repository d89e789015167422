//! Expectations of a policy, written in YAML: for its owner to test it without writing a program.

use std::fmt;

use contracts::{ChainSlot as _, Slot, Tier};
use router_core::{Policy, Scenario};
use serde::Deserialize;

/// The largest file of expectations, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// A file of expectations.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tests: Vec<Expectation>,
}

/// A situation and what should be decided in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    name: String,
    #[serde(default)]
    given: Given,
    expect: Expected,
}

/// A situation. What is dropped is as in [`Scenario::message`].
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Given {
    message: String,
    workspace: Option<String>,
    tokens: Option<u64>,
    images: bool,
    tool_history: bool,
    extensions: Vec<String>,
    skills: Vec<String>,
    spent_today_usd: Option<String>,
    local_time: Option<String>,
    sticky: Option<String>,
    delegated_tier: Option<String>,
    models_out: Vec<String>,
    providers_out: Vec<String>,
    learned: Option<Learned>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Learned {
    model: String,
    confidence_percent: u64,
    samples: u64,
}

/// What should be decided.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// An id or an alias, or `none` for a refused turn.
    model: String,
    /// The policy that decides, such as `CONFIGURED_RULES`.
    decided_by: Option<String>,
    /// The rule that decides.
    rule: Option<String>,
}

/// What became of one expectation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// What differs, a line each; empty when it holds.
    pub differences: Vec<String>,
    /// Why the policy decided as it did.
    pub why: String,
}

/// A file of expectations that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the expectations in `{file}` cannot be read: {reason}")]
pub struct ExpectationsError {
    /// The file.
    pub file: String,
    /// What is wrong, with its line.
    pub reason: String,
}

/// Tries a policy on every situation of a file.
///
/// # Errors
/// [`ExpectationsError`] for a file that cannot be read. A situation that cannot be tried is a difference.
pub fn check_expectations(file: &str, text: &str, policy: &Policy) -> Result<Vec<Checked>, ExpectationsError> {
    let error = |reason: String| ExpectationsError { file: file.to_owned(), reason };
    if MAX_BYTES < text.len() {
        return Err(error(format!("it has {} bytes, the most is {MAX_BYTES}", text.len())));
    }
    let file: File = serde_saphyr::from_str(text).map_err(|source| error(source.to_string()))?;
    Ok(file.tests.iter().map(|expectation| check(expectation, policy)).collect())
}

fn check(expectation: &Expectation, policy: &Policy) -> Checked {
    let name = expectation.name.clone();
    let scenario = match scenario(&expectation.given) {
        Ok(scenario) => scenario,
        Err(reason) => return Checked { name, differences: vec![reason], why: String::new() },
    };
    let outcome = match scenario.try_on(policy) {
        Ok(outcome) => outcome,
        Err(error) => return Checked { name, differences: vec![error.to_string()], why: String::new() },
    };
    let expected = &expectation.expect;
    let mut differences = Vec::new();
    let mut compare = |what: &str, wanted: &dyn fmt::Display, found: &dyn fmt::Display| {
        let (wanted, found) = (wanted.to_string(), found.to_string());
        if wanted != found {
            differences.push(format!("{what}: expected {wanted}, found {found}"));
        }
    };
    // An alias stands for its model.
    let wanted = match (policy.registry().named(&expected.model), expected.model.as_str()) {
        (Some(model), _) => model.id.to_string(),
        (None, "none") => "none".to_owned(),
        (None, name) => format!("{name} (not a model)"),
    };
    let found = outcome.decision.chosen.as_ref().map_or("none", |model| model.as_str());
    compare("model", &wanted, &found);
    let winner = outcome.decision.winner();
    if let Some(wanted) = &expected.decided_by {
        let known = Slot::CHAIN.iter().any(|slot| slot.name() == wanted);
        let found = winner.map_or("none", |entry| entry.slot.name());
        let wanted = if known { wanted.clone() } else { format!("{wanted} (not a policy)") };
        compare("decided_by", &wanted, &found);
    }
    if let Some(wanted) = &expected.rule {
        let found = winner.and_then(|entry| entry.reason.rule());
        compare("rule", wanted, &found.unwrap_or("none"));
    }
    Checked { name, differences, why: outcome.why }
}

fn scenario(given: &Given) -> Result<Scenario, String> {
    let mut scenario = Scenario::message(given.message.clone());
    if let Some(path) = &given.workspace {
        scenario = scenario.workspace(path);
    }
    if let Some(tokens) = given.tokens {
        scenario = scenario.tokens(tokens);
    }
    if given.images {
        scenario = scenario.images();
    }
    if given.tool_history {
        scenario = scenario.tool_history();
    }
    scenario = given.extensions.iter().fold(scenario, |scenario, name| scenario.touched(name));
    scenario = given.skills.iter().fold(scenario, |scenario, name| scenario.skill(name));
    scenario = given.models_out.iter().fold(scenario, |scenario, name| scenario.model_out(name));
    scenario = given.providers_out.iter().fold(scenario, |scenario, name| scenario.provider_out(name));
    if let Some(dollars) = &given.spent_today_usd {
        scenario = scenario.spent(dollars);
    }
    if let Some(time) = &given.local_time {
        scenario = scenario.at(time);
    }
    if let Some(model) = &given.sticky {
        scenario = scenario.sticky(model);
    }
    if let Some(learned) = &given.learned {
        scenario = scenario.learned(&learned.model, learned.confidence_percent, learned.samples);
    }
    if let Some(name) = &given.delegated_tier {
        let tier = Tier::named(name).ok_or_else(|| format!("`{name}` is not a tier: fast, balanced or deep"))?;
        scenario = scenario.delegated(tier);
    }
    Ok(scenario)
}
