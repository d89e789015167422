//! The canonical text of a registry. The event `catalogue.loaded` records its hash, and a replay parses the text.

use contracts::{ModelSpec, Registry, RegistryError, WireApi};

/// Why a text cannot be parsed as the canonical text of a registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryTextError {
    /// The text is not a JSON list of models.
    #[error("the text is not a list of models")]
    Json(#[from] serde_json::Error),
    /// Two models have the same id or alias. Contains all such conflicts.
    #[error("{} names in the list belong to two models", .0.len())]
    Names(Vec<RegistryError>),
}

/// Encodes a registry as its canonical text: a JSON list of all models in the order of their ids, one line for each.
/// Equal registries have equal texts, so that the text can be hashed.
pub fn registry_text(registry: &Registry) -> String {
    let mut text = String::from("[");
    for (index, model) in registry.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        // A model consists of text, integers and booleans, which always encode.
        text.push_str(&serde_json::to_string(model).unwrap_or_default());
    }
    text.push_str("\n]\n");
    text
}

/// Parses the canonical text of a registry, which [`registry_text`] encodes. A model without APIs, as in lists that
/// were recorded before the gateway existed, gets the usual APIs of its provider.
///
/// # Errors
/// [`RegistryTextError`] if the text is not a JSON list of models, or if two of them have the same name.
pub fn registry_from_text(text: &str) -> Result<Registry, RegistryTextError> {
    let mut models: Vec<ModelSpec> = serde_json::from_str(text)?;
    // Lists recorded before the gateway existed have no APIs.
    for model in models.iter_mut().filter(|model| model.apis.is_empty()) {
        model.apis = WireApi::usual(model.id.provider());
    }
    Registry::new(models).map_err(RegistryTextError::Names)
}
