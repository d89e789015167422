//! The decisions of `decide` equal those of the naive implementation.

use contracts::{MessageText, Turn, views::Views};
use proptest::{collection::vec, prelude::*, test_runner::TestCaseResult};

use super::{
    config,
    policies::{Policy, policy},
    printed::printed,
    reference,
    worlds::{Stub, World, decide, world},
};
use crate::support::load_over;

/// Asserts that a decision equals that of the reference, queries the pattern store with the same settings, and is the
/// same after the text was purged.
fn agrees(data: &Policy, text: &str, loaded: &router_core::Policy, world: &World) -> TestCaseResult {
    let stub = Stub { says: world.recommendation.clone(), ..Stub::default() };
    let decided = decide(world, loaded, &stub);
    prop_assert_eq!(&decided.decision, &reference::decide(data, world), "{}", text);

    if let Some(asked) = stub.asked.take() {
        prop_assert_eq!(asked, reference::settings(data, world), "{}", text);
    }

    // Without the text, from the recorded matches (decision D9).
    let purged = Turn { message: MessageText::Matched(&decided.matched), ..world.turn.turn() };
    let views = Views { outages: &world.outages, patterns: &stub };
    prop_assert_eq!(router_core::decide(&purged, loaded, &views), decided, "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(config(800))]

    /// Three turns on each policy: 2,400 decisions.
    #[test]
    fn the_chain_agrees_with_the_reference(policy in policy(), worlds in vec(world(), 3)) {
        let text = printed(&policy);
        let loaded = load_over(&text, worlds[0].registry());
        let loaded = loaded.map_err(|problems| TestCaseError::fail(format!("{problems:#?}\n{text}")))?;
        for world in &worlds {
            let world = World { models: worlds[0].models.clone(), ..world.clone() };
            agrees(&policy, &text, &loaded, &world)?;
        }
    }
}
