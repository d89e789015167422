//! [`MemoryTexts`], an in-memory text store for tests, demos and dry runs.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use super::{TextStore, checked_hash};
use crate::LogError;

/// A text store in memory: texts by hash, lost when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryTexts(Mutex<BTreeMap<[u8; 32], String>>);

impl MemoryTexts {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the texts.
    fn texts(&self) -> std::sync::MutexGuard<'_, BTreeMap<[u8; 32], String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TextStore for MemoryTexts {
    fn put(&self, text: &str) -> Result<[u8; 32], LogError> {
        let hash = checked_hash(text)?;
        self.texts().entry(hash).or_insert_with(|| text.to_owned());
        Ok(hash)
    }

    fn get(&self, hash: [u8; 32]) -> Result<Option<String>, LogError> {
        Ok(self.texts().get(&hash).cloned())
    }

    fn sweep(&self, keep: &dyn Fn([u8; 32]) -> bool) -> Result<u64, LogError> {
        let mut texts = self.texts();
        let before = texts.len();
        texts.retain(|hash, _| keep(*hash));
        Ok((before - texts.len()) as u64)
    }

    fn remove(&self, hash: [u8; 32]) -> Result<bool, LogError> {
        Ok(self.texts().remove(&hash).is_some())
    }
}
