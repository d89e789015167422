//! Parses the conditions of rules.

use contracts::{AuxiliaryCall, Period, SpentLimit};

use super::{load::Loader, schema};
use crate::{
    predicate::Predicate,
    time_window::TimeWindow,
    yaml::{Node, Value},
};

impl Loader<'_> {
    /// Parses a condition. A mapping with several keys requires all of them; an empty one always holds (004 §5.3.2,
    /// decision D8).
    pub(super) fn predicate(&mut self, node: &Node<'_>) -> Option<Predicate> {
        // Without its value a condition would hold always.
        let known = self.problems.mapping_with_nulls(node, "a condition", schema::PREDICATE)?;
        let Value::Map(entries) = &node.value else { return None };
        let parts: Vec<_> = entries
            .iter()
            .filter_map(|(key, value)| match &key.value {
                Value::Scalar { text, .. } if known.contains(text.as_ref()) => Some((text.as_ref(), value)),
                _ => None,
            })
            .map(|(name, value)| self.single_condition(name, value))
            .collect();
        let mut parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        match parts.len() {
            1 => parts.pop(),
            _ => Some(Predicate::All(parts)),
        }
    }

    /// Parses the condition `name` with the value `node`.
    fn single_condition(&mut self, name: &str, node: &Node<'_>) -> Option<Predicate> {
        Some(match name {
            "message_matches" => Predicate::Text(self.message_pattern(node)?),
            "message_contains_any" => {
                let needles = self.problems.texts(node, name)?;
                let added = self.texts.add_needles(&needles);
                Predicate::Text(self.ok_or_report(node, added)?)
            }
            "estimated_input_tokens_gt" => Predicate::TokensAbove(self.problems.count(node, name, 0)?),
            "estimated_input_tokens_lt" => Predicate::TokensBelow(self.problems.count(node, name, 0)?),
            "has_images" => Predicate::HasImages(self.problems.boolean(node, name)?),
            "has_tool_calls_in_history" => Predicate::HasToolCalls(self.problems.boolean(node, name)?),
            "skills_matching_message_includes" => {
                Predicate::Skills(self.problems.texts(node, name)?.into_iter().map(str::to_owned).collect())
            }
            "file_extensions_in_context" => {
                Predicate::Extensions(self.problems.texts(node, name)?.into_iter().map(extension_name).collect())
            }
            "workspace_path_matches" => {
                let text = self.problems.text(node, name)?;
                let pattern = self.texts.pattern(text);
                Predicate::Workspace(self.ok_or_report(node, pattern)?)
            }
            "time_of_day_between" => Predicate::TimeOfDay(self.time_window(node)?),
            "cost_today_exceeds_usd" => self.spent_more_than(node, name, Period::Day)?,
            "cost_this_week_exceeds_usd" => self.spent_more_than(node, name, Period::Week)?,
            "cost_this_month_exceeds_usd" => self.spent_more_than(node, name, Period::Month)?,
            "cost_of_session_exceeds_usd" => self.spent_more_than(node, name, Period::Session)?,
            "client_is" => Predicate::Client(self.lower_texts(name, node)?),
            "client_model_is" => Predicate::ClientModel(self.client_models(node)?),
            "thread_is_subagent" => Predicate::Subagent(self.problems.boolean(node, name)?),
            "auxiliary_call_is" => Predicate::AuxiliaryCall(self.auxiliary_calls(node)?),
            "requests_web_search" => Predicate::WebSearch(self.problems.boolean(node, name)?),
            "requests_thinking" => Predicate::Thinking(self.problems.boolean(node, name)?),
            "any_of" => Predicate::Any(self.condition_list(name, node)?),
            "all_of" => Predicate::All(self.condition_list(name, node)?),
            "not" => Predicate::Not(Box::new(self.predicate(node)?)),
            // An unknown key was reported when the mapping was parsed.
            _ => return None,
        })
    }

    fn spent_more_than(&mut self, node: &Node<'_>, name: &str, period: Period) -> Option<Predicate> {
        let amount = self.problems.money(node, name)?;
        Some(Predicate::SpentMoreThan(SpentLimit { amount, period }))
    }

    fn lower_texts(&mut self, name: &str, node: &Node<'_>) -> Option<Vec<String>> {
        Some(self.problems.texts(node, name)?.into_iter().map(str::to_lowercase).collect())
    }

    /// Parses model names, and adds the ids of the known ones.
    fn client_models(&mut self, node: &Node<'_>) -> Option<Vec<String>> {
        let mut names = self.lower_texts("client_model_is", node)?;
        let ids: Vec<_> =
            names.iter().filter_map(|name| self.registry.named(name)).map(|model| model.id.to_string()).collect();
        names.extend(ids);
        names.sort();
        names.dedup();
        Some(names)
    }

    fn auxiliary_calls(&mut self, node: &Node<'_>) -> Option<Vec<AuxiliaryCall>> {
        let names = self.problems.texts(node, "auxiliary_call_is")?;
        let known: Option<Vec<_>> = names.iter().map(|name| AuxiliaryCall::named(name)).collect();
        if known.is_none() {
            let all = AuxiliaryCall::ALL.map(AuxiliaryCall::name).join(", ");
            self.problems.report(node.mark, format!("`auxiliary_call_is` takes some of {all}"));
        }
        known
    }

    /// Parses a list of conditions, at least one.
    fn condition_list(&mut self, name: &str, node: &Node<'_>) -> Option<Vec<Predicate>> {
        let items = self.problems.list(node, name)?;
        if items.is_empty() {
            self.problems.report(node.mark, format!("`{name}` is empty: name at least one condition"));
            return None;
        }
        let parts: Vec<_> = items.iter().map(|item| self.predicate(item)).collect();
        parts.into_iter().collect()
    }

    fn message_pattern(&mut self, node: &Node<'_>) -> Option<u16> {
        let text = self.problems.text(node, "message_matches")?;
        let added = self.texts.add_pattern(text);
        self.ok_or_report(node, added)
    }

    fn time_window(&mut self, node: &Node<'_>) -> Option<TimeWindow> {
        let items = self.problems.list(node, "time_of_day_between")?;
        let [from, until] = items else {
            self.problems.report(node.mark, "`time_of_day_between` must be two times, such as [22:00, 06:00]");
            return None;
        };
        let from = self.minute(from);
        let until = self.minute(until);
        Some(TimeWindow { from: from?, until: until? })
    }

    fn minute(&mut self, node: &Node<'_>) -> Option<u16> {
        let minute = match &node.value {
            Value::Scalar { text, .. } => TimeWindow::minute(text),
            _ => None,
        };
        if minute.is_none() {
            self.problems.report(node.mark, "`time_of_day_between` takes times from 00:00 to 23:59");
        }
        minute
    }

    /// Returns the value, or reports the error at `node`.
    fn ok_or_report<T>(&mut self, node: &Node<'_>, result: Result<T, impl std::fmt::Display>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problems.report(node.mark, error.to_string());
                None
            }
        }
    }
}

/// Normalises the extension of a file as turns have it: in lower case, with the dot. `sql` and `.SQL` both mean `.sql`.
pub fn extension_name(text: &str) -> String {
    let text = text.to_lowercase();
    if text.starts_with('.') { text } else { format!(".{text}") }
}
