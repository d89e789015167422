//! The table of all keys of a policy file. The loader reads its keys from it, and the JSON Schema is generated from it.

use serde_json::{Map, Value, json};

/// Builds the JSON Schema of `routing.yaml`, for editors.
pub const SCHEMA: fn() -> Value = schema;

/// The type of a value in a policy file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    Version,
    /// One model, or a list of models that are tried in order.
    Models,
    Text,
    /// A text that matches this regular expression.
    Like(&'static str),
    Regex,
    Boolean,
    Count {
        least: u64,
    },
    Fraction,
    Money,
    Texts,
    TimeWindow,
    Words(&'static [&'static str]),
    /// One of these words, or a list of them, which may be empty.
    WordList(&'static [&'static str]),
    Mapping(&'static [Key]),
    /// A mapping from paths to mappings.
    ByPath(&'static [Key]),
    Rules,
    Budgets,
    Predicate,
    Predicates,
}

/// A key of a mapping: its name, documentation and type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, about, shape, required: false }
}

const fn required(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, about, shape, required: true }
}

pub(crate) const ROOT: &[Key] = &[
    key("schema_version", Shape::Version, "The version of this format."),
    key(
        "global_default",
        Shape::Models,
        "The model for turns that nothing else decides; of a list, the first that can serve the turn.",
    ),
    key(
        "tiers",
        Shape::Mapping(TIERS),
        "The models a planner may ask for by tier, each a model or a list tried in order. All three, or none.",
    ),
    key("pattern", Shape::Mapping(PATTERN), "How learned recommendations are made."),
    key("pattern_disagreement", Shape::Mapping(DISAGREEMENT), "When a recommendation is shown that a rule outranked."),
    key("routing", Shape::Mapping(ROUTING), "How the chain behaves."),
    key("gateway", Shape::Mapping(GATEWAY), "What clients of the gateway ask for, and what becomes of it."),
    key("privacy", Shape::Mapping(PRIVACY), "What is kept of messages."),
    key("embedding", Shape::Mapping(EMBEDDING), "Who puts messages into numbers, for `turnwise patterns embed`."),
    key("budgets", Shape::Budgets, "Limits of what may be spent, and what happens when one is reached."),
    key(
        "rules",
        Shape::Rules,
        "Tried from top to bottom; the first that matches and whose model can take the turn wins.",
    ),
    key(
        "workspaces",
        Shape::ByPath(WORKSPACE),
        "What holds below a path. The closest path above the session's workspace wins.",
    ),
];

pub(crate) const TIERS: &[Key] = &[
    required("fast", Shape::Models, "Cheap and quick."),
    required("balanced", Shape::Models, "Capable enough for most work."),
    required("deep", Shape::Models, "The most capable."),
];

pub(crate) const PATTERN: &[Key] = &[
    key(
        "estimator",
        Shape::Words(&["paper", "calibrated"]),
        "How the outcomes of similar turns become a recommendation (default calibrated).",
    ),
    key("fingerprint", Shape::Words(&["structural", "hybrid"]), "What turns are compared by (default hybrid)."),
    key(
        "alpha",
        Shape::Fraction,
        "The share of the words in a hybrid comparison (default 0.8; 0.6 for the estimator paper).",
    ),
    key(
        "neighbours",
        Shape::Count { least: 1 },
        "How many similar outcomes are looked at, at most 512 (default 100 of each model; 10 in all for paper).",
    ),
    key("cost_weight", Shape::Fraction, "0 looks at quality only, 1 at cost only (default 0.05)."),
    key(
        "min_confidence",
        Shape::Fraction,
        "Below it nothing is recommended: a probability from 0.5 on (default 0.78); a lead in score for paper (0.05).",
    ),
    key(
        "min_sample_size",
        Shape::Count { least: 1 },
        "Judged turns that both models must have (default 10); among the neighbours for paper (5).",
    ),
    key(
        "min_similarity",
        Shape::Fraction,
        "Turns less alike than this do not count (default 0, where strangers are; 0.30 for paper).",
    ),
    key(
        "cost_scale",
        Shape::Words(&["cluster", "relative"]),
        "How cost becomes a number from 0 to 1 for the estimator paper (default cluster).",
    ),
    key(
        "over_requested",
        Shape::Boolean,
        "Whether a recommendation may replace a model that the client requested by name (default false: it is shown).",
    ),
];

pub(crate) const DISAGREEMENT: &[Key] = &[
    key("surface", Shape::Boolean, "Whether to show it (default false)."),
    key("min_confidence", Shape::Fraction, "The least confidence (default 0.85)."),
    key("min_sample_size", Shape::Count { least: 1 }, "The fewest samples (default 20)."),
];

pub(crate) const ROUTING: &[Key] = &[key(
    "on_explicit_reject",
    Shape::Words(&["fall_back", "refuse"]),
    "What to do when the model named by @alias or `model` cannot take the turn (default fall_back).",
)];

pub(crate) const GATEWAY: &[Key] = &[
    key(
        "client_model",
        Shape::Words(&["auto", "default", "override"]),
        "What the model that a client asks for means: the model of turns that no rule decides (default, also without \
         this key), nothing (auto), or a choice like @alias (override).",
    ),
    key(
        "auxiliary_calls",
        Shape::Words(&["fast", "balanced", "deep", "client", "route"]),
        "Who takes titles, classifications and the like: a tier (default fast), the model the client asks for, or the \
         chain as for any turn.",
    ),
    key(
        "count_tokens",
        Shape::Words(&["provider", "local"]),
        "Who counts tokens for clients: the provider where it can (default), or an estimate made here.",
    ),
    key(
        "adapt",
        Shape::WordList(&[
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
    key(
        "fallback",
        Shape::Words(&["any", "turn_start", "never"]),
        "When a model that failed before its first byte is replaced by the next one: at any call (default), only before \
         the first response of a turn, or never.",
    ),
    key(
        "last_resort",
        Shape::Words(&["refuse", "requested"]),
        "What serves a request that neither a rule nor a default can: nothing (default), or the requested model.",
    ),
    key(
        "keep_thinking",
        Shape::Boolean,
        "Whether a model is rejected if the conversation contains earlier thinking of another model, instead of \
         dropping that thinking (default false).",
    ),
];

pub(crate) const PRIVACY: &[Key] = &[key(
    "record_text",
    Shape::Words(&["local", "always", "never"]),
    "Whether the log keeps the text of messages: only a log on this machine (default), always, or never.",
)];

pub(crate) const EMBEDDING: &[Key] = &[
    required(
        "url",
        Shape::Like("^https?://[^@?#]+$"),
        "The address of an OpenAI-compatible API, such as http://localhost:11434/v1 for Ollama.",
    ),
    required("model", Shape::Text, "The model that embeds, as that API calls it, such as nomic-embed-text."),
    key(
        "key_env",
        Shape::Like("^[A-Za-z_][A-Za-z0-9_]*$"),
        "The name of the environment variable that holds the key; never the key itself.",
    ),
];

pub(crate) const WORKSPACE: &[Key] = &[
    key(
        "default",
        Shape::Models,
        "The model for turns that nothing else decides here; of a list, the first that can serve the turn.",
    ),
    key("tiers", Shape::Mapping(TIERS), "Replaces the global tiers here. All three, or none."),
    key("pattern", Shape::Mapping(PATTERN), "Replaces the global block here; what it leaves out has its default."),
    key("rules", Shape::Rules, "Tried before the global rules."),
];

pub(crate) const BUDGET: &[Key] = &[
    key("name", Shape::Text, "Shown in every explanation. Unique; `budget_<index>` when omitted."),
    required("limit_usd", Shape::Money, "The amount in dollars that may be spent in each period, more than 0."),
    key(
        "period",
        Shape::Words(&["day", "week", "month"]),
        "The period, in UTC; a week starts on Monday. Required except for `scope: session`, which has none.",
    ),
    key(
        "scope",
        Shape::Words(&["all", "project", "client", "session"]),
        "The calls that count: all (default), or those of a project, a client or a session, each of which has the limit \
         for itself.",
    ),
    key("project", Shape::Text, "The path of the one workspace that the budget is for; needs `scope: project`."),
    key("client", Shape::Text, "The one client that the budget is for, such as claude-code; needs `scope: client`."),
    key(
        "on_reached",
        Shape::Words(&["refuse", "warn"]),
        "What happens to turns while the budget is spent: refused (default), or served with a warning.",
    ),
    key("use", Shape::Models, "Instead of `on_reached`: the model, or the list of models, that serves these turns."),
];

pub(crate) const RULE: &[Key] = &[
    key("name", Shape::Text, "Shown in every explanation. Unique; `rule_<index>` when omitted."),
    required("when", Shape::Predicate, "The condition. `{}` always holds; several keys must all hold."),
    required(
        "use",
        Shape::Models,
        "The model to propose, or a list of models: the first that can serve the turn is used.",
    ),
];

pub(crate) const PREDICATE: &[Key] = &[
    key(
        "message_matches",
        Shape::Regex,
        "A regular expression found in the first 256 KiB of the message; case counts unless it says (?i).",
    ),
    key(
        "message_contains_any",
        Shape::Texts,
        "Any of these stands in the first 256 KiB of the message, whatever the case.",
    ),
    key("estimated_input_tokens_gt", Shape::Count { least: 0 }, "The prompt is expected to have more tokens."),
    key("estimated_input_tokens_lt", Shape::Count { least: 0 }, "The prompt is expected to have fewer tokens."),
    key("has_images", Shape::Boolean, "The message has images."),
    key("has_tool_calls_in_history", Shape::Boolean, "A tool was called earlier in the session."),
    key(
        "skills_matching_message_includes",
        Shape::Texts,
        "One of these skills matches the message: it is called as a command (/name), or the client offers it (Claude Code and \
         Codex do) and the message contains its name or two words of its description.",
    ),
    key(
        "file_extensions_in_context",
        Shape::Texts,
        "A tool touched a file with one of these extensions in this session; the dot may be left out.",
    ),
    key("workspace_path_matches", Shape::Regex, "A regular expression found in the workspace's absolute path."),
    key("time_of_day_between", Shape::TimeWindow, "Local time, start included, end excluded; may pass midnight."),
    key("cost_today_exceeds_usd", Shape::Money, "More than this was spent since UTC midnight, all sessions."),
    key("cost_this_week_exceeds_usd", Shape::Money, "More than this was spent since Monday, UTC, all sessions."),
    key("cost_this_month_exceeds_usd", Shape::Money, "More than this was spent since the first of the month, UTC."),
    key("cost_of_session_exceeds_usd", Shape::Money, "More than this was spent in the session of the turn."),
    key("client_is", Shape::Texts, "A client of the gateway by its usual name, such as claude-code, codex, opencode."),
    key("client_model_is", Shape::Texts, "The client asks for one of these models, by id or alias or as it writes it."),
    key("thread_is_subagent", Shape::Boolean, "A sub-agent asks."),
    key("auxiliary_call_is", Shape::Texts, "Work beside the conversation: title, classifier, summary, other."),
    key("requests_web_search", Shape::Boolean, "The client offers the model a web search that the provider runs."),
    key(
        "requests_thinking",
        Shape::Boolean,
        "The client asks for thinking: an effort, a budget or adaptive thinking. Claude Code does in most turns.",
    ),
    key("any_of", Shape::Predicates, "At least one of these holds."),
    key("all_of", Shape::Predicates, "All of these hold."),
    key("not", Shape::Predicate, "This does not hold."),
];

/// Returns the names of the keys in a table.
pub(crate) fn names(keys: &'static [Key]) -> impl Iterator<Item = &'static str> + Clone {
    keys.iter().map(|key| key.name)
}

/// Formats the JSON Schema as in the committed file, with a final line feed.
pub fn schema_text() -> String {
    // Serialising a value that was built here cannot fail; an empty text would fail the check that compares the files.
    let mut text = serde_json::to_string_pretty(&schema()).unwrap_or_default();
    text.push('\n');
    text
}

fn schema() -> Value {
    let mut root = object(ROOT);
    if let Value::Object(root) = &mut root {
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        root.insert("title".to_owned(), json!("turnwise routing policy"));
        root.insert(
            "$defs".to_owned(),
            json!({ "budget": object(BUDGET), "predicate": object(PREDICATE), "rule": object(RULE) }),
        );
    }
    root
}

fn object(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut value = shape(key.shape);
            if let Value::Object(value) = &mut value {
                value.insert("description".to_owned(), json!(key.about));
            }
            (key.name.to_owned(), value)
        })
        .collect();
    let required: Vec<_> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut object = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if let (Value::Object(object), false) = (&mut object, required.is_empty()) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

fn shape(shape: Shape) -> Value {
    match shape {
        Shape::Version => json!({ "const": 1 }),
        Shape::Text => json!({ "type": "string", "minLength": 1 }),
        Shape::Like(pattern) => json!({ "type": "string", "pattern": pattern }),
        Shape::Regex => json!({ "type": "string", "minLength": 1, "format": "regex" }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Count { least } => json!({ "type": "integer", "minimum": least }),
        Shape::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Shape::Money => json!({ "type": "number", "minimum": 0 }),
        Shape::Texts | Shape::Models => {
            let text = json!({ "type": "string", "minLength": 1 });
            json!({ "oneOf": [text, { "type": "array", "minItems": 1, "items": text }] })
        }
        Shape::TimeWindow => {
            let time = json!({ "type": "string", "pattern": "^([01]?[0-9]|2[0-3]):[0-5][0-9]$" });
            json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": time })
        }
        Shape::Words(words) => json!({ "enum": words }),
        Shape::WordList(words) => {
            let word = json!({ "enum": words });
            json!({ "oneOf": [word, { "type": "array", "items": word }] })
        }
        Shape::Mapping(keys) => object(keys),
        Shape::ByPath(keys) => json!({ "type": "object", "additionalProperties": object(keys) }),
        Shape::Budgets => json!({ "type": "array", "items": { "$ref": "#/$defs/budget" } }),
        Shape::Rules => json!({ "type": "array", "items": { "$ref": "#/$defs/rule" } }),
        Shape::Predicate => json!({ "$ref": "#/$defs/predicate" }),
        Shape::Predicates => json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/predicate" } }),
    }
}
