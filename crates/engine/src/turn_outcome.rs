//! The result of a request to the engine: the turn, and the model that it runs on or its refusal.

use contracts::{
    ChainSlot as _, ClientRequest, Decision, ModelId, TurnId,
    events::{RouteDecided, RouteFallback},
};
use event_core::Timestamp;
use router_core::{Banner, reason_text};

use crate::turn_input::TurnInput;

/// The result of passing a [`TurnInput`] to the engine, or of falling back to another model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    /// The id of the turn.
    pub turn: TurnId,
    /// The time when the request was handled; for a new turn, when it started; for a fallback, when the chain was
    /// evaluated again.
    pub at: Timestamp,
    /// The input, with the requested model, the signers and the tier resolved.
    pub input: TurnInput,
    /// The length in bytes of the mention at the start of each user message of the request, oldest first; the last is
    /// that of [`TurnInput::message`]. These bytes are removed before the request is sent to a provider.
    pub mention_bytes: Vec<usize>,
    /// The way in which the model was chosen, with the decision if there is one.
    pub route: Route,
    /// Notices for the user; empty if there are none.
    pub banners: Vec<Banner>,
}

/// The way in which the model of a turn was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The chain decided when the turn started.
    Decided(Box<RouteDecided>),
    /// The chain decided again after models had failed.
    Fallback(Box<RouteFallback>),
    /// The request continues a running turn, which keeps its model until it ends (004 §3.2).
    Locked(ModelId),
}

impl TurnOutcome {
    /// Returns the model that the turn runs on; `None` if the turn was refused.
    pub fn model(&self) -> Option<&ModelId> {
        match &self.route {
            Route::Locked(model) => Some(model),
            Route::Decided(_) | Route::Fallback(_) => self.decision()?.chosen.as_ref(),
        }
    }

    /// Returns the decision about the model; `None` for a request that continues a running turn.
    pub fn decision(&self) -> Option<&Decision> {
        match &self.route {
            Route::Decided(event) => Some(&event.decision),
            Route::Fallback(event) => Some(&event.decision),
            Route::Locked(_) => None,
        }
    }

    /// Returns the client's request; `None` if the turn did not arrive over a wire API.
    pub const fn request(&self) -> Option<&ClientRequest> {
        self.input.request.as_ref()
    }

    /// Returns the user's message without the `@` mention at its start.
    pub fn text(&self) -> &str {
        let mention = self.mention_bytes.last().copied().unwrap_or_default();
        self.input.message.get(mention..).unwrap_or_default()
    }

    /// Returns the name of the slot that chose the model, and its reason in one line. The name is `TURN_LOCK` for a
    /// request that continues a turn; both are empty for a turn that was refused.
    pub fn reason(&self) -> (&'static str, String) {
        match self.decision() {
            None => ("TURN_LOCK", "the turn continues".to_owned()),
            Some(decision) => {
                decision.winner().map(|entry| (entry.slot.name(), reason_text(entry))).unwrap_or_default()
            }
        }
    }
}
