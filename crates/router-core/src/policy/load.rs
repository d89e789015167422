//! Converts the text of a policy to a [`Policy`], or to all problems found in it (004 §5.7, decision D8).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{ModelId, ModelSpec, Registry, Tier};

use super::{
    Candidates, Disagreement, GatewaySettings, OnExplicitReject, Policy, Problem, RecordText, Rule, Rules, Scope,
    fields::Problems,
    paths,
    problem::did_you_mean,
    schema::{self, names},
};
use crate::{
    text_set::TextSet,
    yaml::{self, Node},
};

/// The maximum number of rules in a policy, over all workspaces and the global ones.
const MAX_RULES: usize = 2_000;
/// The maximum length of a rule's name, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// Parses and validates a policy file. Returns the policy, or all problems sorted by position and without duplicates;
/// for invalid YAML only its first problem.
pub(super) fn load(text: &str, registry: Arc<Registry>, home: Option<&str>) -> Result<Policy, Vec<Problem>> {
    let mut loader = Loader {
        registry,
        models: BTreeMap::new(),
        home,
        problems: Problems::default(),
        texts: TextSet::default(),
        rule_count: 0,
    };
    let root = yaml::parse(text).map_err(|problem| vec![problem])?;
    let mut policy = loader.policy(root.as_ref().filter(|root| !root.is_null()));
    let Loader { mut problems, texts, .. } = loader;
    if problems.0.is_empty() {
        policy.texts = texts;
        return Ok(policy);
    }
    problems.0.sort();
    problems.0.dedup();
    Err(problems.0)
}

/// Returns the name of a rule without one: `rule_` and its index, with a further number if another rule is given that name
/// (004 §5.7 exempts these names from the rule that names are unique).
fn unused_name(index: usize, given: &BTreeSet<&str>) -> String {
    let names = std::iter::once(format!("rule_{index}")).chain((2..).map(|number| format!("rule_{index}_{number}")));
    let mut unused = names.filter(|name| !given.contains(name.as_str()));
    unused.next().unwrap_or_default()
}

pub(super) struct Loader<'h> {
    /// The models that names are resolved against.
    pub(super) registry: Arc<Registry>,
    /// The models that the policy names, by id. All rules and defaults that name a model share one copy.
    models: BTreeMap<ModelId, Arc<ModelSpec>>,
    pub(super) home: Option<&'h str>,
    pub(super) problems: Problems,
    /// The text predicates of the rules parsed so far.
    pub(super) texts: TextSet,
    /// The number of rules so far, in all scopes.
    rule_count: usize,
}

impl Loader<'_> {
    /// Parses all blocks of the file; `None` is an empty file. The result contains defaults in place of invalid values,
    /// and is discarded if there are problems.
    fn policy(&mut self, root: Option<&Node<'_>>) -> Policy {
        let mut policy = Policy {
            registry: Arc::clone(&self.registry),
            global: Scope::default(),
            workspaces: BTreeMap::new(),
            texts: TextSet::default(),
            on_explicit_reject: OnExplicitReject::default(),
            disagreement: Disagreement::default(),
            record_text: RecordText::default(),
            embedding: None,
            gateway: GatewaySettings::default(),
            budgets: Vec::new(),
        };
        let Some(keys) = root.and_then(|root| self.problems.mapping(root, "the policy", schema::ROOT)) else {
            return policy;
        };
        if let Some(version) = keys.get("schema_version")
            && self.problems.count(version, "schema_version", 1).is_some_and(|version| version != 1)
        {
            self.problems.report(version.mark, "`schema_version` must be 1: this program knows no other");
        }
        policy.global.default = keys.get("global_default").and_then(|node| self.models(node, "global_default"));
        policy.global.tiers = keys.get("tiers").and_then(|node| self.tiers(node));
        policy.global.pattern = keys.get("pattern").and_then(|node| self.pattern(node));
        if let Some(disagreement) = keys.get("pattern_disagreement").and_then(|node| self.disagreement(node)) {
            policy.disagreement = disagreement;
        }
        if let Some(routing) = keys.get("routing")
            && let Some(keys) = self.problems.mapping(routing, "`routing`", schema::ROUTING)
            && let Some(node) = keys.get("on_explicit_reject")
        {
            let words = [("fall_back", OnExplicitReject::FallThrough), ("refuse", OnExplicitReject::Refuse)];
            policy.on_explicit_reject = self.problems.choice(node, "on_explicit_reject", &words).unwrap_or_default();
        }
        if let Some(privacy) = keys.get("privacy")
            && let Some(keys) = self.problems.mapping(privacy, "`privacy`", schema::PRIVACY)
            && let Some(node) = keys.get("record_text")
        {
            let words = [("local", RecordText::Local), ("always", RecordText::Always), ("never", RecordText::Never)];
            policy.record_text = self.problems.choice(node, "record_text", &words).unwrap_or_default();
        }
        if let Some(settings) = keys.get("gateway").and_then(|node| self.gateway(node)) {
            policy.gateway = settings;
        }
        if let Some(budgets) = keys.get("budgets") {
            policy.budgets = self.budgets(budgets);
        }
        policy.embedding = keys.get("embedding").and_then(|node| self.embedding(node));
        if let Some(workspaces) = keys.get("workspaces") {
            policy.workspaces = self.workspaces(workspaces);
        }
        if let Some(rules) = keys.get("rules") {
            policy.global.rules = self.rules(rules);
        }
        policy
    }

    /// Parses the block `workspaces`, from path to settings. Reports paths that are not absolute, and two that resolve
    /// to the same directory.
    fn workspaces(&mut self, node: &Node<'_>) -> BTreeMap<String, Scope> {
        let mut workspaces = BTreeMap::new();
        let mut entries: Vec<_> = self.problems.entries(node, "`workspaces`").unwrap_or_default().into_iter().collect();
        entries.sort_by_key(|(_, (mark, _))| (mark.line, mark.column));
        for (path, (mark, node)) in entries {
            let Some(resolved) = paths::resolve(path, self.home) else {
                self.problems
                    .report(mark, format!("workspace `{path}` is not an absolute path: start it with `/` or `~`"));
                continue;
            };
            let scope = self.workspace(node);
            if workspaces.insert(resolved.clone(), scope).is_some() {
                self.problems.report(mark, format!("workspace `{path}` is `{resolved}`, which stands here already"));
            }
        }
        workspaces
    }

    /// Parses the settings of one workspace. The result contains defaults in place of invalid values.
    fn workspace(&mut self, node: &Node<'_>) -> Scope {
        let Some(keys) = self.problems.mapping(node, "a workspace", schema::WORKSPACE) else {
            return Scope::default();
        };
        Scope {
            default: keys.get("default").and_then(|node| self.models(node, "default")),
            tiers: keys.get("tiers").and_then(|node| self.tiers(node)),
            pattern: keys.get("pattern").and_then(|node| self.pattern(node)),
            rules: keys.get("rules").map(|node| self.rules(node)).unwrap_or_default(),
        }
    }

    /// Resolves a model id or alias (decision D8). Reports an unknown name, with the id or alias that was probably
    /// meant, and returns `None`.
    pub(super) fn model(&mut self, node: &Node<'_>, subject: &str) -> Option<Arc<ModelSpec>> {
        let name = self.problems.text(node, subject)?;
        let found = self.registry.named(name);
        if found.is_none() {
            let name_in_full = self.registry.iter().find(|model| model.id.model() == name);
            let hint = match name_in_full {
                Some(model) => format!("; did you mean `{}`?", model.id),
                None => did_you_mean(&name.to_lowercase(), self.registry.names().map(|(name, _)| name)),
            };
            self.problems.report(node.mark, format!("`{subject}` names an unknown model `{name}`{hint}"));
        }
        let found = found?;
        Some(Arc::clone(self.models.entry(found.id.clone()).or_insert_with(|| Arc::new(found.clone()))))
    }

    /// Parses a block `tiers`, which must name models for all tiers; `None` if one is missing or invalid.
    fn tiers(&mut self, node: &Node<'_>) -> Option<BTreeMap<Tier, Candidates>> {
        let keys = self.problems.mapping(node, "`tiers`", schema::TIERS)?;
        let missing: Vec<_> = names(schema::TIERS).filter(|name| !keys.contains(name)).collect();
        if !missing.is_empty() {
            let message = format!("`tiers` must name all of fast, balanced and deep; missing: {}", missing.join(", "));
            self.problems.report(node.mark, message);
        }
        let tiers: BTreeMap<_, _> = Tier::ALL
            .into_iter()
            .filter_map(|tier| Some((tier, self.models(keys.get(tier.name())?, tier.name())?)))
            .collect();
        (tiers.len() == Tier::ALL.len()).then_some(tiers)
    }

    /// Parses a list of rules. Invalid rules are reported and omitted. The list is empty, and a problem reported, if
    /// the policy has more than [`MAX_RULES`] rules with it.
    fn rules(&mut self, node: &Node<'_>) -> Rules {
        let items = self.problems.list(node, "rules").unwrap_or_default();
        self.rule_count += items.len();
        if MAX_RULES < self.rule_count {
            self.problems
                .report(node.mark, format!("a policy has at most {MAX_RULES} rules, this one {}", self.rule_count));
            return Rules::default();
        }
        let given: BTreeSet<&str> = items.iter().filter_map(|item| item.member("name")).collect();
        let mut names = BTreeSet::new();
        let rules = items.iter().enumerate().filter_map(|(index, item)| self.rule(item, index, &given, &mut names));
        rules.collect::<Vec<_>>().into()
    }

    /// Parses a rule. `given` are the names of the rules that have one, `used_names` those of the rules before it.
    fn rule(
        &mut self,
        node: &Node<'_>,
        index: usize,
        given: &BTreeSet<&str>,
        used_names: &mut BTreeSet<String>,
    ) -> Option<Rule> {
        let subject = format!("rule {index}");
        let keys = self.problems.mapping(node, &subject, schema::RULE)?;
        for key in schema::RULE.iter().filter(|key| key.required && !keys.contains(key.name)) {
            self.problems.report(node.mark, format!("{subject} has no `{}`", key.name));
        }
        let name = match keys.get("name") {
            Some(name) => self.name(name).map(str::to_owned),
            None => Some(unused_name(index, given)),
        };
        if let Some(name) = &name
            && !used_names.insert(name.clone())
        {
            let mark = keys.get("name").map_or(node.mark, |name| name.mark);
            self.problems.report(mark, format!("two rules are called `{name}`: names are unique"));
        }
        let when = keys.get("when").and_then(|when| self.predicate(when));
        let models = keys.get("use").and_then(|models| self.models(models, "use"));
        Some(Rule { name: name?, when: when?, models: models?, line: node.mark.line })
    }

    pub(super) fn name<'n>(&mut self, node: &'n Node<'_>) -> Option<&'n str> {
        let name = self.problems.text(node, "name")?;
        if MAX_NAME_BYTES < name.len() {
            self.problems.report(node.mark, format!("`name` has {} bytes, the most is {MAX_NAME_BYTES}", name.len()));
        }
        if name.chars().any(char::is_control) {
            self.problems.report(node.mark, "`name` contains a control character");
        }
        Some(name)
    }
}
