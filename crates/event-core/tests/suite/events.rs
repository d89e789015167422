//! Events for tests: a kind with three layouts, and a projection that sums its amounts.

use event_core::{CodecError, EventType, Projection, Recorded, Timestamp, upcast};
use serde::{Deserialize, Serialize};

/// The first layout: amount in cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoffeeSoldV1 {
    /// Amount in cents.
    pub(crate) cents: u32,
}

impl EventType for CoffeeSoldV1 {
    const KIND: &'static str = "acme.coffee_sold";
    const VERSION: u16 = 1;
}

/// The second layout: amount in thousandths of a cent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoffeeSoldV2 {
    /// Amount in thousandths of a cent.
    pub(crate) millicents: u64,
}

impl From<CoffeeSoldV1> for CoffeeSoldV2 {
    fn from(old: CoffeeSoldV1) -> Self {
        Self { millicents: u64::from(old.cents) * 1_000 }
    }
}

impl EventType for CoffeeSoldV2 {
    const KIND: &'static str = "acme.coffee_sold";
    const VERSION: u16 = 2;

    fn upcast(version: u16, payload: &[u8]) -> Option<Result<Self, CodecError>> {
        upcast::<CoffeeSoldV1, Self>(version, payload)
    }
}

/// The present layout: amount and size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoffeeSold {
    /// Amount in thousandths of a cent.
    pub(crate) millicents: u64,
    /// Size of the cup; `small` for events of earlier layouts.
    pub(crate) size: String,
}

impl From<CoffeeSoldV2> for CoffeeSold {
    fn from(old: CoffeeSoldV2) -> Self {
        Self { millicents: old.millicents, size: "small".to_owned() }
    }
}

impl EventType for CoffeeSold {
    const KIND: &'static str = "acme.coffee_sold";
    const VERSION: u16 = 3;

    fn upcast(version: u16, payload: &[u8]) -> Option<Result<Self, CodecError>> {
        upcast::<CoffeeSoldV2, Self>(version, payload)
    }
}

/// A projection that sums amounts and counts events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Till {
    /// Sum of the amounts in thousandths of a cent.
    pub(crate) millicents: u64,
    /// Number of events.
    pub(crate) cups: u64,
}

impl Projection for Till {
    const NAME: &'static str = "acme.till";
    const VERSION: u32 = 7;

    type Events = CoffeeSold;
    type Folded<'a> = &'a CoffeeSold;

    fn apply(&mut self, event: &CoffeeSold, _recorded: &Recorded) {
        self.millicents += event.millicents;
        self.cups += 1;
    }
}

/// Creates an event of the present layout with the size `large`.
pub(crate) fn sold(millicents: u64) -> CoffeeSold {
    CoffeeSold { millicents, size: "large".to_owned() }
}

/// Creates a recorded event at a position, from which its id and times are derived.
pub(crate) fn recorded<E: EventType>(position: u64, body: &E) -> Recorded {
    test_events::recorded(position, Timestamp(position), body)
}

/// Creates recorded events at the positions from 1 to `cups`; the amount of each equals its position.
pub(crate) fn day(cups: u64) -> Vec<Recorded> {
    (1..=cups).map(|cup| recorded(cup, &sold(cup))).collect()
}
