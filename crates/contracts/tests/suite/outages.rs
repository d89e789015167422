//! Outages at a point in time: those of the provider are checked first, and the end is exclusive.

use contracts::{ModelId, OutageScope, views::Outages};
use event_core::Timestamp;

/// Until the outage of the provider ends, it is returned for all its models; then that of the model.
#[test]
fn a_provider_that_is_out_hides_what_its_models_are() {
    let (model, other) = (ModelId::try_from("a:one").unwrap(), ModelId::try_from("a:two").unwrap());
    let outages = Outages {
        models: [(model.clone(), Timestamp(20))].into(),
        providers: [("a".try_into().unwrap(), Timestamp(10))].into(),
        ..Outages::default()
    };
    let whole = Some(OutageScope::ProviderWide("a".try_into().unwrap()));
    assert_eq!(outages.against(&model, Timestamp(9)), whole);
    assert_eq!(outages.against(&other, Timestamp(9)), whole);
    assert_eq!(outages.against(&model, Timestamp(10)), Some(OutageScope::ModelSpecific(model.clone())));
    assert_eq!(outages.against(&other, Timestamp(10)), None);
    assert_eq!(outages.against(&model, Timestamp(20)), None);
}
