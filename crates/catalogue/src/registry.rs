//! Merges the built-in list and the user's file of models into the registry (the models that decisions can choose), and
//! resolves conflicts between their names.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{Capabilities, ModelId, ModelSpec, PicoUsd, Prices, Provider, Rates, Registry, WireApi};

use crate::{
    BUILT_IN, CapabilityEntry, CatalogueError, CatalogueErrors, PriceEntry, RateEntry,
    read::{LocatedEntry, ParsedFile, parse_file},
    release,
};

/// A file of models, with its name and its text.
#[derive(Debug, Clone, Copy)]
pub struct ModelFile<'a> {
    /// Name of the file in errors.
    pub file: &'a str,
    /// Text of the file.
    pub text: &'a str,
}

/// Creates the registry of all models: the built-in list, overridden by the user's file, if there is one.
///
/// # Errors
/// The errors of [`crate::parse`] for the user's file; if there are none, all entries that cannot be merged and all
/// names of more than one model.
pub fn load_registry(user: Option<ModelFile<'_>>) -> Result<Registry, CatalogueErrors> {
    load_registry_over(ModelFile { file: "built-in models", text: BUILT_IN }, user)
}

/// Creates the registry of the models in `base`, overridden by the user's file. [`load_registry`] does the same with
/// the built-in list.
///
/// # Errors
/// As [`load_registry`].
pub fn load_registry_over(base: ModelFile<'_>, user: Option<ModelFile<'_>>) -> Result<Registry, CatalogueErrors> {
    let mut errors = ErrorList::default();
    let base_models = parse_file(base.file, base.text)?.models;
    let user_file = match user {
        Some(user) => parse_file(user.file, user.text)?,
        None => ParsedFile::default(),
    };
    let auto_names = user_file.auto_names;
    let base_models = base_models.into_iter().map(|(id, located)| {
        (id, MergedModel { located, file: base.file, is_built_in: true, has_user_aliases: false })
    });
    let user_name = user.map_or("", |user| user.file);
    let models = merge_models(base_models.collect(), user_name, user_file.models, &mut errors);
    let names = NameIndex::new(&models);
    let specs: Vec<ModelSpec> =
        models.iter().filter_map(|(id, model)| model_spec(id, model, &names, &mut errors)).collect();
    match Registry::new(specs) {
        Ok(registry) if errors.0.is_empty() => Ok(match auto_names {
            Some(names) => registry.with_auto_names(names),
            None => registry,
        }),
        Ok(_) => Err(CatalogueErrors::sorted(errors.0)),
        Err(clashes) => {
            for clash in clashes {
                if let Some(model) = models.get(&clash.second) {
                    errors.push(model.file, model.located.position, clash.to_string());
                }
            }
            Err(CatalogueErrors::sorted(errors.0))
        }
    }
}

/// Merges the models of the user's file into `models`, those of the built-in list, and returns the result. `user_name`
/// is the name of the user's file in errors. If the file removes a model that is not in the list, adds an error to
/// `errors`.
fn merge_models<'a>(
    mut models: BTreeMap<ModelId, MergedModel<'a>>,
    user_name: &'a str,
    user_models: BTreeMap<ModelId, LocatedEntry>,
    errors: &mut ErrorList,
) -> BTreeMap<ModelId, MergedModel<'a>> {
    for (id, user_model) in user_models {
        let built_in = models.remove(&id);
        if user_model.entry.remove {
            if built_in.is_none() {
                errors.push(user_name, user_model.position, format!("no model `{id}` to remove"));
            }
            continue;
        }
        let (is_built_in, has_user_aliases) = (built_in.is_some(), user_model.entry.aliases.is_some());
        let entry = match built_in {
            Some(built_in) => built_in.located.entry.overridden_by(user_model.entry),
            None => user_model.entry,
        };
        let located = LocatedEntry { entry, position: user_model.position };
        models.insert(id, MergedModel { located, file: user_name, is_built_in, has_user_aliases });
    }
    models
}

/// A model after the merge of the built-in list and the user's file, with the file that describes it.
struct MergedModel<'a> {
    /// The merged entry, with the location of the latest definition.
    located: LocatedEntry,
    /// Name of the latest file that contains the model.
    file: &'a str,
    /// Whether the built-in list contains the model.
    is_built_in: bool,
    /// Whether its aliases are from the user's file, and therefore take precedence over built-in ones.
    has_user_aliases: bool,
}

/// Errors found while files are merged into a registry.
#[derive(Default)]
struct ErrorList(Vec<CatalogueError>);

impl ErrorList {
    /// Adds an error at a `position` of a file: line and column, both from 1.
    fn push(&mut self, file: &str, position: (u64, u64), cause: String) {
        self.0.push(CatalogueError { file: file.to_owned(), position: Some(position), cause });
    }
}

/// All aliases and bare names of models in lower case, with the models that have them, to resolve conflicts between
/// aliases. The bare name of a model is its id without the provider.
#[derive(Default)]
struct NameIndex {
    /// Aliases in the user's file. A built-in model with the same alias loses it.
    user_aliases: BTreeSet<String>,
    /// Aliases and snapshots, with the models that have them.
    models_by_alias: BTreeMap<String, BTreeSet<ModelId>>,
    /// The number of models that have a bare name: at index 0 among the built-in models, at index 1 among the others.
    bare_name_counts: [BTreeMap<String, usize>; 2],
}

impl NameIndex {
    /// Creates the index of the names of all models.
    fn new(models: &BTreeMap<ModelId, MergedModel<'_>>) -> Self {
        let mut names = Self::default();
        for (id, model) in models {
            let entry = &model.located.entry;
            let (aliases, snapshots) = (entry.aliases.iter().flatten(), entry.snapshots.iter().flatten());
            if model.has_user_aliases {
                names.user_aliases.extend(aliases.clone().map(|alias| alias.to_lowercase()));
            }
            for alias in aliases.chain(snapshots) {
                names.models_by_alias.entry(alias.to_lowercase()).or_default().insert(id.clone());
            }
            *names.bare_name_counts[usize::from(!model.is_built_in)].entry(id.model().to_lowercase()).or_default() += 1;
        }
        names
    }

    /// Returns the names by which users can refer to a model, without duplicates: its bare name, aliases and snapshots.
    /// A built-in model loses the aliases that the user's file assigns to another model.
    fn aliases_of_model(&self, id: &ModelId, model: &MergedModel<'_>) -> Vec<String> {
        let is_lost = |alias: &&String| !model.has_user_aliases && self.user_aliases.contains(&alias.to_lowercase());
        let entry = &model.located.entry;
        let listed_names = entry.aliases.iter().chain(&entry.snapshots).flatten().filter(|alias| !is_lost(alias));
        let bare_name = id.model().to_owned();
        let bare_name = (is_valid_alias(&bare_name) && self.may_use_bare_name(id, model, &bare_name.to_lowercase()))
            .then_some(bare_name);
        let mut returned_names = BTreeSet::new();
        bare_name
            .into_iter()
            .chain(listed_names.cloned())
            .filter(|name| returned_names.insert(name.to_lowercase()))
            .collect()
    }

    /// Returns whether a model may have its bare name `name` as an alias: no other model has it as an alias or as a
    /// bare name.
    ///
    /// For a built-in model, only the bare names of other built-in models count, so that importing the same model from
    /// another provider removes no alias.
    fn may_use_bare_name(&self, id: &ModelId, model: &MergedModel<'_>, name: &str) -> bool {
        let is_alias_of_another = self.models_by_alias.get(name).is_some_and(|ids| ids.iter().any(|other| other != id));
        let count = |origin: usize| self.bare_name_counts[origin].get(name).copied().unwrap_or(0);
        !is_alias_of_another && if model.is_built_in { count(0) == 1 } else { count(0) == 0 && count(1) == 1 }
    }
}

/// Returns whether a text can be an alias: a single word that can follow the `@` of a model override (004 §9.2).
fn is_valid_alias(alias: &str) -> bool {
    !alias.is_empty() && !alias.starts_with(['@', '\\']) && !alias.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Converts a merged model to a model of the registry; missing fields have their defaults. Invalid fields are reported
/// in `errors`. `None` if the provider is invalid or the context window is missing.
fn model_spec(id: &ModelId, model: &MergedModel<'_>, names: &NameIndex, errors: &mut ErrorList) -> Option<ModelSpec> {
    let entry = &model.located.entry;
    let mut report = |cause| errors.push(model.file, model.located.position, cause);
    let aliases = names.aliases_of_model(id, model);
    for alias in entry.aliases.iter().chain(&entry.snapshots).flatten().filter(|alias| !is_valid_alias(alias)) {
        report(format!(
            "`{}` cannot be an alias of `{id}`: an alias is one word and has no `@` before it",
            alias.escape_debug()
        ));
    }
    let provider = match Provider::try_from(id.provider()) {
        Ok(provider) => provider,
        Err(error) => {
            report(error.to_string());
            return None;
        }
    };
    let Some(context_window) = entry.context_window else {
        report(format!("`{id}` is not a built-in model: its entry must say its `context_window`"));
        return None;
    };
    if let Some(date) = entry.released.as_deref().filter(|date| !release::is_date(date)) {
        report(format!("`released` of `{id}` must be a date such as 2026-09-22, not `{}`", date.escape_debug()));
    }
    let snapshots = entry.snapshots.iter().flatten();
    Some(ModelSpec {
        id: id.clone(),
        provider,
        tier: entry.tier,
        aliases,
        released: entry.released.clone().or_else(|| snapshots.filter_map(|name| release::date_suffix(name)).min()),
        context_window,
        max_output: entry.max_output.unwrap_or(context_window),
        capabilities: convert_capabilities(entry.capabilities),
        tokenizer: entry.tokenizer.unwrap_or_default(),
        prices: entry.prices.as_ref().and_then(|prices| convert_prices(id, prices, &mut report)),
        can_delegate: entry.can_delegate.unwrap_or(false),
        configured: entry.configured.unwrap_or(true),
        apis: entry.apis.clone().unwrap_or_else(|| WireApi::usual(id.provider())),
    })
}

/// Converts the capabilities of an entry; missing ones have the values of [`Capabilities::default`].
fn convert_capabilities(capabilities: CapabilityEntry) -> Capabilities {
    let defaults = Capabilities::default();
    Capabilities {
        images: capabilities.images.unwrap_or(defaults.images),
        tools: capabilities.tools.unwrap_or(defaults.tools),
        system_prompt: capabilities.system_prompt.unwrap_or(defaults.system_prompt),
        structured_output: capabilities.structured_output.unwrap_or(defaults.structured_output),
        effort: capabilities.effort.unwrap_or(defaults.effort),
        thinking_budget: capabilities.thinking_budget.unwrap_or(defaults.thinking_budget),
    }
}

/// Converts the prices of the model `id`. If an input or output rate is missing, returns `None` and calls `report` with
/// the message.
fn convert_prices(id: &ModelId, prices: &PriceEntry, report: &mut dyn FnMut(String)) -> Option<Prices> {
    let Some(base) = convert_rates(&prices.base) else {
        report(format!("the prices of `{id}` need both `input` and `output`"));
        return None;
    };
    let long_context = match prices.long_context {
        None => None,
        Some(long_context) => {
            let Some(rates) = convert_rates(&long_context.rates) else {
                report(format!("the long-context prices of `{id}` need both `input` and `output`"));
                return None;
            };
            Some((long_context.above_tokens, rates))
        }
    };
    Some(Prices { base, long: long_context })
}

/// Converts a set of rates; `None` if the input or output rate is missing.
///
/// A missing cache rate is not free: cache reads and five-minute writes cost the input rate, one-hour writes the
/// five-minute rate.
fn convert_rates(rates: &RateEntry) -> Option<Rates> {
    let input: PicoUsd = rates.input?;
    let cache_write_5m = rates.cache_write_5m.unwrap_or(input);
    Some(Rates {
        input,
        cache_read: rates.cache_read.unwrap_or(input),
        cache_write_5m,
        cache_write_1h: rates.cache_write_1h.unwrap_or(cache_write_5m),
        output: rates.output?,
    })
}
