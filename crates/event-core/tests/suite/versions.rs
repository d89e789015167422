//! Older layouts are upcast, newer ones are refused with both versions, and unknown kinds are skipped.

use event_core::{CodecError, EventType as _};

use crate::events::{CoffeeSold, CoffeeSoldV1, CoffeeSoldV2, Till, recorded, sold};

#[test]
fn an_event_of_an_older_layout_is_upcast_to_the_present_one() {
    let first = recorded(1, &CoffeeSoldV1 { cents: 250 });
    assert_eq!(first.event.version, 1);
    let present = CoffeeSold { millicents: 250_000, size: "small".to_owned() };
    assert_eq!(first.read::<CoffeeSold>().unwrap(), Some(present.clone()), "through both conversions");
    assert_eq!(first.read::<CoffeeSoldV1>().unwrap(), Some(CoffeeSoldV1 { cents: 250 }), "an older program reads it");
    let second = recorded(1, &CoffeeSoldV2 { millicents: 250_000 });
    assert_eq!(second.read::<CoffeeSold>().unwrap(), Some(present));
}

#[test]
fn an_event_of_a_newer_layout_is_refused_with_both_versions() {
    let new = recorded(1, &sold(1));
    let error = new.read::<CoffeeSoldV1>().unwrap_err();
    assert!(matches!(error, CodecError::Version { found: 3, known: 1, .. }));
    assert_eq!(error.to_string(), "`acme.coffee_sold` has layout version 3, this program reads up to 1");
}

#[test]
fn a_layout_that_never_existed_is_refused() {
    let mut event = recorded(1, &sold(1));
    event.event.version = 0;
    assert!(matches!(event.read::<CoffeeSold>(), Err(CodecError::Version { found: 0, known: 3, .. })));
}

#[test]
fn an_old_layout_whose_bytes_are_wrong_is_an_error() {
    let mut event = recorded(1, &CoffeeSoldV1 { cents: 250 });
    event.event.payload = event.event.payload.iter().copied().chain([0]).collect();
    assert!(matches!(event.read::<CoffeeSold>(), Err(CodecError::Decode { what: CoffeeSold::KIND, .. })));
}

#[test]
fn an_event_of_another_kind_is_none_whatever_its_version_and_bytes() {
    let mut event = recorded(1, &sold(1));
    event.event.kind = "acme.tea_sold".to_owned().into();
    event.event.version = 99;
    event.event.payload = vec![0xff; 40].into();
    assert_eq!(event.read::<CoffeeSold>().unwrap(), None);
    let mut till = event_core::Projected::<Till>::default();
    till.advance(&event).unwrap();
    assert_eq!((till.state().cups, till.position().0), (0, 1), "skipped, and its place is taken");
}

#[test]
fn a_purged_event_is_none() {
    let event = recorded(1, &sold(450)).with_purged(Some([0; 32]));
    assert_eq!(event.read::<CoffeeSold>().unwrap(), None);
}
