//! Events for tests: one that has had two layouts, and a projection that adds it up.

use event_core::{CodecError, Event, EventId, NewEvent, Position, Projection, Recorded, Timestamp, decode};
use serde::{Deserialize, Serialize};

/// A cup, as it was first recorded: in whole cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoffeeSoldV1 {
    pub(crate) cents: u32,
}

impl Event for CoffeeSoldV1 {
    const KIND: &'static str = "acme.coffee_sold";
    const VERSION: u16 = 1;
}

/// A cup, as it is recorded now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoffeeSold {
    pub(crate) millicents: u64,
    pub(crate) size: String,
}

impl From<CoffeeSoldV1> for CoffeeSold {
    fn from(old: CoffeeSoldV1) -> Self {
        Self { millicents: u64::from(old.cents) * 1_000, size: "small".to_owned() }
    }
}

impl Event for CoffeeSold {
    const KIND: &'static str = "acme.coffee_sold";
    const VERSION: u16 = 2;

    fn upcast(version: u16, payload: &[u8]) -> Option<Result<Self, CodecError>> {
        (version == 1).then(|| decode::<CoffeeSoldV1>(Self::KIND, payload).map(Self::from))
    }
}

/// What was taken, and how many cups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Till {
    pub(crate) millicents: u64,
    pub(crate) cups: u64,
}

impl Projection for Till {
    const NAME: &'static str = "acme.till";
    const VERSION: u32 = 7;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(body) = event.read::<CoffeeSold>()? {
            self.millicents += body.millicents;
            self.cups += 1;
        }
        Ok(())
    }
}

pub(crate) fn sold(millicents: u64) -> CoffeeSold {
    CoffeeSold { millicents, size: "large".to_owned() }
}

/// An event in its place.
pub(crate) fn recorded<E: Event>(position: u64, body: &E) -> Recorded {
    let id = EventId::derive(&[&position.to_le_bytes()]);
    let event = NewEvent::new(id, Timestamp(position), id, body).unwrap();
    Recorded::new(Position(position), Timestamp(position), event)
}

/// Cups of one, two, three … millicents, in the places from 1.
pub(crate) fn day(cups: u64) -> Vec<Recorded> {
    (1..=cups).map(|cup| recorded(cup, &sold(cup))).collect()
}
