//! Converts a price list in `LiteLLM`'s format to catalogue entries.

use std::{collections::BTreeMap, fmt};

use contracts::{ModelId, Tokenizer};
use serde_json::value::RawValue;

use super::record::Record;
use crate::{CapabilityEntry, LongContextEntry, ModelEntries, ModelEntry, PriceEntry};

/// The error that a text is not a price list, because it is not a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("not a price list, which is a JSON object of models: {source}")]
pub struct PriceListError {
    /// Error of the JSON parser.
    #[from]
    source: serde_json::Error,
}

/// The result of converting a price list: the converted models, and the names that were dropped or simplified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConvertedPriceList {
    /// Converted models.
    pub entries: ModelEntries,
    /// Dropped names, in the order of the names in the file.
    pub dropped: Vec<DroppedName>,
    /// Models with rates for more than one threshold of input tokens. Only the rates of the lowest threshold were
    /// converted.
    pub simplified: Vec<ModelId>,
}

/// A name in the price list that was not converted to a model, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedName {
    /// Name in the price list.
    pub name: String,
    /// Reason why it was dropped.
    pub reason: DropReason,
}

/// Why a name in the price list was not converted to a model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// The entry is not the description of a model.
    NotAModel,
    /// The model is no chat model, but for example an embedding model or an image generator. Contains its `mode`; empty
    /// without one.
    Mode(String),
    /// The entry has no context window (`max_input_tokens`), or it is zero.
    NoContextWindow,
    /// The name is not a valid model id. Contains the error.
    Name(String),
    /// A price is not an integer number of pico-dollars per token. Contains field and price.
    Price(String),
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAModel => f.write_str("not a description of a model"),
            Self::Mode(mode) if mode.is_empty() => f.write_str("no mode"),
            Self::Mode(mode) => write!(f, "mode `{mode}` is not a chat"),
            Self::NoContextWindow => f.write_str("no `max_input_tokens`"),
            Self::Name(cause) => write!(f, "not a name: {cause}"),
            Self::Price(cause) => write!(f, "a price that cannot be kept exactly: {cause}"),
        }
    }
}

impl ConvertedPriceList {
    /// Counts the dropped names by the text of the reason. Details of single names are removed from the text.
    pub fn counts_by_reason(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for dropped in &self.dropped {
            let reason = match &dropped.reason {
                DropReason::Name(_) => "not a name".to_owned(),
                DropReason::Price(_) => "a price that cannot be kept exactly".to_owned(),
                reason => reason.to_string(),
            };
            *counts.entry(reason).or_default() += 1;
        }
        counts
    }
}

/// Converts all chat models of a price list, given as JSON text, to entries of the catalogue. Entries that cannot be
/// converted are dropped and reported in the result.
///
/// # Errors
/// [`PriceListError`] if the text is not a JSON object.
pub fn convert_price_list(json: &str) -> Result<ConvertedPriceList, PriceListError> {
    let mut conversion = ConvertedPriceList::default();
    for (name, record) in parse_records(json)? {
        match record.ok_or(DropReason::NotAModel).and_then(|record| convert_record(&name, &record)) {
            Ok(ConvertedRecord { id, entry, is_simplified }) => {
                if is_simplified {
                    conversion.simplified.push(id.clone());
                }
                conversion.entries.insert(id, entry);
            }
            Err(reason) => conversion.dropped.push(DroppedName { name, reason }),
        }
    }
    Ok(conversion)
}

/// Parses the records of a price list by name; the record is `None` for a value that does not describe a model.
///
/// # Errors
/// [`PriceListError`] if the text is not a JSON object.
pub(super) fn parse_records(json: &str) -> Result<BTreeMap<String, Option<Record>>, PriceListError> {
    let raw: BTreeMap<String, &RawValue> = serde_json::from_str(json)?;
    Ok(raw.into_iter().map(|(name, raw)| (name, serde_json::from_str(raw.get()).ok())).collect())
}

/// A record of the price list, converted to an entry of a model.
pub(super) struct ConvertedRecord {
    /// Id of the model.
    pub(super) id: ModelId,
    /// Description of the model, without tier and aliases.
    pub(super) entry: ModelEntry,
    /// Whether some of its rates were ignored because they have more than one threshold.
    pub(super) is_simplified: bool,
}

/// Converts the record `name` of the price list.
///
/// # Errors
/// The reason why the record cannot be converted.
pub(super) fn convert_record(name: &str, record: &Record) -> Result<ConvertedRecord, DropReason> {
    if !matches!(record.mode.as_str(), "chat" | "responses") {
        return Err(DropReason::Mode(record.mode.clone()));
    }
    let context_window = record.input_tokens.filter(|tokens| 0 < *tokens).ok_or(DropReason::NoContextWindow)?;
    if let Some((key, text, error)) = record.inexact_prices.first() {
        return Err(DropReason::Price(format!("`{key}` is {text}: {error}")));
    }
    let id = model_id(name, &record.provider)?;
    let has_flag = |key| record.flag(key).unwrap_or(false);
    let mut rates = record.rates.iter();
    let base = record.rates.get(&0).filter(|rates| rates.input.is_some() && rates.output.is_some());
    let mut long_rates = rates.by_ref().filter(|(threshold, _)| 0 < **threshold);
    // Without a long-context price, output has its ordinary price.
    let long_context = long_rates.next().and_then(|(threshold, rates)| {
        let mut rates = *rates;
        rates.output = rates.output.or(base?.output);
        rates.input.map(|_| LongContextEntry { above_tokens: *threshold, rates })
    });
    let is_simplified = long_rates.next().is_some();
    let tokenizer = tokenizer_family(&id);
    let entry = ModelEntry {
        context_window: Some(context_window),
        max_output: record.output_tokens.filter(|tokens| 0 < *tokens),
        capabilities: CapabilityEntry {
            images: Some(has_flag("supports_vision")),
            tools: Some(has_flag("supports_function_calling")),
            // Undeclared models support it (004 §4.4).
            system_prompt: Some(record.flag("supports_system_messages").unwrap_or(true)),
            structured_output: Some(
                has_flag("supports_response_schema") || has_flag("supports_native_structured_output"),
            ),
            effort: Some(accepts_effort(&id, record)),
            thinking_budget: accepts_budget(&id, record),
        },
        tokenizer: (tokenizer != Tokenizer::default()).then_some(tokenizer),
        prices: base.map(|base| PriceEntry { base: *base, long_context }),
        ..ModelEntry::default()
    };
    Ok(ConvertedRecord { id, entry, is_simplified })
}

/// Returns whether a model accepts a thinking effort. For Anthropic, the price list has a flag for adaptive thinking;
/// Gemini 2.5 models reason, but accept only budgets in tokens.
fn accepts_effort(id: &ModelId, record: &Record) -> bool {
    let has_flag = |key| record.flag(key).unwrap_or(false);
    match id.provider() {
        "anthropic" => has_flag("supports_adaptive_thinking"),
        "google" => has_flag("supports_reasoning") && !id.model().starts_with("gemini-2"),
        _ => has_flag("supports_reasoning"),
    }
}

/// Returns whether a model accepts a thinking budget in tokens; `None` if the price list does not state it. It is
/// stated only for Anthropic models with adaptive thinking.
fn accepts_budget(id: &ModelId, record: &Record) -> Option<bool> {
    let has_flag = |key| record.flag(key).unwrap_or(false);
    (id.provider() == "anthropic" && has_flag("supports_adaptive_thinking"))
        .then(|| has_flag("supports_legacy_thinking"))
}

/// Converts a name and a provider of the price list to a model id: `gemini/gemini-2.5-pro` of the provider `gemini`
/// becomes `google:gemini-2.5-pro`.
///
/// # Errors
/// [`DropReason::Name`] if the result is not a valid model id.
pub(super) fn model_id(name: &str, provider: &str) -> Result<ModelId, DropReason> {
    let segment = name.split_once('/').map(|(segment, _)| segment);
    // A provider such as `vertex_ai-language-models` is `vertex_ai` in names.
    let provider = match segment {
        Some(segment) if provider.starts_with(segment) => segment,
        _ => provider,
    };
    let model = name.strip_prefix(provider).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
    let provider = if provider == "gemini" { "google" } else { provider };
    ModelId::try_from(format!("{provider}:{model}").as_str()).map_err(|error| DropReason::Name(error.to_string()))
}

/// Returns the family of a model's tokenizer. It is derived from the name of the model, because several providers serve
/// the same models; [`Tokenizer::Generic`] for unknown names.
fn tokenizer_family(id: &ModelId) -> Tokenizer {
    let model = id.model();
    let bare_name = model.rsplit(['/', '.']).next().unwrap_or(model);
    if model.contains("claude") {
        Tokenizer::Anthropic
    } else if model.contains("gemini") {
        Tokenizer::Google
    } else if model.contains("gpt-") || ["o1", "o3", "o4"].iter().any(|series| bare_name.starts_with(series)) {
        Tokenizer::OpenAi
    } else {
        Tokenizer::Generic
    }
}
