//! The model that a client of the gateway requests by name. The policy decides which slot it belongs to.

use contracts::{Attempt, AuxiliaryCall, ChainEntry, Failure, ModelId, Reason, Slot, Verdict};

use super::ModelSlots;
use crate::policy::{AuxiliaryCalls, ClientModel};

impl ModelSlots<'_> {
    /// Evaluates `PER_MESSAGE_OVERRIDE` for a message without `@alias`: the requested model, if the policy treats it as an
    /// override.
    pub(super) fn client_override(&self, slot: Slot) -> ChainEntry {
        let Some(request) = &self.turn.request else { return ChainEntry::not_applicable(slot, Reason::NoOverride) };
        let settings = self.policy.gateway();
        let chosen = match request.auxiliary {
            Some(_) => settings.auxiliary_calls == AuxiliaryCalls::Client,
            None => settings.client_model == ClientModel::Override,
        };
        if !chosen || self.policy.registry().is_auto(&request.model) {
            return ChainEntry::not_applicable(slot, Reason::NoOverride);
        }
        match &request.named {
            Some(model) => self.named(slot, model, Reason::ClientModel { name: request.model.clone() }),
            None => ChainEntry::not_applicable(slot, Reason::UnknownClientModel { name: request.model.clone() }),
        }
    }

    /// Evaluates `WORKSPACE_DEFAULT`: the requested model if the policy treats it as a default, which precedes the default of the
    /// workspace.
    pub(super) fn workspace_default(&self, slot: Slot) -> ChainEntry {
        let own = match self.scope.and_then(|scope| scope.default.as_ref()) {
            None => ChainEntry::not_applicable(slot, Reason::NoWorkspaceDefault),
            Some(model) => self.proposed(slot, model, Reason::WorkspaceDefault),
        };
        let Some((name, model)) = self.client_default() else { return own };
        let asked = self.named(slot, &model, Reason::ClientModel { name: name.clone() });
        match asked.failure.clone() {
            Some(failure) if own.verdict == Verdict::Chose => {
                ChainEntry { attempts: vec![Attempt { name, candidate: model, failure }], ..own }
            }
            _ => asked,
        }
    }

    /// Returns the entry of the default, or that of the requested model if no API of the default supports the request and
    /// the requested model accepts it. Otherwise clients with a proprietary feature would be refused until the user
    /// writes a rule for them.
    pub(super) fn or_requested_model(&self, default: ChainEntry) -> ChainEntry {
        let (Some(failure), Some(candidate)) = (&default.failure, &default.candidate) else { return default };
        if !matches!(failure, Failure::CannotCarry { .. } | Failure::SignedByAnother) {
            return default;
        }
        let Some(request) = &self.turn.request else { return default };
        let Some(model) = &request.named else { return default };
        let own = self.named(default.slot, model, Reason::ClientModel { name: request.model.clone() });
        if own.verdict != Verdict::Chose {
            return default;
        }
        let (name, candidate, failure) = ("global default".to_owned(), candidate.clone(), failure.clone());
        ChainEntry { attempts: vec![Attempt { name, candidate, failure }], ..own }
    }

    /// Returns the requested name and its model, if the policy treats it as a default.
    fn client_default(&self) -> Option<(String, ModelId)> {
        let request = self.turn.request.as_ref()?;
        let named = request.named.clone()?;
        (self.policy.gateway().client_model == ClientModel::Default).then(|| (request.model.clone(), named))
    }

    /// Returns the kind of auxiliary call; `None` for a turn of the conversation.
    pub(super) fn auxiliary_call(&self) -> Option<AuxiliaryCall> {
        self.turn.request.as_ref()?.auxiliary
    }
}
