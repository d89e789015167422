//! Facts of older layouts are read as those of today; what they do not say is left open.

use std::borrow::Cow;

use contracts::{
    CacheVariant,
    catalogue::find,
    facts::{Fact, LlmCallCompleted, SessionCompacted},
};
use event_core::{CodecError, EventId, NewEvent, Timestamp};

/// The example of a layout, as the log keeps it.
fn logged(kind: &'static str, version: u16) -> NewEvent {
    let id = EventId::derive(&[kind.as_bytes()]);
    let payload = (find(kind, version).unwrap().sample)().unwrap();
    let kind = Cow::Borrowed(kind);
    NewEvent { id, at: Timestamp(7), correlation: id, causation: None, kind, version, payload }
}

#[test]
fn a_call_of_the_first_layout_is_plain_and_says_nothing_of_lifetime_or_beginning() {
    let read = logged("llm.call_completed", 1).read::<LlmCallCompleted>().unwrap().unwrap();
    let today = LlmCallCompleted::sample();
    assert_eq!(
        read,
        LlmCallCompleted { variant: CacheVariant::PLAIN, cache_lifetime: None, began_at: None, ..today.clone() }
    );
    assert_eq!(logged("llm.call_completed", 2).read::<LlmCallCompleted>().unwrap(), Some(today));
}

#[test]
fn a_compaction_of_the_first_layout_is_one_of_the_main_line() {
    let read = logged("session.compacted", 1).read::<SessionCompacted>().unwrap().unwrap();
    assert_eq!(read, SessionCompacted { thread: None, ..SessionCompacted::sample() });
}

#[test]
fn a_layout_that_never_was_is_refused_by_its_version() {
    for version in [0, 3] {
        let fact = NewEvent { version, ..logged("llm.call_completed", 1) };
        let error = fact.read::<LlmCallCompleted>().unwrap_err();
        assert!(matches!(error, CodecError::Version { found, known: 2, .. } if found == version), "{error}");
    }
}
