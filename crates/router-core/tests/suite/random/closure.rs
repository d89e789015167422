//! Nested conditions are accepted, evaluate to a boolean and never panic (004 §10.2 closure).

use contracts::Slot;
use proptest::{collection::vec, prelude::*};
use router_core::{Warning, warnings};

use super::{
    config,
    policies::{Block, When, block},
    printed::condition,
    reference,
    worlds::{Stub, World, decide, world},
};
use crate::support::policy_over;

/// Whether a rule with this condition matches, whether or not its model is valid.
fn matches(condition_text: &str, world: &World) -> bool {
    let policy = policy_over(&format!("rules: [{{when: {condition_text}, use: one}}]"), world.registry());
    assert!(policy.rules().all(|rule| !rule.when.is_empty()));
    assert!(!warnings(&policy, None).iter().any(|warning| matches!(warning, Warning::Shadowed { .. })));
    let mut turn_of_its_own = world.clone();
    let started = &mut turn_of_its_own.turn.started;
    (started.override_model, started.sticky) = (None, None);
    let decision = decide(&turn_of_its_own, &policy, &Stub::default()).decision;
    decision.entry(Slot::ConfiguredRules).is_some_and(|entry| entry.candidate.is_some())
}

/// Wraps a condition in layers of `not`, `any_of` and `all_of`.
fn wrapped(block: Block, layers: &[usize]) -> Block {
    layers.iter().fold(block, |block, layer| match layer % 3 {
        0 => Block(vec![When::Not(block)]),
        1 => Block(vec![When::AnyOf(vec![block])]),
        _ => Block(vec![When::AllOf(vec![block])]),
    })
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn any_nesting_of_conditions_holds_or_does_not(block in block(), layers in vec(0..3_usize, 0..8), world in world()) {
        let one = world.models.iter().find(|model| model.id.as_str() == "a:one").unwrap();
        let holds = reference::all_hold(&block, &world, one);
        let negated = layers.iter().filter(|layer| **layer == 0).count() % 2 == 1;
        let block = wrapped(block, &layers);
        let expected = (holds != negated) && !reference::is_skipped(&block, &world);
        let text = condition(&block);
        prop_assert_eq!(matches(&text, &world), expected, "{}", text);
    }
}
