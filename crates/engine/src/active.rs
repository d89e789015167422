//! The projection of the policy and the models that are active according to the log.

use contracts::{
    ContentHash,
    events::{CatalogueLoaded, PolicyLoaded},
};
use event_core::{CodecError, Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The policy and the models that the log recorded last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedConfiguration {
    /// The hash of the policy's text.
    pub policy: Option<ContentHash>,
    /// The home folder that `~` in the policy is expanded to.
    pub home: Option<String>,
    /// The hash of the list of models.
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
