//! [`RecordedPolicies`], which loads the policies with which recorded decisions were made.

use std::{collections::BTreeMap, sync::Arc};

use catalogue::registry_from_text;
use contracts::ContentHash;
use event_bus::TextStore;
use router_core::Policy;

/// The maximum number of policies in memory. If there are more, all are removed and loaded again when they are needed.
const MAX_POLICIES: usize = 16;

/// The home folder that `~` in a recorded policy is expanded to, since the log does not contain the real one here.
/// Banners compare paths only for budgets; without the real folder, only the budget of a project below the home folder
/// has no banner.
const UNKNOWN_HOME: &str = "/";

/// A cache of the policies with which recorded decisions were made, by the hashes of policy and list of models. Each is
/// loaded once, for the banners about the decisions.
#[derive(Debug, Default)]
pub struct RecordedPolicies(BTreeMap<(ContentHash, ContentHash), Option<Arc<Policy>>>);

impl RecordedPolicies {
    /// Returns the policy whose text and list of models have these hashes; loads it on first use. `None` if a text is
    /// missing or no longer valid.
    pub fn get(&mut self, texts: &dyn TextStore, policy: ContentHash, models: ContentHash) -> Option<Arc<Policy>> {
        if let Some(known) = self.0.get(&(policy, models)) {
            return known.clone();
        }
        if MAX_POLICIES <= self.0.len() {
            self.0.clear();
        }
        let loaded = load_policy(texts, policy, models);
        self.0.insert((policy, models), loaded.clone());
        loaded
    }
}

/// Loads a policy from the texts with these hashes; `None` if a text is missing or no longer valid.
fn load_policy(texts: &dyn TextStore, policy: ContentHash, models: ContentHash) -> Option<Arc<Policy>> {
    let text = |hash: ContentHash| texts.get(hash.0).ok().flatten();
    let registry = registry_from_text(&text(models)?).ok()?;
    Policy::load(&text(policy)?, Arc::new(registry), Some(UNKNOWN_HOME)).ok().map(Arc::new)
}
