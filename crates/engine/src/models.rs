//! The active models: the built-in catalogue, changed by the user's models file.

use std::{fs, io, path::Path, sync::Arc};

use catalogue::ModelFile;
use contracts::{ContentHash, Registry, events::CatalogueLoaded};

use crate::error::EngineError;

/// The active models, with the text and the hash under which the log records them.
#[derive(Debug, Clone)]
pub struct Models {
    /// The models with their prices, limits and capabilities.
    pub registry: Arc<Registry>,
    /// The registry as text, stored with the log. Equal registries have equal text.
    pub text: Arc<str>,
    /// BLAKE3 hash of `text`, which names the registry in events.
    pub hash: ContentHash,
}

impl Models {
    /// Loads the built-in models, changed by the user's file at `path` if that exists.
    ///
    /// # Errors
    /// [`EngineError::Models`] for an invalid file, [`EngineError::File`] for one that cannot be read.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let name = path.display().to_string();
        let registry = match fs::read_to_string(path) {
            Ok(text) => catalogue::load_registry(Some(ModelFile { file: &name, text: &text }))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => catalogue::load_registry(None)?,
            Err(source) => return Err(EngineError::File { action: "read", path: path.to_owned(), source }),
        };
        Ok(Self::of(registry))
    }

    /// Wraps a registry, with its text and hash.
    pub fn of(registry: Registry) -> Self {
        let text = catalogue::registry_text(&registry);
        let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
        Self { registry: Arc::new(registry), text: text.into(), hash }
    }

    pub(crate) fn event(&self) -> CatalogueLoaded {
        CatalogueLoaded {
            hash: self.hash,
            bytes: self.text.len() as u64,
            models: u32::try_from(self.registry.iter().count()).unwrap_or(u32::MAX),
        }
    }
}
