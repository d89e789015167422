//! Generates random policies as data, which [`super::printed`] formats and [`super::reference`] evaluates.

use contracts::{AuxiliaryCall, Period, views::CostScale};
use proptest::{collection::vec, option::of, prelude::*, sample::select};

/// The models that policies name: alias and id. The last two are of another provider.
pub(super) const MODELS: [(&str, &str); 5] =
    [("one", "a:one"), ("two", "a:two"), ("three", "a:three"), ("four", "b:four"), ("five", "b:five")];

/// Regular expressions for messages.
pub(super) const PATTERNS: [&str; 10] = [
    "^commit",
    "commit",
    "(?i)commit",
    "architecture|review",
    r"\bfix\b",
    "[a-z]+x",
    "^$",
    "(?m)^review",
    "ärger|sql",
    r"\s\S",
];
/// Regular expressions for paths.
pub(super) const PATH_PATTERNS: [&str; 4] = ["^/w", "/a(/|$)", "b$", "home"];
/// Texts of `message_contains_any`.
pub(super) const TEXTS: [&str; 5] = ["commit", "FIX", "Ärger", "sql ", "zzz"];
/// Names of skills.
pub(super) const SKILLS: [&str; 3] = ["design", "review", "deploy"];
/// Extensions of files.
pub(super) const EXTENSIONS: [&str; 3] = [".sql", ".rs", ".py"];
/// Thresholds and estimates, around the context windows of the models.
pub(super) const TOKENS: [u64; 7] = [0, 999, 1_000, 1_001, 50_000, 50_001, 200_000];
/// Minutes of a day at which windows start and end, and turns start.
pub(super) const MINUTES: [u16; 6] = [0, 1, 360, 720, 1_320, 1_439];
/// Budgets in cents.
pub(super) const CENTS: [u64; 3] = [0, 500, 542];
/// Clients of the gateway, as they are written in policies.
pub(super) const CLIENTS: [&str; 3] = ["codex", "Claude-Code", "desk"];
/// Names that clients request: an alias, an id, a name that no model has, and one that leaves the choice to the policy.
pub(super) const REQUESTED: [&str; 4] = ["two", "b:five", "gpt-0", "auto"];
/// The periods of amounts that conditions compare.
pub(super) const PERIODS: [Period; 4] = [Period::Day, Period::Week, Period::Month, Period::Session];
/// Workspaces: the path as written, and the resolved path (the user's home is `/home/dev`).
const PATHS: [(&str, &str); 6] = [
    ("/", "/"),
    ("/w", "/w"),
    ("/w/./a/", "/w/a"),
    ("/x/../w/a/b", "/w/a/b"),
    ("~", "/home/dev"),
    ("~/p", "/home/dev/p"),
];

/// One key of a condition.
#[derive(Debug, Clone)]
pub(super) enum When {
    /// `message_matches`.
    Matches(&'static str),
    /// `message_contains_any`.
    ContainsAny(Vec<&'static str>),
    /// `estimated_input_tokens_gt`.
    TokensAbove(u64),
    /// `estimated_input_tokens_lt`.
    TokensBelow(u64),
    /// `has_images`.
    HasImages(bool),
    /// `has_tool_calls_in_history`.
    HasToolCalls(bool),
    /// `skills_matching_message_includes`.
    Skills(Vec<&'static str>),
    /// `skill_selected_in`.
    SelectedSkill(Vec<&'static str>),
    /// `file_extensions_in_context`.
    Extensions(Vec<&'static str>),
    /// `workspace_path_matches`.
    WorkspaceMatches(&'static str),
    /// `time_of_day_between`, in minutes since midnight.
    TimeBetween(u16, u16),
    /// `cost_today_exceeds_usd` and those of other periods, in cents.
    SpentMoreThanCents(Period, u64),
    /// `client_is`.
    Client(Vec<&'static str>),
    /// `client_model_is`.
    ClientModel(Vec<&'static str>),
    /// `thread_is_subagent`.
    Subagent(bool),
    /// `auxiliary_call_is`.
    AuxiliaryCall(Vec<AuxiliaryCall>),
    /// `requests_web_search`.
    WebSearch(bool),
    /// `requests_thinking`.
    Thinking(bool),
    /// `any_of`.
    AnyOf(Vec<Block>),
    /// `all_of`.
    AllOf(Vec<Block>),
    /// `not`.
    Not(Block),
}

/// A condition: all keys must hold, and no key is repeated.
#[derive(Debug, Clone)]
pub(super) struct Block(pub(super) Vec<When>);

/// A rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// Whether it has an explicit name.
    pub(super) named: bool,
    /// The condition.
    pub(super) when: Block,
    /// Indices in [`MODELS`], in the order in which they are tried.
    pub(super) models: Vec<usize>,
}

/// A block `pattern`; fractions in hundredths, `None` for a missing key.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// The key `cost_weight`.
    pub(super) cost_weight: Option<u64>,
    /// The key `min_confidence`.
    pub(super) min_confidence: Option<u64>,
    /// The key `min_similarity`.
    pub(super) min_similarity: Option<u64>,
    /// The key `min_sample_size`.
    pub(super) min_sample_size: Option<u64>,
    /// The key `cost_scale`.
    pub(super) cost_scale: Option<CostScale>,
}

/// The settings of a workspace, or the global ones; `None` for a missing key. Models are indices in [`MODELS`].
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// The default models.
    pub(super) default: Option<Vec<usize>>,
    /// The models of the tiers fast, balanced and deep.
    pub(super) tiers: Option<[Vec<usize>; 3]>,
    /// The block `pattern`.
    pub(super) pattern: Option<Pattern>,
    /// The rules, in order.
    pub(super) rules: Vec<Rule>,
}

/// The calls whose costs count towards a budget. `None` for each project or client on its own.
#[derive(Debug, Clone)]
pub(super) enum BudgetScope {
    /// All calls.
    All,
    /// Those of a project: the path as written, and the resolved path.
    Project(Option<(&'static str, &'static str)>),
    /// Those of a client.
    Client(Option<&'static str>),
    /// Those of a session.
    Session,
}

/// The consequence for turns while a budget is reached.
#[derive(Debug, Clone)]
pub(super) enum OnReached {
    /// They are refused; whether the policy states it, or leaves it to the default.
    Refuse(bool),
    /// They are served with a warning.
    Warn,
    /// They are served by the first valid one of these models, as indices in [`MODELS`].
    Use(Vec<usize>),
}

/// A budget.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    /// Whether it has an explicit name.
    pub(super) named: bool,
    /// The limit in cents, above 0.
    pub(super) cents: u64,
    /// The period; that of a session is [`Period::Session`].
    pub(super) period: Period,
    /// The calls that count.
    pub(super) scope: BudgetScope,
    /// The consequence.
    pub(super) on_reached: OnReached,
}

/// A policy.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    /// The budgets, in order.
    pub(super) budgets: Vec<Budget>,
    /// The global settings.
    pub(super) global: Scope,
    /// The path as written, the resolved path, and the settings below it.
    pub(super) workspaces: Vec<(&'static str, &'static str, Scope)>,
    /// Whether a rejected explicit choice refuses the turn.
    pub(super) refuse: bool,
}

/// Returns the kind of a key, without its value; amounts of different periods have different keys.
fn key(when: &When) -> (std::mem::Discriminant<When>, Option<Period>) {
    let period = match when {
        When::SpentMoreThanCents(period, _) => Some(*period),
        _ => None,
    };
    (std::mem::discriminant(when), period)
}

/// Creates a condition with the first of several keys of the same kind.
fn without_repetition(whens: Vec<When>) -> Block {
    let mut block = Block(Vec::new());
    for when in whens {
        if !block.0.iter().any(|known| key(known) == key(&when)) {
            block.0.push(when);
        }
    }
    block
}

/// Generates a key without conditions inside it.
fn leaf() -> impl Strategy<Value = When> {
    prop_oneof![
        4 => select(&PATTERNS[..]).prop_map(When::Matches),
        2 => vec(select(&TEXTS[..]), 1..3).prop_map(When::ContainsAny),
        1 => select(&TOKENS[..]).prop_map(When::TokensAbove),
        1 => select(&TOKENS[..]).prop_map(When::TokensBelow),
        1 => any::<bool>().prop_map(When::HasImages),
        1 => any::<bool>().prop_map(When::HasToolCalls),
        1 => vec(select(&SKILLS[..]), 1..3).prop_map(When::Skills),
        1 => vec(select(&SKILLS[..]), 1..3).prop_map(When::SelectedSkill),
        1 => vec(select(&EXTENSIONS[..]), 1..3).prop_map(When::Extensions),
        1 => select(&PATH_PATTERNS[..]).prop_map(When::WorkspaceMatches),
        1 => (select(&MINUTES[..]), select(&MINUTES[..])).prop_map(|(from, until)| When::TimeBetween(from, until)),
        2 => (select(&PERIODS[..]), select(&CENTS[..])).prop_map(|(period, cents)| When::SpentMoreThanCents(period, cents)),
        1 => vec(select(&CLIENTS[..]), 1..3).prop_map(When::Client),
        1 => vec(select(&REQUESTED[..]), 1..3).prop_map(When::ClientModel),
        1 => any::<bool>().prop_map(When::Subagent),
        1 => vec(select(&AuxiliaryCall::ALL[..]), 1..3).prop_map(When::AuxiliaryCall),
        1 => any::<bool>().prop_map(When::WebSearch),
        1 => any::<bool>().prop_map(When::Thinking),
    ]
}

/// Generates a nested condition.
pub(super) fn block() -> impl Strategy<Value = Block> {
    let leaves = vec(leaf(), 0..3).prop_map(without_repetition);
    leaves.prop_recursive(4, 16, 3, |inner| {
        let nested = prop_oneof![
            vec(inner.clone(), 1..4).prop_map(When::AnyOf),
            vec(inner.clone(), 1..4).prop_map(When::AllOf),
            inner.prop_map(When::Not),
        ];
        vec(prop_oneof![2 => leaf(), 1 => nested], 1..4).prop_map(without_repetition)
    })
}

/// Generates a list of one to three different models.
fn models() -> impl Strategy<Value = Vec<usize>> + Clone {
    proptest::sample::subsequence((0..MODELS.len()).collect::<Vec<_>>(), 1..=3).prop_shuffle()
}

/// Generates a block `pattern`, in which any key may be missing.
fn pattern() -> impl Strategy<Value = Pattern> {
    let scale = select(&[CostScale::Cluster, CostScale::Relative][..]);
    (of(0..=100_u64), of(0..=100_u64), of(0..=100_u64), of(1..30_u64), of(scale)).prop_map(
        |(cost_weight, min_confidence, min_similarity, min_sample_size, cost_scale)| Pattern {
            cost_weight,
            min_confidence,
            min_similarity,
            min_sample_size,
            cost_scale,
        },
    )
}

/// Generates settings with up to four rules.
fn scope() -> impl Strategy<Value = Scope> {
    let rule = (any::<bool>(), block(), models()).prop_map(|(named, when, models)| Rule { named, when, models });
    (of(models()), of([models(), models(), models()]), of(pattern()), vec(rule, 0..5))
        .prop_map(|(default, tiers, pattern, rules)| Scope { default, tiers, pattern, rules })
}

/// Generates a budget with a limit near the amounts that random turns have spent.
fn budget() -> impl Strategy<Value = Budget> {
    let scope = prop_oneof![
        2 => Just(BudgetScope::All),
        1 => of(select(&PATHS[..])).prop_map(BudgetScope::Project),
        1 => of(select(&CLIENTS[..])).prop_map(BudgetScope::Client),
        1 => Just(BudgetScope::Session),
    ];
    let on_reached = prop_oneof![
        any::<bool>().prop_map(OnReached::Refuse),
        Just(OnReached::Warn),
        models().prop_map(OnReached::Use),
    ];
    let cents = select(&[500, 542, 1_000_000][..]);
    (any::<bool>(), cents, select(&PERIODS[..3]), scope, on_reached).prop_map(
        |(named, cents, period, scope, on_reached)| {
            let period = if matches!(scope, BudgetScope::Session) { Period::Session } else { period };
            Budget { named, cents, period, scope, on_reached }
        },
    )
}

/// Generates a policy; one half of them has budgets.
pub(super) fn policy() -> impl Strategy<Value = Policy> {
    let workspaces = proptest::sample::subsequence(&PATHS[..], 0..4).prop_flat_map(|paths| {
        let scopes = vec(scope(), paths.len());
        scopes.prop_map(move |scopes| {
            paths.iter().zip(scopes).map(|((written, meant), scope)| (*written, *meant, scope)).collect::<Vec<_>>()
        })
    });
    let budgets = prop_oneof![Just(Vec::new()), vec(budget(), 1..4)];
    (budgets, scope(), workspaces, any::<bool>()).prop_map(|(budgets, global, workspaces, refuse)| Policy {
        budgets,
        global,
        workspaces,
        refuse,
    })
}
