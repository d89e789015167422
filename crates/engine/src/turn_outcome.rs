//! What the engine did with a turn: the model that takes it, or its refusal.

use contracts::{
    ChainSlot as _, ClientRequest, Decision, ModelId, TurnId,
    events::{RouteDecided, RouteFallback},
};
use event_core::Timestamp;
use router_core::{Banner, reason_text};

use crate::turn_input::TurnInput;

/// The result of handing a [`TurnInput`] to the engine, or of falling back to another model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    /// The turn.
    pub turn: TurnId,
    /// When the turn started; for a fallback, when the chain was evaluated again.
    pub at: Timestamp,
    /// The input, with the requested model, the signers and the tier resolved.
    pub input: TurnInput,
    /// Bytes of the mention at the start of each user message of the request, oldest first; the last is that of
    /// [`TurnInput::message`]. The provider must not see them.
    pub mention_bytes: Vec<usize>,
    /// How the model was chosen.
    pub route: Route,
    /// Notices for the user.
    pub banners: Vec<Banner>,
}

/// How the model of a turn was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The chain decided when the turn started.
    Decided(Box<RouteDecided>),
    /// The chain decided again after models had failed.
    Fallback(Box<RouteFallback>),
    /// The turn runs and is locked to this model (004 §3.2).
    Locked(ModelId),
}

impl TurnOutcome {
    /// The model that takes the turn; `None` if it was refused.
    pub fn model(&self) -> Option<&ModelId> {
        match &self.route {
            Route::Locked(model) => Some(model),
            Route::Decided(_) | Route::Fallback(_) => self.decision()?.chosen.as_ref(),
        }
    }

    /// The chain's decision; `None` for a turn that is locked.
    pub fn decision(&self) -> Option<&Decision> {
        match &self.route {
            Route::Decided(event) => Some(&event.decision),
            Route::Fallback(event) => Some(&event.decision),
            Route::Locked(_) => None,
        }
    }

    /// The client's request; `None` if the turn did not come in over a wire API.
    pub const fn request(&self) -> Option<&ClientRequest> {
        self.input.request.as_ref()
    }

    /// The message without the mention.
    pub fn text(&self) -> &str {
        let mention = self.mention_bytes.last().copied().unwrap_or_default();
        self.input.message.get(mention..).unwrap_or_default()
    }

    /// The name of the slot that chose the model and its reason in one line; empty for a turn that was refused.
    pub fn reason(&self) -> (&'static str, String) {
        match self.decision() {
            None => ("TURN_LOCK", "the turn continues".to_owned()),
            Some(decision) => {
                decision.winner().map(|entry| (entry.slot.name(), reason_text(entry))).unwrap_or_default()
            }
        }
    }
}
