//! The table of all keys in a policy file, with their types and documentation. The parser reads its keys from the table, and
//! the JSON Schema is generated from it.

mod skills;

pub(crate) use skills::SKILLS;

use super::key::{PolicyKey, ValueType, optional_key, required_key};

/// The keys of a policy file.
pub(crate) const ROOT: &[PolicyKey] = &[
    optional_key("schema_version", ValueType::Version, "The version of this format."),
    optional_key(
        "global_default",
        ValueType::Models,
        "The model for turns that nothing else decides; of a list, the first that can serve the turn.",
    ),
    optional_key(
        "tiers",
        ValueType::Mapping(TIERS),
        "The models of each tier, which a planner requests for delegated work; each a model or a list tried in order. All \
         three tiers, or none.",
    ),
    optional_key("pattern", ValueType::Mapping(PATTERN), "Settings of learned recommendations."),
    optional_key(
        "pattern_disagreement",
        ValueType::Mapping(DISAGREEMENT),
        "When a recommendation that a rule outranked is shown.",
    ),
    optional_key("routing", ValueType::Mapping(ROUTING), "Settings of the chain."),
    optional_key("gateway", ValueType::Mapping(GATEWAY), "How requests of the gateway's clients are routed."),
    optional_key("privacy", ValueType::Mapping(PRIVACY), "Whether the log records the text of messages."),
    optional_key(
        "skills",
        ValueType::Section(SKILLS),
        "Settings of skill routing: layers, keywords, combination, tree, scores, and the model that is asked.",
    ),
    optional_key("embedding", ValueType::Mapping(EMBEDDING), "The endpoint that computes embeddings of messages."),
    optional_key(
        "budgets",
        ValueType::Budgets,
        "Limits of the amount that may be spent, and the consequence when one is reached.",
    ),
    optional_key(
        "rules",
        ValueType::Rules,
        "Tried from top to bottom; the first that matches and has a model which can serve the turn decides.",
    ),
    optional_key(
        "workspaces",
        ValueType::ByPath(WORKSPACE),
        "Settings for sessions below a path. The closest path above the session's workspace applies.",
    ),
];

/// The keys of a block `tiers`.
pub(crate) const TIERS: &[PolicyKey] = &[
    required_key("fast", ValueType::Models, "Cheap and fast."),
    required_key("balanced", ValueType::Models, "Capable enough for most work."),
    required_key("deep", ValueType::Models, "The most capable."),
];

/// The keys of a block `pattern`.
pub(crate) const PATTERN: &[PolicyKey] = &[
    optional_key(
        "estimator",
        ValueType::Words(&["paper", "calibrated"]),
        "How a recommendation is computed from the outcomes of similar turns (default calibrated).",
    ),
    optional_key(
        "fingerprint",
        ValueType::Words(&["structural", "hybrid"]),
        "The features by which turns are compared: structure, or structure and words (default hybrid).",
    ),
    optional_key(
        "alpha",
        ValueType::Fraction,
        "The weight of words in a hybrid comparison (default 0.8; 0.6 for the estimator paper).",
    ),
    optional_key(
        "neighbours",
        ValueType::Count { least: 1 },
        "The number of similar outcomes that are used, at most 512 (default 100 of each model; 10 in total for paper).",
    ),
    optional_key(
        "cost_weight",
        ValueType::Fraction,
        "The weight of cost: 0 considers quality only, 1 cost only (default 0.05).",
    ),
    optional_key(
        "min_confidence",
        ValueType::Fraction,
        "The lowest confidence of a recommendation: a probability from 0.5 on (default 0.78); a lead in score for paper \
         (0.05).",
    ),
    optional_key(
        "min_sample_size",
        ValueType::Count { least: 1 },
        "The number of evaluated turns that both models must have (default 10); among the neighbours for paper (5).",
    ),
    optional_key(
        "min_similarity",
        ValueType::Fraction,
        "The lowest similarity of turns that count (default 0, that of unrelated turns; 0.30 for paper).",
    ),
    optional_key(
        "cost_scale",
        ValueType::Words(&["cluster", "relative"]),
        "How costs are scaled to the range from 0 to 1 for the estimator paper (default cluster).",
    ),
    optional_key(
        "over_requested",
        ValueType::Boolean,
        "Whether a recommendation may replace a model that the client requested by name (default false: it is only shown).",
    ),
];

/// The keys of the block `pattern_disagreement`.
pub(crate) const DISAGREEMENT: &[PolicyKey] = &[
    optional_key("surface", ValueType::Boolean, "Whether it is shown (default false)."),
    optional_key("min_confidence", ValueType::Fraction, "The lowest confidence that is shown (default 0.85)."),
    optional_key(
        "min_sample_size",
        ValueType::Count { least: 1 },
        "The lowest number of samples that is shown (default 20).",
    ),
];

/// The keys of the block `routing`.
pub(crate) const ROUTING: &[PolicyKey] = &[
    optional_key(
        "on_explicit_reject",
        ValueType::Words(&["fall_back", "refuse"]),
        "What to do if the model chosen by @alias or `model` cannot serve the turn (default fall_back).",
    ),
    optional_key(
        "skill_wishes",
        ValueType::Boolean,
        "Whether a skill of the message chooses the model that its metadata asks for, `turnwise-model` or `turnwise-tier`, if no \
         rule does (default false).",
    ),
];

/// The keys of the block `gateway`.
pub(crate) const GATEWAY: &[PolicyKey] = &[
    optional_key(
        "client_model",
        ValueType::Words(&["auto", "default", "override"]),
        "The meaning of the model that a client requests: it serves turns that no rule decides (default, also without \
         this key), it is ignored (auto), or it is a choice like @alias (override).",
    ),
    optional_key(
        "auxiliary_calls",
        ValueType::Words(&["fast", "balanced", "deep", "client", "route"]),
        "The model for titles, classifications and other auxiliary calls: one of a tier (default fast), the model that \
         the client requests, or the decision of the chain as for any turn.",
    ),
    optional_key(
        "count_tokens",
        ValueType::Words(&["provider", "local"]),
        "How tokens are counted for clients: by the provider if it can (default), or by an estimate.",
    ),
    optional_key(
        "adapt",
        ValueType::WordList(&[
            "cache_control",
            "context_management",
            "effort",
            "mid_conversation_system",
            "sampling",
            "thinking_budget",
            "thinking_control",
        ]),
        "Features of a request that are adapted to a model without them, which headers report: cache_control, \
         context_management, effort, mid_conversation_system, sampling, thinking_budget, thinking_control (default \
         all). [] rejects the model instead.",
    ),
    optional_key(
        "fallback",
        ValueType::Words(&["any", "turn_start", "never"]),
        "When a model that failed before its first byte is replaced by the next one: at any call (default), only before \
         the first response of a turn, or never.",
    ),
    optional_key(
        "last_resort",
        ValueType::Words(&["refuse", "requested"]),
        "The model for a request that neither a rule nor a default can serve: none (default), or the requested model.",
    ),
    optional_key(
        "keep_thinking",
        ValueType::Boolean,
        "Whether a model is rejected if the conversation contains earlier thinking of another model, instead of \
         dropping that thinking (default false).",
    ),
];

/// The keys of the block `privacy`.
pub(crate) const PRIVACY: &[PolicyKey] = &[optional_key(
    "record_text",
    ValueType::Words(&["local", "always", "never"]),
    "Whether the log records the text of messages: only a log on this machine (default), always, or never.",
)];

/// The keys of the block `embedding`.
pub(crate) const EMBEDDING: &[PolicyKey] = &[
    required_key(
        "url",
        ValueType::Like("^https?://[^@?#]+$"),
        "The URL of an OpenAI-compatible API, such as http://localhost:11434/v1 for Ollama.",
    ),
    required_key("model", ValueType::Text, "The name of the embedding model in that API, such as nomic-embed-text."),
    optional_key(
        "key_env",
        ValueType::Like("^[A-Za-z_][A-Za-z0-9_]*$"),
        "The name of the environment variable that contains the key; never the key itself.",
    ),
];

/// The keys of a workspace in the block `workspaces`.
pub(crate) const WORKSPACE: &[PolicyKey] = &[
    optional_key(
        "default",
        ValueType::Models,
        "The model for turns that nothing else decides in this workspace; of a list, the first that can serve the turn.",
    ),
    optional_key(
        "tiers",
        ValueType::Mapping(TIERS),
        "Replaces the global tiers in this workspace. All three, or none.",
    ),
    optional_key(
        "pattern",
        ValueType::Mapping(PATTERN),
        "Replaces the global block in this workspace; omitted keys have their defaults.",
    ),
    optional_key("rules", ValueType::Rules, "Tried before the global rules."),
];

/// The keys of a budget in the block `budgets`.
pub(crate) const BUDGET: &[PolicyKey] = &[
    optional_key("name", ValueType::Text, "Shown in every explanation. Unique; `budget_<index>` when omitted."),
    required_key("limit_usd", ValueType::Money, "The amount in dollars that may be spent in each period, more than 0."),
    optional_key(
        "period",
        ValueType::Words(&["day", "week", "month"]),
        "The period, in UTC; a week starts on Monday. Required except for `scope: session`, which has none.",
    ),
    optional_key(
        "scope",
        ValueType::Words(&["all", "project", "client", "session"]),
        "The calls that count: all (default), or those of a project, a client or a session, each of which has the limit \
         for itself.",
    ),
    optional_key(
        "project",
        ValueType::Text,
        "The path of the one workspace that the budget is for; needs `scope: project`.",
    ),
    optional_key(
        "client",
        ValueType::Text,
        "The one client that the budget is for, such as claude-code; needs `scope: client`.",
    ),
    optional_key(
        "on_reached",
        ValueType::Words(&["refuse", "warn"]),
        "What happens to turns while the budget is spent: refused (default), or served with a warning.",
    ),
    optional_key(
        "use",
        ValueType::Models,
        "Instead of `on_reached`: the model, or the list of models, that serves these turns.",
    ),
];

/// The keys of a rule.
pub(crate) const RULE: &[PolicyKey] = &[
    optional_key("name", ValueType::Text, "Shown in every explanation. Unique; `rule_<index>` when omitted."),
    required_key("when", ValueType::Predicate, "The condition. `{}` always holds; several keys must all hold."),
    required_key(
        "use",
        ValueType::Models,
        "The model to propose, or a list of models: the first that can serve the turn is used.",
    ),
];

/// The keys of a condition.
pub(crate) const PREDICATE: &[PolicyKey] = &[
    optional_key(
        "message_matches",
        ValueType::Regex,
        "A regular expression that matches in the first 256 KiB of the message; case-sensitive unless it contains (?i).",
    ),
    optional_key(
        "message_contains_any",
        ValueType::Texts,
        "One of these texts occurs in the first 256 KiB of the message; case is ignored.",
    ),
    optional_key("estimated_input_tokens_gt", ValueType::Count { least: 0 }, "The estimated prompt has more tokens."),
    optional_key("estimated_input_tokens_lt", ValueType::Count { least: 0 }, "The estimated prompt has fewer tokens."),
    optional_key("has_images", ValueType::Boolean, "The message has images."),
    optional_key("has_tool_calls_in_history", ValueType::Boolean, "A tool was called earlier in the session."),
    optional_key(
        "skills_matching_message_includes",
        ValueType::Texts,
        "One of these skills matches the message: the message calls it as a command (/name), or the client offers it (Claude \
         Code and Codex do) and the message contains its name or two words of its description.",
    ),
    optional_key(
        "skill_selected_in",
        ValueType::Texts,
        "The skill decision about the message loads one of these skills; `turnwise why` shows the decision.",
    ),
    optional_key(
        "file_extensions_in_context",
        ValueType::Texts,
        "A tool of this session used a file with one of these extensions, or its result named one; the dot may be omitted.",
    ),
    optional_key(
        "workspace_path_matches",
        ValueType::Regex,
        "A regular expression that matches in the workspace's absolute path.",
    ),
    optional_key(
        "time_of_day_between",
        ValueType::TimeWindow,
        "Local time, start included, end excluded; may contain midnight.",
    ),
    optional_key(
        "cost_today_exceeds_usd",
        ValueType::Money,
        "More than this was spent since UTC midnight, in all sessions.",
    ),
    optional_key(
        "cost_this_week_exceeds_usd",
        ValueType::Money,
        "More than this was spent since Monday, UTC, in all sessions.",
    ),
    optional_key(
        "cost_this_month_exceeds_usd",
        ValueType::Money,
        "More than this was spent since the first of the month, UTC.",
    ),
    optional_key(
        "cost_of_session_exceeds_usd",
        ValueType::Money,
        "More than this was spent in the session of the turn.",
    ),
    optional_key(
        "client_is",
        ValueType::Texts,
        "A client of the gateway by its usual name, such as claude-code, codex, opencode.",
    ),
    optional_key(
        "client_model_is",
        ValueType::Texts,
        "The client requests one of these models, by id, alias, or the name that it sends.",
    ),
    optional_key("thread_is_subagent", ValueType::Boolean, "A sub-agent sent the request."),
    optional_key(
        "auxiliary_call_is",
        ValueType::Texts,
        "The request is an auxiliary call of one of these kinds: title, classifier, summary, other.",
    ),
    optional_key(
        "requests_web_search",
        ValueType::Boolean,
        "The client offers the model a web search that the provider runs.",
    ),
    optional_key(
        "requests_thinking",
        ValueType::Boolean,
        "The client requests thinking: an effort, a budget or adaptive thinking. Claude Code does in most turns.",
    ),
    optional_key("any_of", ValueType::Predicates, "At least one of these holds."),
    optional_key("all_of", ValueType::Predicates, "All of these hold."),
    optional_key("not", ValueType::Predicate, "This does not hold."),
];
