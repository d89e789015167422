//! The order of candidates: score, then the tie-breakers of 003.

use std::cmp::Reverse;

use event_core::Timestamp;

use super::components::Components;

/// The properties of a candidate that its place in the order depends on. The smallest key is the best candidate.
///
/// After the score: higher intent, higher artifact match, smaller `SKILL.md`, more recent use for the same type of task,
/// and the name, so that the order is total.
pub(super) type OrderKey<'a> = (Reverse<u8>, Reverse<u8>, Reverse<u8>, u64, Reverse<Option<Timestamp>>, &'a str);

/// Returns the key of a candidate. `bytes` is the length of its `SKILL.md`; `last_used` is `None` if it was not used.
pub(super) fn order_key<'a>(
    score: u8,
    components: &Components,
    bytes: u64,
    last_used: Option<Timestamp>,
    name: &'a str,
) -> OrderKey<'a> {
    let artifact = components.artifact.unwrap_or_default();
    (Reverse(score), Reverse(components.intent), Reverse(artifact), bytes, Reverse(last_used), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the key of a candidate with score 70.
    fn key(intent: u8, artifact: u8, bytes: u64, last_used: Option<u64>, name: &str) -> OrderKey<'_> {
        let components = Components { intent, artifact: Some(artifact), ..Components::default() };
        order_key(70, &components, bytes, last_used.map(Timestamp::from_secs), name)
    }

    /// SC-19, TV-76: of equal scores the higher intent is first.
    #[test]
    fn higher_intent_is_first() {
        assert!(key(40, 0, 9, None, "b") < key(38, 20, 1, Some(9), "a"));
    }

    /// SC-20, TV-77: of equal scores and intents the higher artifact match is first.
    #[test]
    fn higher_artifact_match_is_second() {
        assert!(key(40, 20, 9, None, "b") < key(40, 18, 1, Some(9), "a"));
    }

    /// SC-21, TV-78: then the smaller skill, 6,480 before 7,018 bytes.
    #[test]
    fn a_smaller_skill_is_third() {
        assert!(key(40, 20, 6_480, None, "nextjs-app-router") < key(40, 20, 7_018, Some(9), "database"));
    }

    /// SC-22, TV-79: then the more recently used one, 2026-02-08 before 2026-02-07; one that was never used is last.
    #[test]
    fn a_more_recent_use_is_fourth() {
        let (seventh, eighth) = (1_770_422_400, 1_770_508_800);
        assert!(key(40, 20, 9, Some(eighth), "b") < key(40, 20, 9, Some(seventh), "a"));
        assert!(key(40, 20, 9, Some(seventh), "b") < key(40, 20, 9, None, "a"));
        assert!(key(40, 20, 9, None, "a") < key(40, 20, 9, None, "b"));
    }
}
