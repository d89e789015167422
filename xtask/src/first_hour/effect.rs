//! How many user messages of the recorded sessions a rule decides, when they are sent through the gateway.

use std::{collections::BTreeMap, fmt};

use serde_json::Value;

use super::conversation::{Conversation, TurnRequest};
use crate::{
    clients::programs::RunningProgram,
    failure::{Failure, Outcome},
};

/// The user messages that were sent under one policy, and the effect of its rules on them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RuleEffect {
    /// Messages sent.
    pub(super) messages: usize,
    /// Of these, messages in a conversation that already contained thinking of a model.
    after_thinking: usize,
    /// Messages that at least one rule matched.
    pub(super) matched: usize,
    /// Messages that a matching rule decided.
    pub(super) effective: usize,
    /// Messages decided by each rule.
    by_rule: BTreeMap<String, usize>,
    /// For matching rules without effect: the number of messages for each reason.
    missed: BTreeMap<String, usize>,
    /// The ids of the turns, in the order of the messages.
    pub(super) turns: Vec<String>,
    /// The models chosen, in the same order.
    pub(super) models: Vec<String>,
}

impl RuleEffect {
    /// Sends every user message of the conversations through the gateway, and counts on how many of them rules took
    /// effect.
    ///
    /// # Errors
    /// If a request has no decision, or if a rule had no effect and the turn's explanation does not contain the reason.
    pub(super) fn measure(conversations: &[Conversation], gateway: &RunningProgram) -> Outcome<Self> {
        let mut effect = Self::default();
        for conversation in conversations {
            for request in conversation.requests() {
                let turn = send(&request, gateway, &conversation.session)?;
                let view = gateway.request_json(&format!("/turns/{turn}"), None)?;
                effect.count(&request, &view)?;
                effect.turns.push(turn);
            }
        }
        Ok(effect)
    }

    /// Counts one user message by its outcome. `view` contains the details of its turn.
    fn count(&mut self, request: &TurnRequest, view: &Value) -> Outcome {
        self.messages += 1;
        self.after_thinking += usize::from(request.after_thinking);
        let chain = view["chain"].as_array().into_iter().flatten();
        let chosen_entry = chain.clone().find(|entry| entry["verdict"] == "chose");
        let model = chosen_entry.and_then(|entry| entry["candidate"].as_str()).unwrap_or("none");
        self.models.push(model.to_owned());
        let Some(rules) = chain.clone().find(|entry| entry["slot"] == "CONFIGURED_RULES") else { return Ok(()) };
        match rules["verdict"].as_str() {
            Some("chose") => {
                let rule = rules["because"]["rule"]["name"].as_str().unwrap_or("without a name").to_owned();
                (self.matched, self.effective) = (self.matched + 1, self.effective + 1);
                *self.by_rule.entry(rule).or_default() += 1;
            }
            Some("rejected") => {
                let failure = rules["failure"].as_str().map_or_else(|| rules["failure"].to_string(), str::to_owned);
                let why = view["why"].as_str().unwrap_or_default();
                if !why.contains("rejected") {
                    return Err(Failure::new(format!(
                        "a rule was rejected ({failure}) without a reason in `why`:\n{why}"
                    )));
                }
                self.matched += 1;
                *self.missed.entry(failure).or_default() += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the share of the matched messages on which a rule took effect, in per cent; 100 if none matched.
    pub(super) fn percent(&self) -> usize {
        (self.effective * 100).checked_div(self.matched).unwrap_or(100)
    }
}

impl fmt::Display for RuleEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { messages, after_thinking, matched, effective, .. } = self;
        writeln!(formatter, "  {messages} user messages, {after_thinking} of them after a first thinking block")?;
        writeln!(formatter, "  a rule matched {matched} and took effect on {effective} ({} %)", self.percent())?;
        for (rule, count) in &self.by_rule {
            writeln!(formatter, "    {count:>4}  by rule \"{rule}\"")?;
        }
        for (reason, count) in &self.missed {
            writeln!(formatter, "    {count:>4}  without effect: {reason}")?;
        }
        Ok(())
    }
}

/// Sends the request of one user message through the gateway, and returns the id of its turn.
fn send(request: &TurnRequest, gateway: &RunningProgram, session: &str) -> Outcome<String> {
    let fail = |error: &dyn fmt::Display| Failure::new(format!("a message of session {session}: {error}"));
    let response = request.http().send(&gateway.url).map_err(|error| fail(&error))?;
    let (status, turn) = (response.status, response.header("x-turnwise-turn").map(str::to_owned));
    let text = response.into_text().map_err(|error| fail(&error))?;
    match turn {
        Some(turn) if status == 200 => Ok(turn),
        _ => Err(fail(&format!("status {status}, turn {turn:?}: {}", text.chars().take(400).collect::<String>()))),
    }
}
