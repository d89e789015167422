//! Writes files of models.

use std::fmt::Write as _;

use contracts::{PicoUsd, Tokenizer};

use crate::decimal::format_millionths;
use crate::{CapabilityEntry, ModelEntries, ModelEntry, RateEntry};

/// Encodes models as the YAML text of a file of models; [`crate::parse`] parses it to equal entries. The text starts
/// with the lines of `comment` as YAML comments.
pub fn to_yaml(comment: &str, entries: &ModelEntries) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
    if entries.is_empty() {
        text.push_str("models: {}\n");
        return text;
    }
    text.push_str("models:\n");
    for (id, entry) in entries {
        let fields = entry_fields(entry);
        text.push_str("  ");
        text.push_str(&encode_scalar(id.as_str()));
        text.push_str(if fields.is_empty() { ": {}\n" } else { ":\n" });
        for field in fields {
            // Writing to a string does not fail.
            let _ = writeln!(text, "    {field}");
        }
    }
    text
}

/// Encodes the fields of an entry as lines of YAML, without indentation. Fields that are not set are omitted.
fn entry_fields(entry: &ModelEntry) -> Vec<String> {
    let mut fields = Vec::new();
    if entry.remove {
        fields.push("remove: true".to_owned());
    }
    if let Some(tier) = entry.tier {
        fields.push(format!("tier: {tier}"));
    }
    for (key, names) in [("aliases", &entry.aliases), ("snapshots", &entry.snapshots)] {
        if let Some(names) = names {
            let names: Vec<String> = names.iter().map(|name| encode_scalar(name)).collect();
            fields.push(format!("{key}: [{}]", names.join(", ")));
        }
    }
    fields.extend(entry.released.as_ref().map(|date| format!("released: {}", encode_scalar(date))));
    for (key, value) in [("can_delegate", entry.can_delegate), ("configured", entry.configured)] {
        fields.extend(value.map(|value| format!("{key}: {value}")));
    }
    for (key, tokens) in [("context_window", entry.context_window), ("max_output", entry.max_output)] {
        fields.extend(tokens.map(|tokens| format!("{key}: {tokens}")));
    }
    if let Some(tokenizer) = entry.tokenizer {
        fields.push(format!("tokenizer: {}", tokenizer_name(tokenizer)));
    }
    if let Some(apis) = &entry.apis {
        let names: Vec<&str> = apis.iter().map(|api| api.name()).collect();
        fields.push(format!("apis: [{}]", names.join(", ")));
    }
    let capability_fields = capability_fields(entry.capabilities);
    if !capability_fields.is_empty() {
        fields.push(format!("capabilities: {{{}}}", capability_fields.join(", ")));
    }
    if let Some(prices) = &entry.prices {
        fields.push("prices:".to_owned());
        fields.extend(rate_fields(&prices.base).into_iter().map(|rate| format!("  {rate}")));
        if let Some(long_context) = &prices.long_context {
            let mut long_context_fields = vec![format!("above_tokens: {}", long_context.above_tokens)];
            long_context_fields.extend(rate_fields(&long_context.rates));
            fields.push(format!("  long_context: {{{}}}", long_context_fields.join(", ")));
        }
    }
    fields
}

/// Encodes the capabilities that are set, each as `key: true` or `key: false`.
fn capability_fields(capabilities: CapabilityEntry) -> Vec<String> {
    [
        ("images", capabilities.images),
        ("tools", capabilities.tools),
        ("system_prompt", capabilities.system_prompt),
        ("structured_output", capabilities.structured_output),
        ("effort", capabilities.effort),
        ("thinking_budget", capabilities.thinking_budget),
    ]
    .into_iter()
    .filter_map(|(key, value)| value.map(|value| format!("{key}: {value}")))
    .collect()
}

/// Encodes the rates that are set, each as `key: value` in dollars per million tokens.
fn rate_fields(rates: &RateEntry) -> Vec<String> {
    let rate = |key: &str, rate: Option<PicoUsd>| rate.map(|rate| format!("{key}: {}", format_millionths(rate.0)));
    [
        rate("input", rates.input),
        rate("cache_read", rates.cache_read),
        rate("cache_write_5m", rates.cache_write_5m),
        rate("cache_write_1h", rates.cache_write_1h),
        rate("output", rates.output),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the name that a family of tokenizers has in files of models.
const fn tokenizer_name(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::Anthropic => "anthropic",
        Tokenizer::OpenAi => "open_ai",
        Tokenizer::Google => "google",
        Tokenizer::Generic => "generic",
    }
}

/// Encodes a string as a YAML scalar: without quotes if every YAML parser reads it as a string, otherwise in double
/// quotes.
fn encode_scalar(name: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':');
    let is_plain =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_safe) && !name.ends_with(':');
    let reserved_words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if is_plain && !reserved_words.contains(&name.to_lowercase().as_str()) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
