//! Which policy and which models the log says are active.

use contracts::{
    ContentHash,
    events::{CatalogueLoaded, PolicyLoaded},
};
use event_core::{CodecError, Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The last policy and models the log was told of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsLogged {
    /// The hash of the policy's text.
    pub policy: Option<ContentHash>,
    /// What `~` in it stands for.
    pub home: Option<String>,
    /// The hash of the list of models.
    pub catalogue: Option<ContentHash>,
}

impl Projection for AsLogged {
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
