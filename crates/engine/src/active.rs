//! The projection of the policy and the models that the log recorded last. Events name them by the hash of their text.

use contracts::{
    ContentHash,
    events::{CatalogueLoaded, PolicyLoaded},
};
use event_core::{CodecError, Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The policy and the models that the log recorded last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedConfiguration {
    /// The hash of the policy's text; `None` if the log has no policy.
    pub policy: Option<ContentHash>,
    /// The home folder that `~` in the policy is expanded to; `None` if it was not recorded.
    pub home: Option<String>,
    /// The hash of the canonical text of the models; `None` if the log has no list of models.
    pub catalogue: Option<ContentHash>,
}

impl Projection for RecordedConfiguration {
    const NAME: &'static str = "active";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(body) = event.read::<PolicyLoaded>()? {
            (self.policy, self.home) = (Some(body.hash), body.home);
        } else if let Some(body) = event.read::<CatalogueLoaded>()? {
            self.catalogue = Some(body.hash);
        }
        Ok(())
    }
}
