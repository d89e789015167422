//! Tests of a policy that a user writes in YAML. Each is a situation of a turn with the expected decision.

use std::fmt;

use contracts::{AuxiliaryCall, ChainSlot as _, NanoUsd, ParseMoneyError, Slot, Tier};
use router_core::{Policy, Scenario, StatedRequest, StatedSpending};
use serde::Deserialize;

/// The maximum size of a file with tests, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The content of a YAML file with tests of a policy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The tests, in the order of the file.
    tests: Vec<Expectation>,
}

/// A test of a policy: a situation with the expected decision.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    /// The name of the test, for its result.
    name: String,
    /// The situation in which the policy decides.
    #[serde(default)]
    given: Situation,
    /// The decision that the policy has to reach.
    expect: ExpectedDecision,
}

/// The situation of a turn in a test of a policy. Fields that the file leaves out have the values of
/// [`Scenario::message`].
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no properties of a turn")]
struct Situation {
    /// The user's message.
    message: String,
    /// The absolute path of the workspace.
    workspace: Option<String>,
    /// The estimated number of tokens of the prompt.
    tokens: Option<u64>,
    /// Whether the prompt contains images.
    images: bool,
    /// Whether the conversation contains tool calls.
    tool_history: bool,
    /// Extensions of files that the session touched, such as `.sql`.
    extensions: Vec<String>,
    /// Skills whose description matches the message.
    skills: Vec<String>,
    /// The skills that the skill decision about the message loads.
    selected_skills: Vec<String>,
    /// The amount spent since UTC midnight, in dollars, such as `5.42`.
    spent_today_usd: Option<String>,
    /// The amount spent by all sessions in the week.
    spent_week_usd: Option<String>,
    /// The amount spent by all sessions in the month.
    spent_month_usd: Option<String>,
    /// The amount spent by the turn's project: on the day, in the week and in the month.
    spent_project_usd: Option<String>,
    /// The amount spent by the turn's client: on the day, in the week and in the month.
    spent_client_usd: Option<String>,
    /// The amount spent by the turn's session.
    spent_session_usd: Option<String>,
    /// The local time of the turn, such as `23:30`.
    local_time: Option<String>,
    /// The session's model, by id or alias.
    sticky: Option<String>,
    /// The tier that a delegating agent requests: fast, balanced or deep.
    delegated_tier: Option<String>,
    /// Models with an outage, by id or alias.
    models_out: Vec<String>,
    /// Providers with an outage of all their models.
    providers_out: Vec<String>,
    /// The recommendation of the pattern store; `None` without one.
    learned: Option<Learned>,
    /// Name of the client of the gateway, such as `claude-code`.
    client: Option<String>,
    /// Name of the requested model, unchanged.
    requested_model: Option<String>,
    /// Whether a sub-agent sends the request.
    subagent: bool,
    /// Kind of auxiliary call: title, classifier, summary or other.
    auxiliary_call: Option<String>,
    /// Model that signed thinking of earlier turns.
    thinking_of: Option<String>,
    /// Whether the request defines a tool that searches the web.
    web_search: bool,
    /// Features that the request uses, besides those of every request of its client.
    requires: Vec<String>,
}

/// A recommendation of the pattern store in a test of a policy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Learned {
    /// The recommended model, by id or alias.
    model: String,
    /// The confidence of the recommendation, in percent.
    confidence_percent: u64,
    /// The number of samples behind the recommendation.
    samples: u64,
}

/// The expected decision of a test, or the expected error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedDecision {
    /// An id or an alias, or `none` for a refused turn; `None` for any.
    model: Option<String>,
    /// A part of the error that an invalid situation has, such as a mention of an unknown model.
    error: Option<String>,
    /// The slot of the chain that decides, such as `CONFIGURED_RULES`; `None` for any.
    decided_by: Option<String>,
    /// The name of the rule that decides; `None` for any.
    rule: Option<String>,
}

impl ExpectedDecision {
    /// Returns whether the test expects nothing, so that every decision would pass it.
    const fn is_empty(&self) -> bool {
        self.model.is_none() && self.error.is_none() && self.decided_by.is_none() && self.rule.is_none()
    }
}

/// The result of one test of a policy: the differences from the expected decision, and the explanation of the actual
/// one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ExpectationResult {
    /// Name of the test.
    pub name: String,
    /// The differences between expected and actual decision, one line each; empty if there are none.
    pub differences: Vec<String>,
    /// The explanation of the actual decision; empty if there was none.
    pub why: String,
}

/// The error of reading a file with tests of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the expectations in `{file}` cannot be read: {reason}")]
pub struct ExpectationsError {
    /// The file.
    pub file: String,
    /// The problem, with its line.
    pub reason: String,
}

/// Runs every test of a file against a policy. `text` is the content of the file, `file` its name for errors.
///
/// # Errors
/// [`ExpectationsError`] if the file is invalid. An invalid situation is a difference in its result.
pub fn check_expectations(
    file: &str,
    text: &str,
    policy: &Policy,
) -> Result<Vec<ExpectationResult>, ExpectationsError> {
    let error = |reason: String| ExpectationsError { file: file.to_owned(), reason };
    if MAX_BYTES < text.len() {
        return Err(error(format!("it has {} bytes, the most is {MAX_BYTES}", text.len())));
    }
    let file: File = serde_saphyr::from_str(text).map_err(|source| error(source.to_string()))?;
    Ok(file.tests.iter().map(|expectation| check_expectation(expectation, policy)).collect())
}

/// Decides in the situation of a test and compares the decision with the expected one.
fn check_expectation(expectation: &Expectation, policy: &Policy) -> ExpectationResult {
    let name = expectation.name.clone();
    let scenario = match build_scenario(&expectation.given) {
        Ok(scenario) => scenario,
        Err(reason) => return ExpectationResult { name, differences: vec![reason], why: String::new() },
    };
    let expected = &expectation.expect;
    if expected.is_empty() {
        let difference = "`expect` is empty: name a model, decided_by, rule or error".to_owned();
        return ExpectationResult { name, differences: vec![difference], why: String::new() };
    }
    let outcome = match (scenario.try_on(policy), &expected.error) {
        (Ok(outcome), None) => outcome,
        (Ok(outcome), Some(wanted)) => {
            let difference = format!("error: expected {wanted}, found none");
            return ExpectationResult { name, differences: vec![difference], why: outcome.why };
        }
        (Err(error), wanted) => {
            let error = error.to_string();
            let is_expected = wanted.as_ref().is_some_and(|wanted| error.contains(wanted));
            let difference = wanted
                .as_ref()
                .map_or_else(|| error.clone(), |wanted| format!("error: expected {wanted}, found {error}"));
            let differences = if is_expected { Vec::new() } else { vec![difference] };
            return ExpectationResult { name, differences, why: String::new() };
        }
    };
    let mut differences = Vec::new();
    let mut compare = |field: &str, wanted: &dyn fmt::Display, found: &dyn fmt::Display| {
        let (wanted, found) = (wanted.to_string(), found.to_string());
        if wanted != found {
            differences.push(format!("{field}: expected {wanted}, found {found}"));
        }
    };
    if let Some(name) = &expected.model {
        // Aliases are resolved to model ids before they are compared.
        let wanted = match (policy.registry().named(name), name.as_str()) {
            (Some(model), _) => model.id.to_string(),
            (None, "none") => "none".to_owned(),
            (None, name) => format!("{name} (not a model)"),
        };
        let found = outcome.decision.chosen.as_ref().map_or("none", |model| model.as_str());
        compare("model", &wanted, &found);
    }
    let winner = outcome.decision.winner();
    if let Some(wanted) = &expected.decided_by {
        let is_slot = Slot::CHAIN.iter().any(|slot| slot.name() == wanted);
        let found = winner.map_or("none", |entry| entry.slot.name());
        let wanted = if is_slot { wanted.clone() } else { format!("{wanted} (not a policy)") };
        compare("decided_by", &wanted, &found);
    }
    if let Some(wanted) = &expected.rule {
        let found = winner.and_then(|entry| entry.reason.rule());
        compare("rule", wanted, &found.unwrap_or("none"));
    }
    ExpectationResult { name, differences, why: outcome.why }
}

/// Parses the amounts spent in the situation of a test.
fn stated_spending(given: &Situation) -> Result<StatedSpending, String> {
    let amount = |text: &Option<String>| -> Result<Option<NanoUsd>, String> {
        text.as_deref().map(|text| text.parse().map_err(|error: ParseMoneyError| error.to_string())).transpose()
    };
    Ok(StatedSpending {
        today: amount(&given.spent_today_usd)?,
        week: amount(&given.spent_week_usd)?,
        month: amount(&given.spent_month_usd)?,
        project: amount(&given.spent_project_usd)?,
        client: amount(&given.spent_client_usd)?,
        session: amount(&given.spent_session_usd)?,
    })
}

/// Converts the situation of a test into a scenario.
///
/// # Errors
/// A description of the problem if the delegated tier or the kind of auxiliary call is unknown.
fn build_scenario(given: &Situation) -> Result<Scenario, String> {
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
    scenario = given.selected_skills.iter().fold(scenario, |scenario, name| scenario.selected_skill(name));
    scenario = given.models_out.iter().fold(scenario, |scenario, name| scenario.model_out(name));
    scenario = given.providers_out.iter().fold(scenario, |scenario, name| scenario.provider_out(name));
    scenario = scenario.stated_spending(stated_spending(given)?);
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
    let auxiliary = given.auxiliary_call.as_deref().map(|name| {
        let known = AuxiliaryCall::ALL.map(AuxiliaryCall::name).join(", ");
        AuxiliaryCall::named(name).ok_or_else(|| format!("`{name}` is not an auxiliary call: {known}"))
    });
    Ok(scenario.request(StatedRequest {
        client: given.client.clone(),
        model: given.requested_model.clone(),
        subagent: given.subagent,
        auxiliary: auxiliary.transpose()?,
        thinking_of: given.thinking_of.clone(),
        web_search: given.web_search,
        requires: given.requires.clone(),
    }))
}
