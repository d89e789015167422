//! The active models: the built-in catalogue, extended by the user's file.

use std::{io, path::Path, sync::Arc};

use adapters::read_own_file;
use catalogue::ModelFile;
use contracts::{ContentHash, Registry, events::CatalogueLoaded};

use crate::error::EngineError;

/// The active models, with the text and the hash under which the log records them.
#[derive(Debug, Clone)]
pub struct Models {
    /// The models by id and alias.
    pub registry: Arc<Registry>,
    /// The canonical text of the models; equal for equal models.
    pub text: Arc<str>,
    /// The BLAKE3 hash of the text.
    pub hash: ContentHash,
}

impl Models {
    /// Loads the built-in models, extended and overridden by the user's file at `path` if it exists.
    ///
    /// # Errors
    /// [`EngineError::Models`] if the file is invalid, [`EngineError::File`] if it exists but cannot be read.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let name = path.display().to_string();
        let registry = match read_own_file(path) {
            Ok(text) => catalogue::load_registry(Some(ModelFile { file: &name, text: &text }))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => catalogue::load_registry(None)?,
            Err(source) => return Err(EngineError::File { action: "read", path: path.to_owned(), source }),
        };
        Ok(Self::from_registry(registry))
    }

    /// Creates the models of a registry, with their canonical text and its hash.
    pub fn from_registry(registry: Registry) -> Self {
        let text = catalogue::registry_text(&registry);
        let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
        Self { registry: Arc::new(registry), text: text.into(), hash }
    }

    /// Builds the event that records this list of models.
    pub(crate) fn event(&self) -> CatalogueLoaded {
        CatalogueLoaded {
            hash: self.hash,
            bytes: self.text.len() as u64,
            models: u32::try_from(self.registry.iter().count()).unwrap_or(u32::MAX),
        }
    }
}
