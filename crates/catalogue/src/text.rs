//! The registry as one canonical text: what `catalogue.loaded` hashes, and what a replay reads back.

use contracts::{ModelSpec, Registry, RegistryError, WireApi};

/// Why a text is not a registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryTextError {
    /// Not the JSON of a list of models.
    #[error("the text is not a list of models")]
    Json(#[from] serde_json::Error),
    /// Two models share a name.
    #[error("{} names in the list belong to two models", .0.len())]
    Names(Vec<RegistryError>),
}

/// All models in the order of their ids as JSON, one line each: equal registries give equal bytes.
pub fn registry_text(registry: &Registry) -> String {
    let mut text = String::from("[");
    for (index, model) in registry.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        // A model holds text, whole numbers and booleans: JSON has a place for each of them.
        text.push_str(&serde_json::to_string(model).unwrap_or_default());
    }
    text.push_str("\n]\n");
    text
}

/// Reads what [`registry_text`] wrote.
///
/// # Errors
/// [`RegistryTextError`] when it did not.
pub fn registry_from_text(text: &str) -> Result<Registry, RegistryTextError> {
    let mut models: Vec<ModelSpec> = serde_json::from_str(text)?;
    // Lists written before there was a gateway do not say it.
    for model in models.iter_mut().filter(|model| model.apis.is_empty()) {
        model.apis = WireApi::usual(model.id.provider());
    }
    Registry::new(models).map_err(RegistryTextError::Names)
}
