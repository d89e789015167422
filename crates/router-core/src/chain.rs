//! Evaluates the decision chain for every decision kind: slot by slot, until a candidate is chosen (004 §4.1). A slot
//! is one source of candidates, such as the rules of the policy.

use contracts::{ChainEntry, ChainSlot as _, Decision, DecisionKind, Verdict};

/// The slots of one decision kind (the sources of its candidates), with all data that their evaluation reads.
pub trait EvaluateSlots {
    /// The decision kind.
    type Kind: DecisionKind;

    /// Returns whether the chain has a slot. By default `true`.
    fn has_slot(&self, _slot: <Self::Kind as DecisionKind>::Slot) -> bool {
        true
    }

    /// Evaluates one slot and returns its entry: verdict, candidate and reason. Called in the order of the chain, until
    /// a candidate is chosen.
    fn evaluate(&mut self, slot: <Self::Kind as DecisionKind>::Slot) -> ChainEntry<Self::Kind>;

    /// Returns whether a rejected entry ends the chain, so that nothing is chosen. By default `false`: the next slot is
    /// evaluated.
    fn ends_chain(&self, _rejected: &ChainEntry<Self::Kind>) -> bool {
        false
    }

    /// Returns an additional entry for a later slot, which is recorded although `winner` was already chosen (decision
    /// D2). By default `None`: there is no such entry.
    fn deferred(&mut self, _winner: &ChainEntry<Self::Kind>) -> Option<ChainEntry<Self::Kind>> {
        None
    }
}

/// Evaluates the slots of a decision chain in their order, and returns the decision. The first accepted candidate is
/// chosen. The decision has no candidate if every slot is rejected or not applicable, or if a rejection ends the chain.
pub fn evaluate_chain<E: EvaluateSlots>(slots: &mut E) -> Decision<E::Kind> {
    let order = <E::Kind as DecisionKind>::Slot::CHAIN;
    let mut chain = Vec::with_capacity(order.len());
    for slot in order {
        if !slots.has_slot(*slot) {
            continue;
        }
        let entry = slots.evaluate(*slot);
        match entry.verdict {
            Verdict::Chose => {
                let deferred = slots.deferred(&entry);
                chain.push(entry);
                chain.extend(deferred);
                break;
            }
            Verdict::Rejected if slots.ends_chain(&entry) => {
                chain.push(entry);
                break;
            }
            _ => chain.push(entry),
        }
    }
    Decision::from_chain(chain)
}
