//! Parses files of models.

use std::{collections::BTreeMap, fmt};

use contracts::{ModelId, PicoUsd, Tier, Tokenizer, WireApi};
use serde::{Deserialize, Deserializer, de};
use serde_saphyr::{Location, Spanned};

use crate::decimal;
use crate::{
    CapabilityEntry, CatalogueError, CatalogueErrors, LongContextEntry, ModelEntries, ModelEntry, PriceEntry, RateEntry,
};

/// Maximum length of a file of models in bytes. An imported price list of several thousand models fits.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Parses the models of a file. `file` is its name in errors.
///
/// # Errors
/// The first structural error (invalid YAML, an unknown or repeated key, a value of the wrong type); if there is none,
/// all invalid ids and prices.
pub fn parse(file: &str, text: &str) -> Result<ModelEntries, CatalogueErrors> {
    let located = parse_file(file, text)?;
    Ok(located.models.into_iter().map(|(id, located)| (id, located.entry)).collect())
}

/// An entry of a file with the line and column where it starts, for errors.
#[derive(Debug, Clone)]
pub(super) struct LocatedEntry {
    /// The entry.
    pub(super) entry: ModelEntry,
    /// Line and column of the entry, both from 1.
    pub(super) position: (u64, u64),
}

/// The content of a file of models, with the positions of its entries for error messages.
#[derive(Debug, Default)]
pub(super) struct ParsedFile {
    /// Models of the file, by id.
    pub(super) models: BTreeMap<ModelId, LocatedEntry>,
    /// Model names that request the policy's choice, if the file lists them.
    pub(super) auto_names: Option<Vec<String>>,
}

/// Parses a file of models and keeps the position of each entry for error messages. `file` is the name of the file in
/// errors. The errors are those of [`parse`].
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

/// Returns the options of the YAML parser. The limits are low, since a file of models is a flat list, and anchors and
/// aliases are not allowed.
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

/// Returns the message of a YAML error without its position, which is reported separately, and without advice for
/// programmers.
fn error_message(error: &serde_saphyr::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    // The library's advice addresses programmers.
    let text = text.split_once(", set DuplicateKeyPolicy").map_or(text, |(before, _)| before);
    match text.strip_prefix("budget breached: ") {
        Some(limit) if limit.starts_with("Anchor") || limit.starts_with("Alias") => {
            "anchors and aliases have no place in a list of models".to_owned()
        }
        Some(limit) => format!("more than a list of models may be ({limit})"),
        None => text.replace("invalid u64", "not a whole number"),
    }
}

/// Returns line and column, both from 1.
fn position_of(location: Location) -> (u64, u64) {
    (location.line(), location.column())
}

/// Layout of a file of models, before ids and prices are parsed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    auto_names: Option<Names>,
    models: Option<BTreeMap<String, Spanned<RawEntry>>>,
}

/// Layout of a model in a file, before its prices are parsed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    #[serde(default)]
    remove: bool,
    tier: Option<Tier>,
    aliases: Option<Names>,
    snapshots: Option<Names>,
    released: Option<String>,
    can_delegate: Option<bool>,
    context_window: Option<u64>,
    max_output: Option<u64>,
    #[serde(default)]
    capabilities: RawCapabilities,
    tokenizer: Option<Tokenizer>,
    configured: Option<bool>,
    apis: Option<Vec<WireApi>>,
    prices: Option<RawPrices>,
}

/// Layout of `capabilities` in a file of models.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawCapabilities {
    images: Option<bool>,
    tools: Option<bool>,
    system_prompt: Option<bool>,
    structured_output: Option<bool>,
    effort: Option<bool>,
    thinking_budget: Option<bool>,
}

/// A price as text, which is parsed exactly later.
type RawPrice = Option<Spanned<Text>>;

/// Layout of `prices` in a file of models: dollars per million tokens, as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPrices {
    input: RawPrice,
    cache_read: RawPrice,
    cache_write_5m: RawPrice,
    cache_write_1h: RawPrice,
    output: RawPrice,
    long_context: Option<RawLongContext>,
}

/// Layout of `long_context` in a file of models: dollars per million tokens, as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLongContext {
    above_tokens: u64,
    input: RawPrice,
    cache_read: RawPrice,
    cache_write_5m: RawPrice,
    cache_write_1h: RawPrice,
    output: RawPrice,
}

/// Text of a YAML scalar, quoted or not.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text(String);

/// A list of names, or a single name.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> de::Visitor<'de> for NamesVisitor {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Names, E> {
                Ok(Names(vec![name.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut names: A) -> Result<Names, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = names.next_element::<String>()? {
                    all.push(name);
                }
                Ok(Names(all))
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

impl RawEntry {
    /// Parses the prices and returns the entry. `report` is called with position and message of each invalid price.
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

/// Parses a price in dollars per million tokens, with at most six decimals, to pico-dollars per token. `report` is
/// called with position and message of an invalid price, and the result is `None`.
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
