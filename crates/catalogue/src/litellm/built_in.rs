//! Creates the built-in list of models from the price list and the curation.

use contracts::{ModelId, Tier};

use super::{
    convert::{ConvertedRecord, PriceListError, convert_record, parse_records},
    curation::Curation,
    record::Record,
};
use crate::{ModelEntries, ModelEntry, to_yaml};

/// Why the built-in list of models cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum BuiltInError {
    /// The price list cannot be parsed.
    #[error(transparent)]
    PriceList(#[from] PriceListError),
    /// The curation (aliases, tiers and release dates, maintained by hand) cannot be parsed.
    #[error("cannot read `curation.yaml`")]
    Curation(#[from] Box<serde_saphyr::Error>),
    /// The curation contains the release date of a model that is not in the list.
    #[error("`curation.yaml` has the release date of `{model}`, which is not in the list: remove it")]
    UnknownReleasedModel {
        /// Id of the missing model.
        model: ModelId,
    },
    /// The curation contains an alias of a model that is not in the list.
    #[error("`curation.yaml` gives the alias `{alias}` to `{model}`, which is not in the list: choose its successor")]
    UnknownAliasTarget {
        /// Alias in the curation.
        alias: String,
        /// Model that is missing.
        model: ModelId,
    },
}

/// A model of the price list whose name ends with a date.
struct DatedModel {
    /// Id of the model.
    id: ModelId,
    /// Id without the date.
    undated: ModelId,
    /// Description of the model.
    entry: ModelEntry,
    /// Whether the model is not deprecated.
    is_current: bool,
}

/// Creates the built-in list of models from a price list, given as JSON text, and the curation. Returns the YAML text
/// that is committed as `built-in.yaml`.
///
/// Dated names (`…-20251101`, `…-2026-04-23`) become snapshots of the undated model if that is in the list and has the
/// same prices. A deprecated dated name remains a snapshot, because old sessions refer to it.
///
/// # Errors
/// [`BuiltInError`] if the text is not a price list, or if the curation no longer matches it.
pub fn built_in_yaml(json: &str) -> Result<String, BuiltInError> {
    let curation = Curation::parse().map_err(Box::new)?;
    let mut entries = ModelEntries::new();
    let mut dated_models: Vec<DatedModel> = Vec::new();
    for (name, record) in parse_records(json)? {
        let Some(record) = record else { continue };
        let Ok(ConvertedRecord { id, mut entry, .. }) = convert_record(&name, &record) else { continue };
        let is_current = is_not_deprecated(&record, &curation.as_of);
        let undated = strip_date(id.model())
            .and_then(|model| ModelId::try_from(format!("{}:{model}", id.provider()).as_str()).ok());
        // Patterns of families match undated names.
        let Some(tier) = curation.tier(undated.as_ref().unwrap_or(&id)) else { continue };
        entry.tier = Some(tier);
        if curation.take_system_prompt.contains(&id) {
            entry.capabilities.system_prompt = Some(true);
        }
        entry.can_delegate = Some(tier != Tier::Fast);
        match undated {
            Some(undated) => dated_models.push(DatedModel { id, undated, entry, is_current }),
            None if is_current => drop(entries.insert(id, entry)),
            None => {}
        }
    }
    for DatedModel { id, undated, entry, is_current } in dated_models {
        match entries.get_mut(&undated) {
            Some(base) if base.prices == entry.prices => {
                base.snapshots.get_or_insert_default().push(id.model().to_owned());
            }
            _ if is_current => drop(entries.insert(id, entry)),
            _ => {}
        }
    }
    for (alias, model) in &curation.aliases {
        let Some(entry) = entries.get_mut(model) else {
            return Err(BuiltInError::UnknownAliasTarget { alias: alias.clone(), model: model.clone() });
        };
        entry.aliases.get_or_insert_default().push(alias.clone());
    }
    for (model, date) in &curation.released {
        let Some(entry) = entries.get_mut(model) else {
            return Err(BuiltInError::UnknownReleasedModel { model: model.clone() });
        };
        entry.released = Some(date.clone());
    }
    Ok(to_yaml(&built_in_header(&curation.as_of, entries.len()), &entries))
}

/// Returns the comment for the start of the built-in list: the number of models, the date of the curation, and the
/// sources.
fn built_in_header(as_of: &str, models: usize) -> String {
    format!(
        "The built-in models: {models}, as of {as_of}. Generated, do not edit: change `curation.yaml` and run\n\
         `turnwise models import model_prices_and_context_window.json --built-in`.\n\
         \n\
         Prices (USD per million tokens) and capabilities come from LiteLLM's price list (MIT licence, BerriAI),\n\
         tiers and aliases from `curation.yaml`. Your own `models.yaml` overrides any field of any model."
    )
}

/// Returns whether a model was not yet deprecated on the date `as_of`, in the format `YYYY-MM-DD`.
fn is_not_deprecated(record: &Record, as_of: &str) -> bool {
    // Dates of one format compare as text.
    record.deprecated.as_deref().is_none_or(|date| as_of < date)
}

/// Returns the name of a model without the date at its end, such as `-20251101` or `-2026-04-23`; `None` if the name
/// does not end with a date.
fn strip_date(model: &str) -> Option<&str> {
    let is_number = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let (rest, last_segment) = model.rsplit_once('-')?;
    if is_number(last_segment, 8) {
        return Some(rest);
    }
    let (rest, month) = rest.rsplit_once('-')?;
    let (rest, year) = rest.rsplit_once('-')?;
    (is_number(last_segment, 2) && is_number(month, 2) && is_number(year, 4)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::strip_date;

    /// A date at the end of a name, in either notation, is removed; a version is not.
    #[test]
    fn a_date_at_the_end_is_not_part_of_the_name() {
        assert_eq!(strip_date("claude-opus-4-5-20251101"), Some("claude-opus-4-5"));
        assert_eq!(strip_date("gpt-5.5-2026-04-23"), Some("gpt-5.5"));
        assert_eq!(strip_date("claude-opus-4-5"), None);
        assert_eq!(strip_date("gemini-2.5-pro"), None);
    }
}
