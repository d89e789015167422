//! The projection of the policy and the list of models that the log recorded last. Events name both by the hash of
//! their text.

use contracts::{ContentHash, Event, event_subset};
use event_core::{Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The policy and the list of models that the log recorded last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedConfiguration {
    /// The hash of the policy's text; `None` if the log has no policy.
    pub policy: Option<ContentHash>,
    /// The home folder that `~` in the policy is expanded to; `None` if it was not recorded.
    pub home: Option<String>,
    /// The hash of the canonical text of the models; `None` if the log has no list of models.
    pub catalogue: Option<ContentHash>,
}

event_subset! {
    /// The events from which the active policy and models are computed.
    pub enum ConfigurationEvent { CatalogueLoaded, PolicyLoaded }
}

impl Projection for RecordedConfiguration {
    const NAME: &'static str = "active";
    const VERSION: u32 = 1;

    type Events = Event;
    type Folded<'a> = ConfigurationEvent<'a>;

    fn apply(&mut self, event: ConfigurationEvent<'_>, _recorded: &Recorded) {
        match event {
            ConfigurationEvent::PolicyLoaded(body) => {
                (self.policy, self.home) = (Some(body.hash), body.home.clone());
            }
            ConfigurationEvent::CatalogueLoaded(body) => self.catalogue = Some(body.hash),
        }
    }
}
