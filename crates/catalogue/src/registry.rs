//! Merges files of models into the registry that decisions read.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{Capabilities, ModelId, ModelSpec, PicoUsd, Prices, Provider, Rates, Registry, WireApi};

use crate::{
    BUILT_IN, CatalogueError, CatalogueErrors, PriceEntry, RateEntry,
    read::{File, Located, read},
};

/// Name and text of a file of models.
#[derive(Debug, Clone, Copy)]
pub struct ModelFile<'a> {
    /// Name of the file in errors.
    pub file: &'a str,
    /// Text of the file.
    pub text: &'a str,
}

/// Creates the registry of the built-in models, overridden by a user's file.
///
/// # Errors
/// All errors in the user's file, see [`crate::parse`], and conflicts between models.
pub fn load_registry(user: Option<ModelFile<'_>>) -> Result<Registry, CatalogueErrors> {
    load_registry_over(ModelFile { file: "built-in models", text: BUILT_IN }, user)
}

/// Creates a registry as [`load_registry`] does, with another list in place of the built-in one.
///
/// # Errors
/// As [`load_registry`].
pub fn load_registry_over(below: ModelFile<'_>, user: Option<ModelFile<'_>>) -> Result<Registry, CatalogueErrors> {
    let mut errors = Errors::default();
    let below_models = read(below.file, below.text)?.models;
    let user_file = match user {
        Some(user) => read(user.file, user.text)?,
        None => File::default(),
    };
    let user_models = user_file.models;
    let auto_names = user_file.auto_names;
    let mut models: BTreeMap<ModelId, Model<'_>> = below_models
        .into_iter()
        .map(|(id, located)| (id, Model { located, file: below.file, built_in: true, own_aliases: false }))
        .collect();
    let user_name = user.map_or("", |user| user.file);
    for (id, above) in user_models {
        let known = models.remove(&id);
        if above.entry.remove {
            if known.is_none() {
                errors.push(user_name, above.place, format!("no model `{id}` to remove"));
            }
            continue;
        }
        let (built_in, own_aliases) = (known.is_some(), above.entry.aliases.is_some());
        let entry = match known {
            Some(known) => known.located.entry.overridden_by(above.entry),
            None => above.entry,
        };
        let located = Located { entry, place: above.place };
        models.insert(id, Model { located, file: user_name, built_in, own_aliases });
    }
    let names = Names::of(&models);
    let specs: Vec<ModelSpec> = models.iter().filter_map(|(id, model)| spec(id, model, &names, &mut errors)).collect();
    match Registry::new(specs) {
        Ok(registry) if errors.0.is_empty() => Ok(match auto_names {
            Some(names) => registry.with_auto_names(names),
            None => registry,
        }),
        Ok(_) => Err(CatalogueErrors::sorted(errors.0)),
        Err(clashes) => {
            for clash in clashes {
                if let Some(model) = models.get(&clash.second) {
                    errors.push(model.file, model.located.place, clash.to_string());
                }
            }
            Err(CatalogueErrors::sorted(errors.0))
        }
    }
}

/// A merged entry with its origin, from which a model of the registry is created.
struct Model<'a> {
    /// The merged entry, with the location of its last definition.
    located: Located,
    /// Name of the last file that contains the model.
    file: &'a str,
    /// Whether the list below the user's file contains the model.
    built_in: bool,
    /// Whether its aliases are from the user's file, and therefore take precedence over built-in ones.
    own_aliases: bool,
}

/// Errors found while files are merged into a registry.
#[derive(Default)]
struct Errors(Vec<CatalogueError>);

impl Errors {
    fn push(&mut self, file: &str, place: (u64, u64), cause: String) {
        self.0.push(CatalogueError { file: file.to_owned(), place: Some(place), cause });
    }
}

/// All names and the models that have them, in lower case. Determines which aliases a model keeps.
#[derive(Default)]
struct Names {
    /// Aliases in the user's file, which built-in models lose.
    users: BTreeSet<String>,
    /// Aliases and snapshots, with the models that have them.
    given: BTreeMap<String, BTreeSet<ModelId>>,
    /// Number of models for each bare name: first the built-in models, then the others.
    bare: [BTreeMap<String, usize>; 2],
}

impl Names {
    /// Collects the names of all models, to determine which aliases each model keeps.
    fn of(models: &BTreeMap<ModelId, Model<'_>>) -> Self {
        let mut names = Self::default();
        for (id, model) in models {
            let entry = &model.located.entry;
            let (aliases, snapshots) = (entry.aliases.iter().flatten(), entry.snapshots.iter().flatten());
            if model.own_aliases {
                names.users.extend(aliases.clone().map(|alias| alias.to_lowercase()));
            }
            for alias in aliases.chain(snapshots) {
                names.given.entry(alias.to_lowercase()).or_default().insert(id.clone());
            }
            *names.bare[usize::from(!model.built_in)].entry(id.model().to_lowercase()).or_default() += 1;
        }
        names
    }

    /// Returns all aliases of a model: its bare name, aliases and snapshots.
    fn for_model(&self, id: &ModelId, model: &Model<'_>) -> Vec<String> {
        let lost = |alias: &&String| !model.own_aliases && self.users.contains(&alias.to_lowercase());
        let entry = &model.located.entry;
        let given = entry.aliases.iter().chain(&entry.snapshots).flatten().filter(|alias| !lost(alias));
        let bare = id.model().to_owned();
        let bare = (is_word(&bare) && self.may_use_bare(id, model, &bare.to_lowercase())).then_some(bare);
        let mut seen = BTreeSet::new();
        bare.into_iter().chain(given.cloned()).filter(|name| seen.insert(name.to_lowercase())).collect()
    }

    /// Returns whether a model has its bare name as an alias: no other model has it as an alias or as a bare name.
    /// Built-in models take precedence, so that importing the same model from another provider removes no alias.
    fn may_use_bare(&self, id: &ModelId, model: &Model<'_>, name: &str) -> bool {
        let given_to_another = self.given.get(name).is_some_and(|ids| ids.iter().any(|other| other != id));
        let sharing = |others: usize| self.bare[others].get(name).copied().unwrap_or(0);
        !given_to_another && if model.built_in { sharing(0) == 1 } else { sharing(0) == 0 && sharing(1) == 1 }
    }
}

/// Returns whether a text can follow the `@` of an override (004 §9.2).
fn is_word(alias: &str) -> bool {
    !alias.is_empty() && !alias.starts_with(['@', '\\']) && !alias.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Converts an entry to a model, with defaults for missing fields. Reports errors; `None` if the model cannot be
/// created.
fn spec(id: &ModelId, model: &Model<'_>, names: &Names, errors: &mut Errors) -> Option<ModelSpec> {
    let entry = &model.located.entry;
    let mut report = |cause| errors.push(model.file, model.located.place, cause);
    let aliases = names.for_model(id, model);
    for alias in entry.aliases.iter().chain(&entry.snapshots).flatten().filter(|alias| !is_word(alias)) {
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
    let defaults = Capabilities::default();
    let said = entry.capabilities;
    Some(ModelSpec {
        id: id.clone(),
        provider,
        tier: entry.tier,
        aliases,
        context_window,
        max_output: entry.max_output.unwrap_or(context_window),
        capabilities: Capabilities {
            images: said.images.unwrap_or(defaults.images),
            tools: said.tools.unwrap_or(defaults.tools),
            system_prompt: said.system_prompt.unwrap_or(defaults.system_prompt),
            structured_output: said.structured_output.unwrap_or(defaults.structured_output),
            effort: said.effort.unwrap_or(defaults.effort),
            thinking_budget: said.thinking_budget.unwrap_or(defaults.thinking_budget),
        },
        tokenizer: entry.tokenizer.unwrap_or_default(),
        prices: entry.prices.as_ref().and_then(|said| prices(id, said, &mut report)),
        can_delegate: entry.can_delegate.unwrap_or(false),
        configured: entry.configured.unwrap_or(true),
        apis: entry.apis.clone().unwrap_or_else(|| WireApi::usual(id.provider())),
    })
}

/// Converts prices; reports an error and returns `None` if input or output rates are missing.
fn prices(id: &ModelId, said: &PriceEntry, report: &mut dyn FnMut(String)) -> Option<Prices> {
    let Some(base) = rates(&said.base) else {
        report(format!("the prices of `{id}` need both `input` and `output`"));
        return None;
    };
    let long = match said.long_context {
        None => None,
        Some(long) => {
            let Some(rates) = rates(&long.rates) else {
                report(format!("the long-context prices of `{id}` need both `input` and `output`"));
                return None;
            };
            Some((long.above_tokens, rates))
        }
    };
    Some(Prices { base, long })
}

/// Converts a set of rates. Missing cache rates are not free but equal to the input rate. `None` without input or
/// output rate.
fn rates(said: &RateEntry) -> Option<Rates> {
    let input: PicoUsd = said.input?;
    let cache_write_5m = said.cache_write_5m.unwrap_or(input);
    Some(Rates {
        input,
        cache_read: said.cache_read.unwrap_or(input),
        cache_write_5m,
        cache_write_1h: said.cache_write_1h.unwrap_or(cache_write_5m),
        output: said.output?,
    })
}
