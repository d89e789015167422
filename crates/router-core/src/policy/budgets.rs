//! Parses the block `budgets` (decision D46).

use std::collections::BTreeSet;

use contracts::{NanoUsd, Period};

use super::{load::Loader, paths, schema};
use crate::{
    budget::{Budget, BudgetScope, ModelList, OnReached},
    yaml::Node,
};

/// The most budgets of a policy.
const MAX_BUDGETS: usize = 100;

/// Keywords of `scope`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ScopeWord {
    #[default]
    All,
    Project,
    Client,
    Session,
}

impl Loader<'_> {
    /// Parses the list of budgets.
    pub(super) fn budgets(&mut self, node: &Node<'_>) -> Vec<Budget> {
        let items = self.problems.list(node, "budgets").unwrap_or_default();
        if MAX_BUDGETS < items.len() {
            self.problems
                .report(node.mark, format!("a policy has at most {MAX_BUDGETS} budgets, this one {}", items.len()));
            return Vec::new();
        }
        let mut names = BTreeSet::new();
        items.iter().enumerate().filter_map(|(index, item)| self.budget(item, index, &mut names)).collect()
    }

    fn budget(&mut self, node: &Node<'_>, index: usize, names: &mut BTreeSet<String>) -> Option<Budget> {
        let subject = format!("budget {index}");
        let keys = self.problems.mapping(node, &subject, schema::BUDGET)?;
        let name = match keys.get("name") {
            Some(name) => self.name(name)?.to_owned(),
            None => format!("budget_{index}"),
        };
        if !names.insert(name.clone()) {
            self.problems.report(node.mark, format!("two budgets are called `{name}`: names are unique"));
        }
        if !keys.contains("limit_usd") {
            self.problems.report(node.mark, format!("{subject} has no `limit_usd`"));
        }
        let limit = keys.get("limit_usd").and_then(|node| self.limit(node));
        let words = [
            ("all", ScopeWord::All),
            ("project", ScopeWord::Project),
            ("client", ScopeWord::Client),
            ("session", ScopeWord::Session),
        ];
        let scope_word = match keys.get("scope") {
            Some(node) => self.problems.choice(node, "scope", &words)?,
            None if keys.contains("project") => ScopeWord::Project,
            None if keys.contains("client") => ScopeWord::Client,
            None => ScopeWord::All,
        };
        for (key, word) in [("project", ScopeWord::Project), ("client", ScopeWord::Client)] {
            if let Some(node) = keys.get(key).filter(|_| scope_word != word) {
                self.problems.report(node.mark, format!("`{key}` needs `scope: {key}`"));
            }
        }
        let scope = match scope_word {
            ScopeWord::All => BudgetScope::All,
            ScopeWord::Session => BudgetScope::Session,
            ScopeWord::Project => BudgetScope::Project(keys.get("project").and_then(|node| self.project(node))),
            ScopeWord::Client => BudgetScope::Client(
                keys.get("client").and_then(|node| self.problems.text(node, "client")).map(str::to_lowercase),
            ),
        };
        let periods = [("day", Period::Day), ("week", Period::Week), ("month", Period::Month)];
        let period = match (keys.get("period"), scope_word) {
            (None, ScopeWord::Session) => Some(Period::Session),
            (Some(node), ScopeWord::Session) => {
                self.problems.report(node.mark, "a budget of a session has no `period`: it covers the whole session");
                None
            }
            (Some(node), _) => self.problems.choice(node, "period", &periods),
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
            (None, Some(models)) => self.models(models, "use").map(|models| OnReached::Use(ModelList(models))),
            (Some(node), None) => {
                let is_warning = self.problems.choice(node, "on_reached", &[("refuse", false), ("warn", true)]);
                is_warning.map(|warn| if warn { OnReached::Warn } else { OnReached::Refuse })
            }
            (None, None) => Some(OnReached::Refuse),
        };
        Some(Budget { name, limit: limit?, period: period?, scope, on_reached: on_reached? })
    }

    /// Parses a limit above zero.
    fn limit(&mut self, node: &Node<'_>) -> Option<NanoUsd> {
        let limit = self.problems.money(node, "limit_usd")?;
        if limit == NanoUsd(0) {
            self.problems.report(node.mark, "`limit_usd` must be more than 0");
            return None;
        }
        Some(limit)
    }

    /// Parses the path of a project's workspace.
    fn project(&mut self, node: &Node<'_>) -> Option<String> {
        let path = self.problems.text(node, "project")?;
        let resolved = paths::resolve(path, self.home);
        if resolved.is_none() {
            let message = format!("project `{path}` is not an absolute path: start it with `/` or `~`");
            self.problems.report(node.mark, message);
        }
        resolved
    }
}
