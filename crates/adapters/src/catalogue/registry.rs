//! From files of models to the registry that decisions read.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{Capabilities, ModelId, ModelSpec, PicoUsd, Prices, Provider, Rates, Registry};

use super::{
    BUILT_IN, CatalogueError, CatalogueErrors, PriceEntry, RateEntry,
    read::{Located, read},
};

/// A file of models.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its name in errors.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The built-in models, with a user's file over them.
///
/// # Errors
/// Everything that is wrong with the user's file: see [`super::parse`], and besides, what does not fit together.
pub fn load(user: Option<Source<'_>>) -> Result<Registry, CatalogueErrors> {
    load_over(Source { file: "built-in models", text: BUILT_IN }, user)
}

/// As [`load`], with another list in the place of the built-in one.
///
/// # Errors
/// As [`load`].
pub fn load_over(below: Source<'_>, user: Option<Source<'_>>) -> Result<Registry, CatalogueErrors> {
    let mut errors = Errors::default();
    let below_models = read(below.file, below.text)?;
    let user_models = match user {
        Some(user) => read(user.file, user.text)?,
        None => BTreeMap::new(),
    };
    let mut models: BTreeMap<ModelId, Model<'_>> = below_models
        .into_iter()
        .map(|(id, located)| (id, Model { located, file: below.file, own_aliases: false }))
        .collect();
    let user_file = user.map_or("", |user| user.file);
    for (id, above) in user_models {
        let known = models.remove(&id);
        if above.entry.remove {
            if known.is_none() {
                errors.push(user_file, above.place, format!("no model `{id}` to remove"));
            }
            continue;
        }
        let own_aliases = above.entry.aliases.is_some() || known.is_none();
        let entry = match known {
            Some(known) => known.located.entry.overridden_by(above.entry),
            None => above.entry,
        };
        let located = Located { entry, place: above.place };
        models.insert(id, Model { located, file: user_file, own_aliases });
    }
    let names = Names::of(&models);
    let specs: Vec<ModelSpec> = models.iter().filter_map(|(id, model)| spec(id, model, &names, &mut errors)).collect();
    match Registry::new(specs) {
        Ok(registry) if errors.0.0.is_empty() => Ok(registry),
        Ok(_) => Err(errors.0),
        Err(clashes) => {
            for clash in clashes {
                if let Some(model) = models.get(&clash.second) {
                    errors.push(model.file, model.located.place, clash.to_string());
                }
            }
            Err(errors.0)
        }
    }
}

struct Model<'a> {
    located: Located,
    /// The file that says the last word about it.
    file: &'a str,
    /// Whether its aliases are the user's, and so win over built-in ones.
    own_aliases: bool,
}

#[derive(Default)]
struct Errors(CatalogueErrors);

impl Errors {
    fn push(&mut self, file: &str, place: (u64, u64), cause: String) {
        self.0.0.push(CatalogueError { file: file.to_owned(), place: Some(place), cause });
    }
}

/// Who may claim which name.
struct Names {
    /// Aliases a user's file gives, in lower case: built-in models lose them.
    users: BTreeSet<String>,
    /// Bare names that stand for no model: shared by two, or claimed as an alias by another one.
    ambiguous: BTreeSet<String>,
}

impl Names {
    fn of(models: &BTreeMap<ModelId, Model<'_>>) -> Self {
        let aliases = |model: &Model<'_>| -> Vec<String> {
            let entry = &model.located.entry;
            entry.aliases.iter().chain(&entry.snapshots).flatten().map(|alias| alias.to_lowercase()).collect()
        };
        let users = models
            .values()
            .filter(|model| model.own_aliases)
            .flat_map(|model| model.located.entry.aliases.iter().flatten())
            .map(|alias| alias.to_lowercase())
            .collect();
        let mut claims: BTreeMap<String, BTreeSet<&ModelId>> = BTreeMap::new();
        for (id, model) in models {
            claims.entry(id.model().to_lowercase()).or_default().insert(id);
            for alias in aliases(model) {
                claims.entry(alias).or_default().insert(id);
            }
        }
        let ambiguous = claims.into_iter().filter(|(_, ids)| 1 < ids.len()).map(|(name, _)| name).collect();
        Self { users, ambiguous }
    }

    /// Every name of a model but its id.
    fn for_model(&self, id: &ModelId, model: &Model<'_>) -> Vec<String> {
        let entry = &model.located.entry;
        let mut names = Vec::new();
        if !self.ambiguous.contains(&id.model().to_lowercase()) {
            names.push(id.model().to_owned());
        }
        let lost = |alias: &&String| !model.own_aliases && self.users.contains(&alias.to_lowercase());
        let given = entry.aliases.iter().flatten().filter(|alias| !lost(alias));
        names.extend(given.chain(entry.snapshots.iter().flatten().filter(|alias| !lost(alias))).cloned());
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.to_lowercase()));
        names
    }
}

fn spec(id: &ModelId, model: &Model<'_>, names: &Names, errors: &mut Errors) -> Option<ModelSpec> {
    let entry = &model.located.entry;
    let mut report = |cause| errors.push(model.file, model.located.place, cause);
    let aliases = names.for_model(id, model);
    for alias in &aliases {
        if alias.is_empty() || alias.chars().any(|c| c.is_whitespace() || c.is_control() || c == '@') {
            report(format!("alias `{}` of `{id}` is not a word", alias.escape_debug()));
        }
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
        },
        tokenizer: entry.tokenizer.unwrap_or_default(),
        prices: entry.prices.as_ref().and_then(|said| prices(id, said, &mut report)),
        can_delegate: entry.can_delegate.unwrap_or(false),
        configured: entry.configured.unwrap_or(true),
    })
}

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

/// A missing cache rate is never a free one: reads and writes then cost what input costs.
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
