//! Parses the conditions of rules in a policy file. Each parser reports invalid values and then returns `None`.

use contracts::{AuxiliaryCall, Period, SpentLimit};

use super::{keys, load::Loader};
use crate::{
    predicate::Predicate,
    time_window::TimeWindow,
    yaml::{YamlNode, YamlValue},
};

impl Loader<'_> {
    /// Parses a condition. A mapping with several keys requires all of them; an empty mapping always holds (004 §5.3.2,
    /// decision D8). `None` if it is invalid; the problem is reported.
    pub(super) fn parse_predicate(&mut self, node: &YamlNode<'_>) -> Option<Predicate> {
        // Without its value a condition would hold always.
        let known_entries = self.problems.parse_mapping_with_nulls(node, "a condition", keys::PREDICATE)?;
        let YamlValue::Map(entries) = &node.value else { return None };
        let parts: Vec<_> = entries
            .iter()
            .filter_map(|(key, value)| match &key.value {
                YamlValue::Scalar { text, .. } if known_entries.contains(text.as_ref()) => Some((text.as_ref(), value)),
                _ => None,
            })
            .map(|(name, value)| self.parse_single_condition(name, value))
            .collect();
        let mut parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        match parts.len() {
            1 => parts.pop(),
            _ => Some(Predicate::All(parts)),
        }
    }

    /// Parses a condition with a single key: `name` is the key, `node` its value. `None` if it is invalid; the problem
    /// is reported.
    fn parse_single_condition(&mut self, name: &str, node: &YamlNode<'_>) -> Option<Predicate> {
        Some(match name {
            "message_matches" => Predicate::Text(self.parse_message_pattern(node)?),
            "message_contains_any" => {
                let needles = self.problems.parse_texts(node, name)?;
                let number = self.texts.add_needles(&needles);
                Predicate::Text(self.ok_or_report(node, number)?)
            }
            "estimated_input_tokens_gt" => Predicate::TokensAbove(self.problems.parse_count(node, name, 0)?),
            "estimated_input_tokens_lt" => Predicate::TokensBelow(self.problems.parse_count(node, name, 0)?),
            "has_images" => Predicate::HasImages(self.problems.parse_boolean(node, name)?),
            "has_tool_calls_in_history" => Predicate::HasToolCalls(self.problems.parse_boolean(node, name)?),
            "skills_matching_message_includes" => {
                Predicate::Skills(self.problems.parse_texts(node, name)?.into_iter().map(str::to_owned).collect())
            }
            "skill_selected_in" => {
                let names = self.problems.parse_texts(node, name)?.into_iter();
                Predicate::SelectedSkill(names.map(|name| name.trim_start_matches('/').to_owned()).collect())
            }
            "file_extensions_in_context" => {
                Predicate::Extensions(self.problems.parse_texts(node, name)?.into_iter().map(extension_name).collect())
            }
            "workspace_path_matches" => {
                let text = self.problems.parse_text(node, name)?;
                let pattern = self.texts.pattern(text);
                Predicate::Workspace(self.ok_or_report(node, pattern)?)
            }
            "time_of_day_between" => Predicate::TimeOfDay(self.parse_time_window(node)?),
            "cost_today_exceeds_usd" => self.parse_spent_more_than(node, name, Period::Day)?,
            "cost_this_week_exceeds_usd" => self.parse_spent_more_than(node, name, Period::Week)?,
            "cost_this_month_exceeds_usd" => self.parse_spent_more_than(node, name, Period::Month)?,
            "cost_of_session_exceeds_usd" => self.parse_spent_more_than(node, name, Period::Session)?,
            "client_is" => Predicate::Client(self.parse_lower_texts(name, node)?),
            "client_model_is" => Predicate::ClientModel(self.parse_client_models(node)?),
            "thread_is_subagent" => Predicate::Subagent(self.problems.parse_boolean(node, name)?),
            "auxiliary_call_is" => Predicate::AuxiliaryCall(self.parse_auxiliary_calls(node)?),
            "requests_web_search" => Predicate::WebSearch(self.problems.parse_boolean(node, name)?),
            "requests_thinking" => Predicate::Thinking(self.problems.parse_boolean(node, name)?),
            "any_of" => Predicate::Any(self.parse_condition_list(name, node)?),
            "all_of" => Predicate::All(self.parse_condition_list(name, node)?),
            "not" => Predicate::Not(Box::new(self.parse_predicate(node)?)),
            // An unknown key was reported when the mapping was parsed.
            _ => return None,
        })
    }

    /// Parses a condition on the amount spent in a period; `name` is its key. `None` if it is invalid; the problem is
    /// reported.
    fn parse_spent_more_than(&mut self, node: &YamlNode<'_>, name: &str, period: Period) -> Option<Predicate> {
        let amount = self.problems.parse_money(node, name)?;
        Some(Predicate::SpentMoreThan(SpentLimit { amount, period }))
    }

    /// Parses a text or a list of texts, and converts them to lower case; `name` is the key. `None` if it is invalid;
    /// the problem is reported.
    fn parse_lower_texts(&mut self, name: &str, node: &YamlNode<'_>) -> Option<Vec<String>> {
        Some(self.problems.parse_texts(node, name)?.into_iter().map(str::to_lowercase).collect())
    }

    /// Parses the names of models, in lower case, and adds the id of each model that the registry knows by the name.
    /// `None` if it is invalid; the problem is reported.
    fn parse_client_models(&mut self, node: &YamlNode<'_>) -> Option<Vec<String>> {
        let mut names = self.parse_lower_texts("client_model_is", node)?;
        let ids: Vec<_> =
            names.iter().filter_map(|name| self.registry.named(name)).map(|model| model.id.to_string()).collect();
        names.extend(ids);
        names.sort();
        names.dedup();
        Some(names)
    }

    /// Parses the kinds of auxiliary calls of the condition `auxiliary_call_is`. `None` if it is invalid; the problem
    /// is reported.
    fn parse_auxiliary_calls(&mut self, node: &YamlNode<'_>) -> Option<Vec<AuxiliaryCall>> {
        let texts = self.problems.parse_texts(node, "auxiliary_call_is")?;
        let calls: Option<Vec<_>> = texts.iter().map(|name| AuxiliaryCall::named(name)).collect();
        if calls.is_none() {
            let names = AuxiliaryCall::ALL.map(AuxiliaryCall::name).join(", ");
            self.problems.report(node.mark, format!("`auxiliary_call_is` takes some of {names}"));
        }
        calls
    }

    /// Parses a list of at least one condition; `name` is the key. `None` if it is invalid; the problem is reported.
    fn parse_condition_list(&mut self, name: &str, node: &YamlNode<'_>) -> Option<Vec<Predicate>> {
        let items = self.problems.parse_list(node, name)?;
        if items.is_empty() {
            self.problems.report(node.mark, format!("`{name}` is empty: name at least one condition"));
            return None;
        }
        let parts: Vec<_> = items.iter().map(|item| self.parse_predicate(item)).collect();
        parts.into_iter().collect()
    }

    /// Parses the regular expression of `message_matches`. Returns the number of its text predicate. `None` if it is
    /// invalid; the problem is reported.
    fn parse_message_pattern(&mut self, node: &YamlNode<'_>) -> Option<u16> {
        let text = self.problems.parse_text(node, "message_matches")?;
        let added = self.texts.add_pattern(text);
        self.ok_or_report(node, added)
    }

    /// Parses the value of `time_of_day_between`: a list of two times, the start and the end. `None` if it is invalid;
    /// the problem is reported.
    fn parse_time_window(&mut self, node: &YamlNode<'_>) -> Option<TimeWindow> {
        let items = self.problems.parse_list(node, "time_of_day_between")?;
        let [from, until] = items else {
            self.problems.report(node.mark, "`time_of_day_between` must be two times, such as [22:00, 06:00]");
            return None;
        };
        let from = self.parse_minute_of_day(from);
        let until = self.parse_minute_of_day(until);
        Some(TimeWindow { from: from?, until: until? })
    }

    /// Parses a time of day, `H:MM` or `HH:MM`, into minutes since midnight. `None` if it is invalid; the problem is
    /// reported.
    fn parse_minute_of_day(&mut self, node: &YamlNode<'_>) -> Option<u16> {
        let minute_of_day = match &node.value {
            YamlValue::Scalar { text, .. } => TimeWindow::parse_minute_of_day(text),
            _ => None,
        };
        if minute_of_day.is_none() {
            self.problems.report(node.mark, "`time_of_day_between` takes times from 00:00 to 23:59");
        }
        minute_of_day
    }

    /// Returns the value of a result, or reports its error at the position of `node`. `None` after an error.
    fn ok_or_report<T>(&mut self, node: &YamlNode<'_>, result: Result<T, impl std::fmt::Display>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problems.report(node.mark, error.to_string());
                None
            }
        }
    }
}

/// Normalises the extension of a file to the form that turns have: in lower case, with the dot. `sql` and `.SQL` both
/// become `.sql`.
pub fn extension_name(text: &str) -> String {
    let text = text.to_lowercase();
    if text.starts_with('.') { text } else { format!(".{text}") }
}
