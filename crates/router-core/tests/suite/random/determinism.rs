//! Equal turn, policy and views result in equal bytes (004 §10.2 determinism).

use proptest::{collection::vec, prelude::*};
use router_core::Decided;

use super::{
    config,
    policies::policy,
    printed::printed,
    worlds::{Stub, decide, world},
};
use crate::support::policy_over;

/// Encodes a decision with its matches.
fn bytes(decided: &Decided) -> Vec<u8> {
    serde_json::to_vec(&(&decided.decision, &decided.matched)).unwrap()
}

proptest! {
    #![proptest_config(config(200))]

    /// The policy is loaded twice, one of the two has decided other turns before, and turns are decided in any order.
    #[test]
    fn the_same_input_gives_the_same_bytes(policy in policy(), worlds in vec(world(), 1..4)) {
        let text = printed(&policy);
        let one = policy_over(&text, worlds[0].registry());
        let other = policy_over(&text, worlds[0].registry());
        let stub = |index: usize| Stub { says: worlds[index].recommendation.clone(), ..Stub::default() };
        let forwards: Vec<_> = (0..worlds.len()).map(|index| bytes(&decide(&worlds[index], &one, &stub(index)))).collect();
        for index in (0..worlds.len()).rev() {
            prop_assert_eq!(&bytes(&decide(&worlds[index], &other, &stub(index))), &forwards[index]);
            prop_assert_eq!(&bytes(&decide(&worlds[index], &one, &stub(index))), &forwards[index]);
        }
    }
}
