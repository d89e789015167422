//! [`PolicyKey`], a key of a policy file with the type and the documentation of its value.

/// The type of a value in a policy file, from which its JSON Schema is generated.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ValueType {
    /// The number 1.
    Version,
    /// One model, or a list of models that are tried in order.
    Models,
    /// A text that is not empty.
    Text,
    /// A text that matches this regular expression.
    Like(&'static str),
    /// A regular expression.
    Regex,
    /// `true` or `false`.
    Boolean,
    /// `on` or `off`, or a boolean.
    Switch,
    /// An integer.
    Count {
        /// The lowest valid value.
        least: u64,
    },
    /// A number from 0 to 1.
    Fraction,
    /// An amount in dollars, at least 0.
    Money,
    /// A text, or a list of at least one text.
    Texts,
    /// A list of two times of day.
    TimeWindow,
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these words, or a list of them, which may be empty.
    WordList(&'static [&'static str]),
    /// A mapping with these keys.
    Mapping(&'static [PolicyKey]),
    /// A mapping that another crate interprets, with the keys that are documented here.
    Section(&'static [PolicyKey]),
    /// A mapping from paths to mappings.
    ByPath(&'static [PolicyKey]),
    /// A list of rules.
    Rules,
    /// A list of budgets.
    Budgets,
    /// A condition.
    Predicate,
    /// A list of at least one condition.
    Predicates,
}

/// A key of a mapping in a policy file: its name, documentation and type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PolicyKey {
    /// The name of the key.
    pub(crate) name: &'static str,
    /// The documentation of the key, for users.
    pub(crate) about: &'static str,
    /// The type of the value.
    pub(crate) value_type: ValueType,
    /// Whether the key must be present.
    pub(crate) is_required: bool,
}

/// Creates an optional key.
pub(super) const fn optional_key(name: &'static str, value_type: ValueType, about: &'static str) -> PolicyKey {
    PolicyKey { name, about, value_type, is_required: false }
}

/// Creates a required key.
pub(super) const fn required_key(name: &'static str, value_type: ValueType, about: &'static str) -> PolicyKey {
    PolicyKey { name, about, value_type, is_required: true }
}

/// Returns the names of the keys in a table.
pub(crate) fn key_names(keys: &'static [PolicyKey]) -> impl Iterator<Item = &'static str> + Clone {
    keys.iter().map(|key| key.name)
}
