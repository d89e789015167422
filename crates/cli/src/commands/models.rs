//! `models`: lists the models and imports price lists.

use std::{collections::BTreeMap, path::Path};

use adapters::{create_own_folder, read_own_file, write_own_file};
use catalogue::litellm;
use contracts::{ModelSpec, PicoUsd};
use engine::Models;
use serde_json::json;

use crate::{
    arguments::ModelsCommand,
    context::{Context, read_text},
    failure::Failure,
    screen::{Table, out, outln},
};

/// Executes a subcommand of `models`; without one, lists the models. `import --built-in` prints the list for the
/// catalogue instead of writing a file.
pub(super) fn run(context: &Context, command: Option<ModelsCommand>) -> Result<(), Failure> {
    match command {
        None | Some(ModelsCommand::List) => list_models(context),
        Some(ModelsCommand::Import { file, built_in: true }) => {
            let text = read_text(&file)?;
            let built = litellm::built_in_yaml(&text).map_err(|error| Failure::Invalid(error.to_string()))?;
            out!("{built}");
            Ok(())
        }
        Some(ModelsCommand::Import { file, built_in: false }) => import(context, &file),
    }
}

/// Prints all models with their limits, prices in dollars per million tokens, and capabilities.
fn list_models(context: &Context) -> Result<(), Failure> {
    let models = Models::load(&context.home.models())?;
    let all: Vec<&ModelSpec> = models.registry.iter().collect();
    context.print(&all, || {
        let mut table = Table::new(&["MODEL", "TIER", "ALIASES", ">CONTEXT", ">INPUT $/M", ">OUTPUT $/M", "TAKES"]);
        for model in &all {
            let capabilities = model.capabilities;
            let takes = [
                (capabilities.images, "images"),
                (capabilities.tools, "tools"),
                (capabilities.structured_output, "schemas"),
                (capabilities.effort, "effort"),
            ];
            let takes: Vec<_> = takes.iter().filter(|(supported, _)| *supported).map(|(_, name)| *name).collect();
            let price = |rate: Option<PicoUsd>| rate.map_or_else(|| "?".to_owned(), per_million);
            table.add_row([
                model.id.to_string(),
                model.tier.map(|tier| tier.to_string()).unwrap_or_default(),
                model.aliases.join(", "),
                model.context_window.to_string(),
                price(model.prices.map(|prices| prices.base.input)),
                price(model.prices.map(|prices| prices.base.output)),
                takes.join(" "),
            ]);
        }
        table.print();
    })
}

/// Formats the price of one token, in pico-dollars, as dollars per million tokens with at least two decimal digits.
fn per_million(rate: PicoUsd) -> String {
    let text = format!("{}.{:06}", rate.0 / 1_000_000, rate.0 % 1_000_000);
    let trimmed = text.trim_end_matches('0');
    let decimals = trimmed.len() - trimmed.find('.').unwrap_or_default() - 1;
    format!("{trimmed}{}", "0".repeat(2_usize.saturating_sub(decimals)))
}

/// The comment at the top of a `models.yaml` that an import writes.
const HEADER: &str = "The models of turnwise, over those built in. Edit freely: what a model leaves out keeps its built-in value.\n\
    Prices are in US dollars per million tokens. `turnwise models` shows the result.";

/// Converts a price list of `LiteLLM` to models and writes them to `models.yaml`, where entries of the user override
/// imported ones. Prints the number of imported models, and why others were left out.
///
/// # Errors
/// [`Failure::Invalid`] if the price list, the existing `models.yaml` or the combined list is invalid;
/// [`Failure::Failed`] if a file cannot be read or written.
fn import(context: &Context, file: &Path) -> Result<(), Failure> {
    let text = read_text(file)?;
    let converted = litellm::convert_price_list(&text).map_err(|error| Failure::Invalid(error.to_string()))?;
    let path = context.home.models();
    let name = path.display().to_string();
    // The user's own entries override the imported ones.
    let own = match read_own_file(&path) {
        Ok(text) => catalogue::parse(&name, &text).map_err(|error| Failure::Invalid(error.to_string()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => catalogue::ModelEntries::new(),
        Err(error) => return Err(Failure::file("read", &path, &error)),
    };
    let imported = converted.entries.len();
    let counts = converted.counts_by_reason();
    let mut entries = converted.entries;
    for (id, entry) in own {
        let imported_entry = entries.remove(&id).unwrap_or_default();
        entries.insert(id, imported_entry.overridden_by(entry));
    }
    let yaml = catalogue::to_yaml(HEADER, &entries);
    catalogue::load_registry(Some(catalogue::ModelFile { file: &name, text: &yaml }))
        .map_err(|error| Failure::Invalid(error.to_string()))?;
    create_own_folder(&context.home.dir).map_err(|error| Failure::file("create", &context.home.dir, &error))?;
    write_own_file(&path, yaml.as_bytes()).map_err(|error| Failure::file("write", &path, &error))?;
    let mut dropped: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for model in &converted.dropped {
        dropped.entry(model.reason.to_string()).or_default().push(&model.name);
    }
    let simplified = converted.simplified.len();
    let json = json!({ "file": path, "imported": imported, "simplified": converted.simplified, "dropped": dropped });
    context.print(&json, || {
        outln!("{imported} models written to {}", path.display());
        if 0 < simplified {
            outln!("  {simplified} of them with the first of several long-prompt prices only");
        }
        for (reason, count) in &counts {
            outln!("  dropped {count}: {reason}");
        }
        if !dropped.is_empty() {
            outln!("  (--json names each of them)");
        }
    })
}
