//! What is saved of all patterns; what turns hold alike is shared again.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Embeddings, OpenTurns, Patterns};
use crate::{recorded::RecordedTurns, shared::Shared, store::Store};

#[derive(Deserialize)]
pub(super) struct Saved {
    stores: BTreeMap<String, Store>,
    open: OpenTurns,
    recorded: RecordedTurns,
    embeddings: Embeddings,
}

impl From<Saved> for Patterns {
    fn from(saved: Saved) -> Self {
        let Saved { stores, open, mut recorded, embeddings } = saved;
        let (mut workspaces, mut rubrics) = (Shared::default(), Shared::default());
        for turn in recorded.values_mut() {
            turn.share(&mut workspaces, &mut rubrics);
        }
        Self { stores, open, recorded, embeddings, workspaces, rubrics }
    }
}
