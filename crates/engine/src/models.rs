//! The models active: the built-in catalogue with the user's file over it.

use std::{fs, io, path::Path, sync::Arc};

use catalogue::ModelFile;
use contracts::{ContentHash, Registry, events::CatalogueLoaded};

use crate::error::EngineError;

/// The models, and how the log names this list of them.
#[derive(Debug, Clone)]
pub struct Models {
    /// The models.
    pub registry: Arc<Registry>,
    /// The list as text, the same for the same models.
    pub text: Arc<str>,
    /// The hash of the text.
    pub hash: ContentHash,
}

impl Models {
    /// Reads the user's file, if there is one, over the built-in models.
    ///
    /// # Errors
    /// [`EngineError::Models`] for a file that cannot be used, [`EngineError::File`] for one that cannot be read.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let name = path.display().to_string();
        let registry = match fs::read_to_string(path) {
            Ok(text) => catalogue::load_registry(Some(ModelFile { file: &name, text: &text }))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => catalogue::load_registry(None)?,
            Err(source) => return Err(EngineError::File { action: "read", path: path.to_owned(), source }),
        };
        Ok(Self::of(registry))
    }

    /// A given list.
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
