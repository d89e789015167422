//! The documented keys of the block `skills`.

use crate::policy::key::{PolicyKey, ValueType, optional_key};

/// The documented keys of a block `skills`, which another crate interprets.
pub(crate) const SKILLS: &[PolicyKey] = &[
    optional_key("layers", ValueType::Section(SKILL_LAYERS), "The layers of skill routing, on or off."),
    optional_key("llm", ValueType::Mapping(SKILL_LLM), "The model that is asked if no other layer decides."),
];

/// The documented keys of a block `skills.layers`.
const SKILL_LAYERS: &[PolicyKey] = &[optional_key(
    "llm",
    ValueType::Switch,
    "Whether a model is asked which skill fits if no other layer decides (default off). Each such message costs a call; a \
     request waits for it only if a rule reads the skill.",
)];

/// The keys of a block `skills.llm`.
const SKILL_LLM: &[PolicyKey] = &[
    optional_key("model", ValueType::Text, "The id or an alias of the model; without it no model is asked."),
    optional_key(
        "min_confidence",
        ValueType::Fraction,
        "The lowest confidence of a reply that is used (default 0.70); `turnwise skills calibrate` compares others.",
    ),
    optional_key(
        "timeout_ms",
        ValueType::Count { least: 100 },
        "The time limit in milliseconds, at most 60000 (default 5000).",
    ),
    optional_key(
        "dollars_per_day",
        ValueType::Money,
        "The most that questions may cost on a UTC day (default 1.00). Questions in flight count with the most they can cost.",
    ),
];
