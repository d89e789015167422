//! Loads the policies and lists of models that recorded decisions name by hash, each once.

use std::{collections::BTreeMap, sync::Arc};

use catalogue::registry_from_text;
use contracts::{
    ContentHash, Registry,
    events::{CatalogueLoaded, PolicyLoaded},
};
use event_bus::TextStore;
use event_core::{Position, Recorded};
use router_core::Policy;

use crate::{error::WhatIfError, recorded_decision::RecordedDecision};

/// A cache of the policies and lists of models with which recorded decisions were made, keyed by the hashes of their
/// texts.
pub(crate) struct PolicyCache<'a> {
    /// The store that contains the texts.
    texts: &'a dyn TextStore,
    /// The home folder that `~` is expanded to, by the hash of the policy's text; `None` if it was not recorded.
    homes: BTreeMap<ContentHash, Option<String>>,
    /// The loaded lists of models, by the hashes of their texts.
    registries: BTreeMap<ContentHash, Arc<Registry>>,
    /// The loaded policies, by the hashes of policy and list of models.
    policies: BTreeMap<(ContentHash, ContentHash), Arc<Policy>>,
    /// The hash of the list of models that was recorded last; `None` before the first.
    last_catalogue: Option<ContentHash>,
}

impl<'a> PolicyCache<'a> {
    /// Creates an empty cache that loads from `texts`.
    pub(crate) fn new(texts: &'a dyn TextStore) -> Self {
        Self {
            texts,
            homes: BTreeMap::new(),
            registries: BTreeMap::new(),
            policies: BTreeMap::new(),
            last_catalogue: None,
        }
    }

    /// Stores the home folder that a `policy.loaded` event contains, for policies that are loaded later, and the list of models
    /// that a `catalogue.loaded` event names; ignores other events. If an earlier event with the same policy has another
    /// folder, the policy is loaded again.
    ///
    /// # Errors
    /// [`WhatIfError::Codec`] if the event cannot be decoded.
    pub(crate) fn record_home(&mut self, event: &Recorded) -> Result<(), WhatIfError> {
        if let Some(loaded) = event.read::<PolicyLoaded>()? {
            // With another home folder the same text loads as another policy.
            if self.homes.insert(loaded.hash, loaded.home.clone()) != Some(loaded.home) {
                self.policies.retain(|(policy, _), _| *policy != loaded.hash);
            }
        } else if let Some(loaded) = event.read::<CatalogueLoaded>()? {
            self.last_catalogue = Some(loaded.hash);
        }
        Ok(())
    }

    /// Returns the policy and the models with which a decision was made; loads them on first use. `position` is the
    /// position of the decision, for errors.
    ///
    /// # Errors
    /// [`WhatIfError::TextMissing`] if a text is not in the store, [`WhatIfError::Unreadable`] if it is no longer
    /// valid.
    pub(crate) fn policy(
        &mut self,
        position: Position,
        decision: &impl RecordedDecision,
    ) -> Result<Arc<Policy>, WhatIfError> {
        self.policy_with(position, decision.texts())
    }

    /// Returns the policy with this hash, with the list of models that was recorded last before; loads it on first use.
    /// `position` is the position of the decision, for errors. `None` if no list of models was recorded.
    ///
    /// # Errors
    /// Those of [`PolicyCache::policy`].
    pub(crate) fn policy_of_skills(
        &mut self,
        position: Position,
        policy: ContentHash,
    ) -> Result<Option<Arc<Policy>>, WhatIfError> {
        let Some(catalogue) = self.last_catalogue else { return Ok(None) };
        self.policy_with(position, (policy, catalogue)).map(Some)
    }

    /// Returns the store that contains the texts.
    pub(crate) fn texts(&self) -> &'a dyn TextStore {
        self.texts
    }

    /// Returns the policy and the models whose texts have these hashes; loads them on first use.
    ///
    /// # Errors
    /// Those of [`PolicyCache::policy`].
    fn policy_with(&mut self, position: Position, key: (ContentHash, ContentHash)) -> Result<Arc<Policy>, WhatIfError> {
        let (policy, catalogue) = key;
        if let Some(policy) = self.policies.get(&key) {
            return Ok(Arc::clone(policy));
        }
        let registry = self.registry(position, catalogue)?;
        let text = self.text(position, "policy", policy)?;
        let home = self.homes.get(&policy).cloned().flatten();
        let policy_of_text =
            Policy::load(&text, registry, home.as_deref()).map_err(|problems| WhatIfError::Unreadable {
                position,
                what: "policy",
                hash: policy,
                detail: problems.first().map(ToString::to_string).unwrap_or_default(),
            })?;
        let policy_of_text = Arc::new(policy_of_text);
        self.policies.insert(key, Arc::clone(&policy_of_text));
        Ok(policy_of_text)
    }

    /// Returns the list of models whose text has this hash; loads it on first use. `position` is that of the decision,
    /// for errors.
    ///
    /// # Errors
    /// Those of [`PolicyCache::policy`].
    fn registry(&mut self, position: Position, hash: ContentHash) -> Result<Arc<Registry>, WhatIfError> {
        if let Some(registry) = self.registries.get(&hash) {
            return Ok(Arc::clone(registry));
        }
        let text = self.text(position, "list of models", hash)?;
        let registry = registry_from_text(&text).map_err(|error| {
            let (what, detail) = ("list of models", error.to_string());
            WhatIfError::Unreadable { position, what, hash, detail }
        })?;
        let registry = Arc::new(registry);
        self.registries.insert(hash, Arc::clone(&registry));
        Ok(registry)
    }

    /// Returns the text with this hash; [`WhatIfError::TextMissing`] if it is not in the text store. `what` names its
    /// kind.
    fn text(&self, position: Position, what: &'static str, hash: ContentHash) -> Result<String, WhatIfError> {
        self.texts.get(hash.0)?.ok_or(WhatIfError::TextMissing { position, what, hash })
    }
}
