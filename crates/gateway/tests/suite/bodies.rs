//! Bodies of every size up to the limit are served; a larger one is refused with the limit.

use contracts::events::{TextBody, TurnTextRecorded};
use what_if::{Range, replay};

use crate::support::{Wish, World, message};

const SONNET: &str = "schema_version: 1\nglobal_default: sonnet\n";
const MIB: usize = 1024 * 1024;

/// The default limit of `gateway.yaml`.
const LIMIT: usize = 64 * MIB;

#[test]
fn a_message_of_any_size_up_to_the_limit_is_served() {
    // No text of this size fits a real context window; images do.
    let models = Some("models:\n  anthropic:claude-sonnet-5-5: {context_window: 100000000}\n");
    let world = World::wished(&Wish { policy: SONNET, models, ..Wish::default() });
    let empty = message("turnwise", "").to_string().len();
    for (number, size) in [MIB, LIMIT].into_iter().enumerate() {
        let body = message("turnwise", &"a".repeat(size - empty));
        assert_eq!(body.to_string().len(), size);
        let answer = world.post("/v1/messages", &[], &body);
        assert_eq!(answer.status, 200, "{size} bytes: {}", answer.body);
        world.ended(number + 1);
    }
    let stored = world.events::<TurnTextRecorded>().into_iter().map(|recorded| match recorded.text {
        TextBody::Inline(text) => text.len() as u64,
        TextBody::Stored { bytes, .. } => bytes,
    });
    assert_eq!(stored.collect::<Vec<_>>(), [(MIB - empty) as u64, 16 * MIB as u64]);
    let replayed = replay(&*world.log, &*world.texts, &Range::default(), |_| {}).unwrap();
    assert_eq!((replayed.decisions, replayed.divergence), (2, None));
}

#[test]
fn a_larger_body_is_refused_with_the_limit() {
    let world = World::wished(&Wish { policy: SONNET, body_bytes: Some(2_000), ..Wish::default() });
    let sizes = [2_000, 2_001].map(|size| {
        let empty = message("turnwise", "").to_string().len();
        world.post("/v1/messages", &[], &message("turnwise", &"a".repeat(size - empty)))
    });
    assert_eq!(sizes.each_ref().map(|answer| answer.status.as_u16()), [200, 413]);
    assert!(sizes[1].body.contains("2000 bytes"), "{}", sizes[1].body);
}
