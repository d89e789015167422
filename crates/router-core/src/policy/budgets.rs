//! Parses the block `budgets` of a policy file (decision D46).

use std::collections::BTreeSet;

use contracts::{NanoUsd, Period};

use super::{keys, load::Loader, paths};
use crate::{
    budget::{Budget, BudgetScope, ModelList, OnReached},
    yaml::YamlNode,
};

/// The greatest number of budgets in a policy.
const MAX_BUDGETS: usize = 100;

/// A keyword of `scope` in a budget, before the project or client is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ScopeKeyword {
    /// All calls.
    #[default]
    All,
    /// The calls of a project.
    Project,
    /// The calls of a client.
    Client,
    /// The calls of a session.
    Session,
}

impl Loader<'_> {
    /// Parses the list of budgets. Invalid budgets are reported and omitted.
    pub(super) fn parse_budgets(&mut self, node: &YamlNode<'_>) -> Vec<Budget> {
        let items = self.problems.parse_list(node, "budgets").unwrap_or_default();
        if MAX_BUDGETS < items.len() {
            self.problems
                .report(node.mark, format!("a policy has at most {MAX_BUDGETS} budgets, this one {}", items.len()));
            return Vec::new();
        }
        let mut names = BTreeSet::new();
        items.iter().enumerate().filter_map(|(index, item)| self.parse_budget(item, index, &mut names)).collect()
    }

    /// Parses the budget at position `index` of the list; `None` if it is invalid. Adds its name to `names`, the names
    /// of the budgets before it, which must be unique.
    fn parse_budget(&mut self, node: &YamlNode<'_>, index: usize, names: &mut BTreeSet<String>) -> Option<Budget> {
        let subject = format!("budget {index}");
        let keys = self.problems.parse_mapping(node, &subject, keys::BUDGET)?;
        let name = match keys.get("name") {
            Some(name) => self.parse_name(name)?.to_owned(),
            None => format!("budget_{index}"),
        };
        if !names.insert(name.clone()) {
            self.problems.report(node.mark, format!("two budgets are called `{name}`: names are unique"));
        }
        if !keys.contains("limit_usd") {
            self.problems.report(node.mark, format!("{subject} has no `limit_usd`"));
        }
        let limit = keys.get("limit_usd").and_then(|node| self.parse_limit(node));
        let words = [
            ("all", ScopeKeyword::All),
            ("project", ScopeKeyword::Project),
            ("client", ScopeKeyword::Client),
            ("session", ScopeKeyword::Session),
        ];
        let scope_word = match keys.get("scope") {
            Some(node) => self.problems.parse_choice(node, "scope", &words)?,
            None if keys.contains("project") => ScopeKeyword::Project,
            None if keys.contains("client") => ScopeKeyword::Client,
            None => ScopeKeyword::All,
        };
        for (key, word) in [("project", ScopeKeyword::Project), ("client", ScopeKeyword::Client)] {
            if let Some(node) = keys.get(key).filter(|_| scope_word != word) {
                self.problems.report(node.mark, format!("`{key}` needs `scope: {key}`"));
            }
        }
        let scope = match scope_word {
            ScopeKeyword::All => BudgetScope::All,
            ScopeKeyword::Session => BudgetScope::Session,
            ScopeKeyword::Project => {
                BudgetScope::Project(keys.get("project").and_then(|node| self.parse_project(node)))
            }
            ScopeKeyword::Client => BudgetScope::Client(
                keys.get("client").and_then(|node| self.problems.parse_text(node, "client")).map(str::to_lowercase),
            ),
        };
        let periods = [("day", Period::Day), ("week", Period::Week), ("month", Period::Month)];
        let period = match (keys.get("period"), scope_word) {
            (None, ScopeKeyword::Session) => Some(Period::Session),
            (Some(node), ScopeKeyword::Session) => {
                self.problems.report(node.mark, "a budget of a session has no `period`: it covers the whole session");
                None
            }
            (Some(node), _) => self.problems.parse_choice(node, "period", &periods),
            (None, _) => {
                self.problems.report(node.mark, format!("{subject} has no `period`: day, week or month"));
                None
            }
        };
        let on_reached = match (keys.get("on_reached"), keys.get("use")) {
            (Some(_), Some(models)) => {
                self.problems.report(models.mark, format!("{subject} has both `on_reached` and `use`: keep one"));
                None
            }
            (None, Some(models)) => self.parse_models(models, "use").map(|models| OnReached::Use(ModelList(models))),
            (Some(node), None) => {
                let is_warning = self.problems.parse_choice(node, "on_reached", &[("refuse", false), ("warn", true)]);
                is_warning.map(|warn| if warn { OnReached::Warn } else { OnReached::Refuse })
            }
            (None, None) => Some(OnReached::Refuse),
        };
        Some(Budget { name, limit: limit?, period: period?, scope, on_reached: on_reached? })
    }

    /// Parses the amount of a limit, which must be above zero. `None` if it is invalid; the problem is reported.
    fn parse_limit(&mut self, node: &YamlNode<'_>) -> Option<NanoUsd> {
        let limit = self.problems.parse_money(node, "limit_usd")?;
        if limit == NanoUsd(0) {
            self.problems.report(node.mark, "`limit_usd` must be more than 0");
            return None;
        }
        Some(limit)
    }

    /// Parses the absolute path of a project's workspace. `None` if it is invalid; the problem is reported.
    fn parse_project(&mut self, node: &YamlNode<'_>) -> Option<String> {
        let path = self.problems.parse_text(node, "project")?;
        let absolute_path = paths::normalize_path(path, self.home);
        if absolute_path.is_none() {
            let message = format!("project `{path}` is not an absolute path: start it with `/` or `~`");
            self.problems.report(node.mark, message);
        }
        absolute_path
    }
}
