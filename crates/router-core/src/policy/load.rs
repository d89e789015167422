//! Parses and validates a policy file: converts its text to a [`Policy`], or to all problems found in it (004 §5.7,
//! decision D8).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{ModelId, ModelSpec, Registry, Tier};

use super::{
    DisagreementSettings, GatewaySettings, ModelCandidates, OnExplicitReject, Policy, PolicyScope, Problem, RecordText,
    Rule, Rules, fields::ProblemCollector, key::key_names, keys, paths, problem::did_you_mean, text_cost,
};
use crate::{
    text_set::TextSet,
    yaml::{self, YamlNode},
};

/// The maximum number of rules in a policy: those of all workspaces and the global ones together.
const MAX_RULES: usize = 2_000;
/// The maximum length of a rule's name, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// Parses and validates a policy file. `home` is the user's home directory, for paths that start with `~`.
///
/// # Errors
/// All problems of the file, sorted by position and without duplicates; for invalid YAML only the first problem.
pub(super) fn load_policy(text: &str, registry: Arc<Registry>, home: Option<&str>) -> Result<Policy, Vec<Problem>> {
    let mut loader = Loader {
        registry,
        models: BTreeMap::new(),
        home,
        problems: ProblemCollector::default(),
        texts: TextSet::default(),
        rule_count: 0,
    };
    let root = yaml::parse_document(text).map_err(|problem| vec![problem])?;
    let mut policy = loader.parse_policy(root.as_ref().filter(|root| !root.is_null()));
    let Loader { mut problems, texts, .. } = loader;
    if problems.0.is_empty() {
        policy.texts = texts;
        return match text_cost::check_text_cost(&policy) {
            None => Ok(policy),
            Some(problem) => Err(vec![problem]),
        };
    }
    problems.0.sort();
    problems.0.dedup();
    Err(problems.0)
}

/// Returns the name of a rule without one in the file: `rule_` and its index. If one of the names `given` to other
/// rules is the same, a further number is appended (004 §5.7 requires unique names only of rules that are named in the
/// file).
fn unused_name(index: usize, given: &BTreeSet<&str>) -> String {
    let names = std::iter::once(format!("rule_{index}")).chain((2..).map(|number| format!("rule_{index}_{number}")));
    let mut unused = names.filter(|name| !given.contains(name.as_str()));
    unused.next().unwrap_or_default()
}

/// The state of parsing a policy file: the known models, and the texts, rules and problems found so far.
pub(super) struct Loader<'h> {
    /// The models that names are resolved against.
    pub(super) registry: Arc<Registry>,
    /// The models that the policy names, by id. All rules and defaults that name a model share one copy.
    models: BTreeMap<ModelId, Arc<ModelSpec>>,
    /// The user's home directory, which replaces `~` at the start of paths; `None` if it is unknown.
    pub(super) home: Option<&'h str>,
    /// The problems found so far.
    pub(super) problems: ProblemCollector,
    /// The text predicates of the rules parsed so far.
    pub(super) texts: TextSet,
    /// The number of rules so far, in all scopes.
    rule_count: usize,
}

impl Loader<'_> {
    /// Parses all blocks of the file; `root` is `None` if the file is empty. If problems are reported, the result
    /// contains defaults in place of invalid values, and the caller discards it.
    fn parse_policy(&mut self, root: Option<&YamlNode<'_>>) -> Policy {
        let mut policy = Policy {
            registry: Arc::clone(&self.registry),
            global: PolicyScope::default(),
            workspaces: BTreeMap::new(),
            texts: TextSet::default(),
            on_explicit_reject: OnExplicitReject::default(),
            skill_wishes: false,
            disagreement: DisagreementSettings::default(),
            record_text: RecordText::default(),
            embedding: None,
            gateway: GatewaySettings::default(),
            budgets: Vec::new(),
            skills: None,
        };
        let Some(keys) = root.and_then(|root| self.problems.parse_mapping(root, "the policy", keys::ROOT)) else {
            return policy;
        };
        if let Some(version) = keys.get("schema_version")
            && self.problems.parse_count(version, "schema_version", 1).is_some_and(|version| version != 1)
        {
            self.problems.report(version.mark, "`schema_version` must be 1: this program knows no other");
        }
        policy.global.default = keys.get("global_default").and_then(|node| self.parse_models(node, "global_default"));
        policy.global.tiers = keys.get("tiers").and_then(|node| self.parse_tiers(node));
        policy.global.pattern = keys.get("pattern").and_then(|node| self.parse_pattern(node));
        if let Some(disagreement) = keys.get("pattern_disagreement").and_then(|node| self.parse_disagreement(node)) {
            policy.disagreement = disagreement;
        }
        if let Some(routing) = keys.get("routing")
            && let Some(keys) = self.problems.parse_mapping(routing, "`routing`", keys::ROUTING)
        {
            if let Some(node) = keys.get("on_explicit_reject") {
                let words = [("fall_back", OnExplicitReject::FallThrough), ("refuse", OnExplicitReject::Refuse)];
                policy.on_explicit_reject =
                    self.problems.parse_choice(node, "on_explicit_reject", &words).unwrap_or_default();
            }
            let wishes = keys.get("skill_wishes");
            policy.skill_wishes =
                wishes.and_then(|node| self.problems.parse_boolean(node, "skill_wishes")).unwrap_or(false);
        }
        if let Some(privacy) = keys.get("privacy")
            && let Some(keys) = self.problems.parse_mapping(privacy, "`privacy`", keys::PRIVACY)
            && let Some(node) = keys.get("record_text")
        {
            let words = [("local", RecordText::Local), ("always", RecordText::Always), ("never", RecordText::Never)];
            policy.record_text = self.problems.parse_choice(node, "record_text", &words).unwrap_or_default();
        }
        if let Some(settings) = keys.get("gateway").and_then(|node| self.parse_gateway(node)) {
            policy.gateway = settings;
        }
        if let Some(budgets) = keys.get("budgets") {
            policy.budgets = self.parse_budgets(budgets);
        }
        policy.skills = keys.get("skills").map(|node| self.parse_section(node, "skills"));
        policy.embedding = keys.get("embedding").and_then(|node| self.parse_embedding(node));
        if let Some(workspaces) = keys.get("workspaces") {
            policy.workspaces = self.parse_workspaces(workspaces);
        }
        if let Some(rules) = keys.get("rules") {
            policy.global.rules = self.parse_rules(rules);
        }
        policy
    }

    /// Parses the block `workspaces`, a mapping from paths to settings. Reports paths that are not absolute, and two
    /// paths that resolve to the same directory.
    fn parse_workspaces(&mut self, node: &YamlNode<'_>) -> BTreeMap<String, PolicyScope> {
        let mut workspaces = BTreeMap::new();
        let mut entries: Vec<_> =
            self.problems.parse_entries(node, "`workspaces`").unwrap_or_default().into_iter().collect();
        entries.sort_by_key(|(_, (mark, _))| (mark.line, mark.column));
        for (path, (mark, node)) in entries {
            let Some(resolved) = paths::normalize_path(path, self.home) else {
                self.problems
                    .report(mark, format!("workspace `{path}` is not an absolute path: start it with `/` or `~`"));
                continue;
            };
            let scope = self.parse_workspace(node);
            if workspaces.insert(resolved.clone(), scope).is_some() {
                self.problems.report(mark, format!("workspace `{path}` is `{resolved}`, which is listed already"));
            }
        }
        workspaces
    }

    /// Parses the settings of one workspace. Invalid values are reported and replaced by defaults.
    fn parse_workspace(&mut self, node: &YamlNode<'_>) -> PolicyScope {
        let Some(keys) = self.problems.parse_mapping(node, "a workspace", keys::WORKSPACE) else {
            return PolicyScope::default();
        };
        PolicyScope {
            default: keys.get("default").and_then(|node| self.parse_models(node, "default")),
            tiers: keys.get("tiers").and_then(|node| self.parse_tiers(node)),
            pattern: keys.get("pattern").and_then(|node| self.parse_pattern(node)),
            rules: keys.get("rules").map(|node| self.parse_rules(node)).unwrap_or_default(),
        }
    }

    /// Resolves the name of a model: an id or an alias (decision D8). Reports an unknown name, with a suggestion if a
    /// known name is similar, and returns `None`. `subject` is the key, for the message.
    pub(super) fn resolve_model(&mut self, node: &YamlNode<'_>, subject: &str) -> Option<Arc<ModelSpec>> {
        let name = self.problems.parse_text(node, subject)?;
        let model = self.registry.named(name);
        if model.is_none() {
            let name_in_full = self.registry.iter().find(|model| model.id.model() == name);
            let hint = match name_in_full {
                Some(model) => format!("; did you mean `{}`?", model.id),
                None => did_you_mean(&name.to_lowercase(), self.registry.names().map(|(name, _)| name)),
            };
            self.problems.report(node.mark, format!("`{subject}` names an unknown model `{name}`{hint}"));
        }
        let model = model?;
        Some(Arc::clone(self.models.entry(model.id.clone()).or_insert_with(|| Arc::new(model.clone()))))
    }

    /// Parses a block `tiers`, which must name models for all tiers. `None` if a tier is missing or invalid.
    fn parse_tiers(&mut self, node: &YamlNode<'_>) -> Option<BTreeMap<Tier, ModelCandidates>> {
        let keys = self.problems.parse_mapping(node, "`tiers`", keys::TIERS)?;
        let missing_tiers: Vec<_> = key_names(keys::TIERS).filter(|name| !keys.contains(name)).collect();
        if !missing_tiers.is_empty() {
            let message =
                format!("`tiers` must name all of fast, balanced and deep; missing: {}", missing_tiers.join(", "));
            self.problems.report(node.mark, message);
        }
        let tiers: BTreeMap<_, _> = Tier::ALL
            .into_iter()
            .filter_map(|tier| Some((tier, self.parse_models(keys.get(tier.name())?, tier.name())?)))
            .collect();
        (tiers.len() == Tier::ALL.len()).then_some(tiers)
    }

    /// Parses a list of rules. Invalid rules are reported and omitted. If the policy has more than [`MAX_RULES`] rules
    /// with this list, that is reported and the list is empty.
    fn parse_rules(&mut self, node: &YamlNode<'_>) -> Rules {
        let items = self.problems.parse_list(node, "rules").unwrap_or_default();
        self.rule_count += items.len();
        if MAX_RULES < self.rule_count {
            self.problems
                .report(node.mark, format!("a policy has at most {MAX_RULES} rules, this one {}", self.rule_count));
            return Rules::default();
        }
        let stated_names: BTreeSet<&str> = items.iter().filter_map(|item| item.member("name")).collect();
        let mut names = BTreeSet::new();
        let rules = items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.parse_rule(item, index, &stated_names, &mut names));
        rules.collect::<Vec<_>>().into()
    }

    /// Parses the rule at position `index` of a list; `None` if it is invalid. `stated_names` contains the names that the file
    /// gives to rules of the list, `used_names` the names of the rules before this one.
    fn parse_rule(
        &mut self,
        node: &YamlNode<'_>,
        index: usize,
        stated_names: &BTreeSet<&str>,
        used_names: &mut BTreeSet<String>,
    ) -> Option<Rule> {
        let subject = format!("rule {index}");
        let keys = self.problems.parse_mapping(node, &subject, keys::RULE)?;
        for key in keys::RULE.iter().filter(|key| key.is_required && !keys.contains(key.name)) {
            self.problems.report(node.mark, format!("{subject} has no `{}`", key.name));
        }
        let name = match keys.get("name") {
            Some(name) => self.parse_name(name).map(str::to_owned),
            None => Some(unused_name(index, stated_names)),
        };
        if let Some(name) = &name
            && !used_names.insert(name.clone())
        {
            let mark = keys.get("name").map_or(node.mark, |name| name.mark);
            self.problems.report(mark, format!("two rules are called `{name}`: names are unique"));
        }
        let when = keys.get("when").and_then(|when| self.parse_predicate(when));
        let models = keys.get("use").and_then(|models| self.parse_models(models, "use"));
        Some(Rule { name: name?, when: when?, models: models?, line: node.mark.line })
    }

    /// Parses the name of a rule or budget. Reports a name that is too long or contains control characters. `None` if
    /// it is invalid; the problem is reported.
    pub(super) fn parse_name<'n>(&mut self, node: &'n YamlNode<'_>) -> Option<&'n str> {
        let name = self.problems.parse_text(node, "name")?;
        if MAX_NAME_BYTES < name.len() {
            self.problems.report(node.mark, format!("`name` has {} bytes, the most is {MAX_NAME_BYTES}", name.len()));
        }
        if name.chars().any(char::is_control) {
            self.problems.report(node.mark, "`name` contains a control character");
        }
        Some(name)
    }
}
