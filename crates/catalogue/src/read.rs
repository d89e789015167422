//! Parses files of models: YAML with the layout in the documentation of the crate.

use std::{collections::BTreeMap, fmt};

use contracts::{ModelId, PicoUsd, Tier, Tokenizer, WireApi};
use serde::{Deserialize, Deserializer, de};
use serde_saphyr::{Location, Spanned};

use crate::decimal;
use crate::{
    CapabilityEntry, CatalogueError, CatalogueErrors, LongContextEntry, ModelEntries, ModelEntry, PriceEntry, RateEntry,
};

/// Maximum length of a file of models in bytes, enough for an imported price list of several thousand models.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Parses a file of models; `text` is its content, and `file` its name in errors. Ignores `auto_names` in the file.
///
/// # Errors
/// The first structural error (a file over [`MAX_BYTES`], invalid YAML, an unknown or repeated key, a value of the
/// wrong type); if there is none, all invalid ids and prices.
pub fn parse(file: &str, text: &str) -> Result<ModelEntries, CatalogueErrors> {
    let located = parse_file(file, text)?;
    Ok(located.models.into_iter().map(|(id, located)| (id, located.entry)).collect())
}

/// A model in a file of models, with the line and column where its entry starts, for errors.
#[derive(Debug, Clone)]
pub(super) struct LocatedEntry {
    /// The description of the model.
    pub(super) entry: ModelEntry,
    /// Line and column of the entry, both from 1.
    pub(super) position: (u64, u64),
}

/// The content of a file of models, with the positions of its entries for error messages.
#[derive(Debug, Default)]
pub(super) struct ParsedFile {
    /// Models of the file, by id.
    pub(super) models: BTreeMap<ModelId, LocatedEntry>,
    /// Model names by which a client leaves the choice to the policy; `None` if the file does not list them.
    pub(super) auto_names: Option<Vec<String>>,
}

/// Parses a file of models together with the position of each entry, which error messages need. `file` is the name of
/// the file in errors.
///
/// # Errors
/// As [`parse`].
pub(super) fn parse_file(file: &str, text: &str) -> Result<ParsedFile, CatalogueErrors> {
    let fail = |position, cause| CatalogueErrors(vec![CatalogueError { file: file.to_owned(), position, cause }]);
    if MAX_BYTES < text.len() {
        let cause = format!("the file has {} bytes, the most is {MAX_BYTES}", text.len());
        return Err(fail(None, cause));
    }
    let raw: RawFile = serde_saphyr::from_str_with_options(text, parser_options()).map_err(|error| {
        let position = error.location().map(|location| (location.line(), location.column()));
        fail(position, error_message(&error))
    })?;
    let mut errors = Vec::new();
    let mut models = BTreeMap::new();
    let auto_names = raw.auto_names.map(|names| names.0);
    for (name, raw) in raw.models.unwrap_or_default() {
        let position = position_of(raw.referenced);
        match ModelId::try_from(name.as_str()) {
            Ok(id) => {
                let entry = raw.value.into_entry(&mut |location, cause| {
                    errors.push(CatalogueError { file: file.to_owned(), position: Some(position_of(location)), cause });
                });
                models.insert(id, LocatedEntry { entry, position });
            }
            Err(error) => {
                errors.push(CatalogueError {
                    file: file.to_owned(),
                    position: Some(position),
                    cause: error.to_string(),
                });
            }
        }
    }
    if errors.is_empty() { Ok(ParsedFile { models, auto_names }) } else { Err(CatalogueErrors::sorted(errors)) }
}

/// Returns the options of the YAML parser for files of models. The limits are low, since such a file is a flat list;
/// anchors and aliases are not allowed.
fn parser_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            max_aliases: 0,
            max_anchors: 0,
            max_events: 500_000,
            max_nodes: 250_000,
        },
        with_snippet: false,
    }
}

/// Returns the message of a YAML error for the user. The position is removed, since it is reported separately, and so
/// is advice for programmers.
fn error_message(error: &serde_saphyr::Error) -> String {
    let message = error.to_string();
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    // The library's advice addresses programmers.
    let message = message.split_once(", set DuplicateKeyPolicy").map_or(message, |(message, _)| message);
    match message.strip_prefix("budget breached: ") {
        Some(limit) if limit.starts_with("Anchor") || limit.starts_with("Alias") => {
            "anchors and aliases have no place in a list of models".to_owned()
        }
        Some(limit) => format!("more than a list of models may be ({limit})"),
        None => message.replace("invalid u64", "not a whole number"),
    }
}

/// Converts a location in a YAML file to line and column, both from 1.
fn position_of(location: Location) -> (u64, u64) {
    (location.line(), location.column())
}

/// The layout of a file of models, before ids and prices are parsed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    /// Model names with which a client requests that the policy chooses the model.
    auto_names: Option<NameList>,
    /// Models by id.
    models: Option<BTreeMap<String, Spanned<RawEntry>>>,
}

/// The layout of a model in a file of models, before its prices are parsed. The fields are those of [`ModelEntry`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    /// Whether the model is removed from the built-in list; false if missing.
    #[serde(default)]
    remove: bool,
    /// Tier of the model.
    tier: Option<Tier>,
    /// Aliases, which replace those of the built-in list.
    aliases: Option<NameList>,
    /// Dated names of the same model.
    snapshots: Option<NameList>,
    /// Date of the release as `YYYY-MM-DD`.
    released: Option<String>,
    /// Whether the model may delegate work to cheaper models.
    can_delegate: Option<bool>,
    /// Maximum number of input tokens.
    context_window: Option<u64>,
    /// Maximum number of output tokens.
    max_output: Option<u64>,
    /// Supported features.
    #[serde(default)]
    capabilities: RawCapabilities,
    /// Family of the tokenizer.
    tokenizer: Option<Tokenizer>,
    /// Whether the user has access to the model.
    configured: Option<bool>,
    /// APIs over which the model is served, the preferred one first.
    apis: Option<Vec<WireApi>>,
    /// Prices; the model has none if they are missing.
    prices: Option<RawPrices>,
}

/// The layout of `capabilities` in a file of models; missing features are `None`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawCapabilities {
    /// Whether the model accepts images.
    images: Option<bool>,
    /// Whether the model accepts tool definitions.
    tools: Option<bool>,
    /// Whether the model accepts a system prompt.
    system_prompt: Option<bool>,
    /// Whether the model supports output that follows a schema.
    structured_output: Option<bool>,
    /// Whether the model accepts a thinking effort.
    effort: Option<bool>,
    /// Whether the model accepts a thinking budget in tokens.
    thinking_budget: Option<bool>,
}

/// A price as written in the file, with its location for errors; `None` if missing. [`parse_price`] parses it without
/// rounding.
type RawPrice = Option<Spanned<ScalarText>>;

/// The layout of `prices` in a file of models: dollars per million tokens, as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPrices {
    /// Price of uncached input.
    input: RawPrice,
    /// Price of cache reads.
    cache_read: RawPrice,
    /// Price of cache writes for five minutes.
    cache_write_5m: RawPrice,
    /// Price of cache writes for one hour.
    cache_write_1h: RawPrice,
    /// Price of output.
    output: RawPrice,
    /// Prices of calls with long input.
    long_context: Option<RawLongContext>,
}

/// The layout of `long_context` in a file of models: dollars per million tokens, as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLongContext {
    /// Threshold in input tokens, above which these prices apply.
    above_tokens: u64,
    /// Price of uncached input.
    input: RawPrice,
    /// Price of cache reads.
    cache_read: RawPrice,
    /// Price of cache writes for five minutes.
    cache_write_5m: RawPrice,
    /// Price of cache writes for one hour.
    cache_write_1h: RawPrice,
    /// Price of output.
    output: RawPrice,
}

/// The text of a YAML scalar, quoted or not.
#[derive(Deserialize)]
#[serde(transparent)]
struct ScalarText(String);

/// A YAML list of names, or a single name.
struct NameList(Vec<String>);

impl<'de> Deserialize<'de> for NameList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> de::Visitor<'de> for NamesVisitor {
            type Value = NameList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<NameList, E> {
                Ok(NameList(vec![name.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut names: A) -> Result<NameList, A::Error> {
                let mut list = Vec::new();
                while let Some(name) = names.next_element::<String>()? {
                    list.push(name);
                }
                Ok(NameList(list))
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

impl RawEntry {
    /// Parses the prices and converts the layout to an entry. Calls `report` with position and message of each invalid
    /// price, which is then unset in the entry.
    fn into_entry(self, report: &mut dyn FnMut(Location, String)) -> ModelEntry {
        ModelEntry {
            remove: self.remove,
            tier: self.tier,
            aliases: self.aliases.map(|names| names.0),
            snapshots: self.snapshots.map(|names| names.0),
            released: self.released,
            can_delegate: self.can_delegate,
            context_window: self.context_window,
            max_output: self.max_output,
            capabilities: CapabilityEntry {
                images: self.capabilities.images,
                tools: self.capabilities.tools,
                system_prompt: self.capabilities.system_prompt,
                structured_output: self.capabilities.structured_output,
                effort: self.capabilities.effort,
                thinking_budget: self.capabilities.thinking_budget,
            },
            tokenizer: self.tokenizer,
            configured: self.configured,
            apis: self.apis,
            prices: self.prices.map(|raw| PriceEntry {
                base: RateEntry {
                    input: parse_price(raw.input, report),
                    cache_read: parse_price(raw.cache_read, report),
                    cache_write_5m: parse_price(raw.cache_write_5m, report),
                    cache_write_1h: parse_price(raw.cache_write_1h, report),
                    output: parse_price(raw.output, report),
                },
                long_context: raw.long_context.map(|raw| LongContextEntry {
                    above_tokens: raw.above_tokens,
                    rates: RateEntry {
                        input: parse_price(raw.input, report),
                        cache_read: parse_price(raw.cache_read, report),
                        cache_write_5m: parse_price(raw.cache_write_5m, report),
                        cache_write_1h: parse_price(raw.cache_write_1h, report),
                        output: parse_price(raw.output, report),
                    },
                }),
            }),
        }
    }
}

/// Parses a price in dollars per million tokens with at most six decimals, and converts it to pico-dollars per token.
/// `None` if the price is missing or invalid; `report` is called with position and message of an invalid price.
fn parse_price(raw: RawPrice, report: &mut dyn FnMut(Location, String)) -> Option<PicoUsd> {
    let raw = raw?;
    match decimal::parse_scaled(&raw.value.0, 6) {
        Ok(pico) => Some(PicoUsd(pico)),
        Err(error) => {
            let text = &raw.value.0;
            report(
                raw.referenced,
                format!("`{text}` is not a price: {error}; write dollars per million tokens with at most six decimals"),
            );
            None
        }
    }
}
