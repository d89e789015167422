//! Tests that equal values are shared and unused ones are removed.

use std::sync::Arc;

use crate::interner::Interner;

#[test]
fn equal_values_are_shared() {
    let mut interner = Interner::<String>::default();
    let [first, second] = ["equal", "equal"].map(|text| interner.intern(text.to_owned()));
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(*interner.intern("different".to_owned()), "different");
}

#[test]
fn unused_values_are_removed_and_used_ones_stay() {
    let mut interner = Interner::<u32>::default();
    let used: Vec<_> = (0..100_u32).map(|number| interner.intern(number)).collect();
    for number in 100..10_000 {
        interner.intern(number);
    }
    assert!(interner.len() < 300, "{} values", interner.len());
    for (number, value) in (0..).zip(&used) {
        let again = interner.intern(number);
        assert!(Arc::ptr_eq(value, &again), "{number} is a copy");
    }
}
