//! The encoded example of every event, and the layout of every type in it. A released layout never changes: a changed
//! event is a new version, and a new enum variant goes to the end.

use contracts::catalogue::{KINDS, KindVisitor, visit_kinds};
use event_core::{EventType, Hex};

use crate::layout::Layouts;

#[test]
fn the_bytes_of_every_example_are_frozen() {
    let line = |spec: &contracts::catalogue::KindSpec| {
        let payload = (spec.payload)().unwrap();
        format!("{} {} {}", spec.kind, spec.version, Hex(&payload))
    };
    insta::assert_snapshot!(KINDS.iter().map(line).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_layout_of_every_type_in_an_event_is_frozen() {
    /// Adds the types of all event kinds to the layouts.
    struct AllKinds(Layouts);

    impl KindVisitor for AllKinds {
        fn visit<E: EventType>(&mut self) {
            self.0.add::<E>();
        }
    }

    let mut kinds = AllKinds(Layouts::default());
    visit_kinds(&mut kinds);
    insta::assert_snapshot!(kinds.0);
}

#[test]
fn kinds_are_listed_once_per_version_in_the_order_of_their_names() {
    let names: Vec<_> = KINDS.iter().map(|spec| (spec.kind, spec.version)).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}
