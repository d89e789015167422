//! The models of a rule, a default or a tier, in the order in which they are tried (decision D43).

use std::sync::Arc;

use contracts::{ModelId, ModelSpec};

use super::load::Loader;
use crate::yaml::{YamlNode, YamlValue};

/// The maximum number of models in a list. Every rejected model is an attempt in the recorded decision, whose size is
/// limited.
const MAX_CANDIDATES: usize = 8;

/// The models of a rule, a default or a tier, at least one. They are tried in order until one can serve the turn
/// (decision D43).
#[derive(Debug, Clone)]
pub(crate) struct ModelCandidates {
    /// The model that is tried first.
    first: Arc<ModelSpec>,
    /// The other models, in the order in which they are tried.
    others: Vec<Arc<ModelSpec>>,
}

impl ModelCandidates {
    /// Returns the model that is tried first.
    pub(crate) fn first(&self) -> &ModelSpec {
        &self.first
    }

    /// Returns the models in the order in which they are tried.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ModelSpec> {
        std::iter::once(&self.first).chain(&self.others).map(AsRef::as_ref)
    }

    /// Returns the ids of the models in the order in which they are tried.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &ModelId> {
        self.iter().map(|model| &model.id)
    }
}

impl Loader<'_> {
    /// Parses one model or a list of models; `subject` is the key, for error messages. Reports unknown models, an empty
    /// list, more than [`MAX_CANDIDATES`] models, and a model that is listed twice. `None` if the list contains no
    /// valid model.
    pub(super) fn parse_models(&mut self, node: &YamlNode<'_>, subject: &str) -> Option<ModelCandidates> {
        let YamlValue::List(items) = &node.value else {
            return self.resolve_model(node, subject).map(|first| ModelCandidates { first, others: Vec::new() });
        };
        if items.is_empty() {
            self.problems.report(node.mark, format!("`{subject}` is empty: name at least one model"));
        }
        if MAX_CANDIDATES < items.len() {
            let message = format!("`{subject}` names {} models, the most is {MAX_CANDIDATES}", items.len());
            self.problems.report(node.mark, message);
        }
        let mut models: Vec<Arc<ModelSpec>> = Vec::with_capacity(items.len());
        for item in items {
            let Some(model) = self.resolve_model(item, subject) else { continue };
            if models.iter().any(|listed_model| listed_model.id == model.id) {
                self.problems.report(item.mark, format!("`{subject}` names `{}` twice: keep one", model.id));
            } else {
                models.push(model);
            }
        }
        let mut models = models.into_iter();
        models.next().map(|first| ModelCandidates { first, others: models.collect() })
    }
}
