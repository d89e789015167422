//! What many hold is there once, and goes when nobody holds it.

use crate::shared::Shared;

#[test]
fn the_same_value_is_held_once_by_all() {
    let mut shared = Shared::default();
    let [one, other] = ["alike", "alike"].map(|text| shared.hold(text.to_owned()));
    assert!(std::ptr::eq(&raw const *one, &raw const *other));
    assert_eq!(*shared.hold("else".to_owned()), "else");
}

#[test]
fn values_that_nobody_holds_do_not_pile_up() {
    let mut shared = Shared::default();
    let held: Vec<_> = (0..100_u32).map(|number| shared.hold(number)).collect();
    for number in 100..10_000 {
        shared.hold(number);
    }
    assert!(shared.len() < 300, "{} are kept", shared.len());
    for (number, known) in (0..).zip(&held) {
        let again = shared.hold(number);
        assert!(std::ptr::eq(&raw const **known, &raw const *again), "{number} is another");
    }
}
