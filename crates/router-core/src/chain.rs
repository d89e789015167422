//! Evaluates the chain of a decision, for every decision kind: slot by slot until a candidate is chosen (004 §4.1).

use contracts::{ChainEntry, ChainSlot as _, Decision, DecisionKind, Verdict};

/// The slots of one decision kind, with everything that their evaluation reads.
pub trait EvaluateSlots {
    /// The decision kind.
    type Kind: DecisionKind;

    /// Evaluates one slot and returns its entry. Called in the order of the chain, until a candidate is chosen.
    fn evaluate(&mut self, slot: <Self::Kind as DecisionKind>::Slot) -> ChainEntry<Self::Kind>;

    /// Returns whether this rejected entry ends the chain without a candidate. The default is false: the next slot is
    /// evaluated.
    fn ends_chain(&self, _rejected: &ChainEntry<Self::Kind>) -> bool {
        false
    }

    /// Returns the entry of a later slot whose candidate is recorded, although `winner` was chosen before that slot was
    /// evaluated (decision D2); `None`, the default, if there is none.
    fn deferred(&mut self, _winner: &ChainEntry<Self::Kind>) -> Option<ChainEntry<Self::Kind>> {
        None
    }
}

/// Evaluates the slots in the order of the chain and returns the decision. The first accepted candidate is chosen; the
/// decision has no candidate if every slot is rejected or not applicable, or if a rejection ends the chain.
pub fn evaluate_chain<E: EvaluateSlots>(slots: &mut E) -> Decision<E::Kind> {
    let order = <E::Kind as DecisionKind>::Slot::CHAIN;
    let mut chain = Vec::with_capacity(order.len());
    for slot in order {
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
