//! The model that a client of the gateway asks for: what it means is policy.

use contracts::{Attempt, AuxiliaryCall, Evaluation, Failure, ModelId, Reason, Slot, Verdict};

use super::{Chain, silent};
use crate::policy::{AuxiliaryCalls, ClientModel};

impl Chain<'_> {
    /// Slot 1 without an `@alias`: the client's model, where the policy takes that for a choice.
    pub(super) fn client_choice(&self, slot: Slot) -> Evaluation {
        let Some(request) = &self.turn.request else { return silent(slot, Reason::NoOverride) };
        let settings = self.policy.gateway();
        let chosen = match request.auxiliary {
            Some(_) => settings.auxiliary_calls == AuxiliaryCalls::Client,
            None => settings.client_model == ClientModel::Override,
        };
        if !chosen || self.policy.registry().is_auto(&request.model) {
            return silent(slot, Reason::NoOverride);
        }
        match &request.named {
            Some(model) => self.named(slot, model, Reason::ClientModel { name: request.model.clone() }),
            None => silent(slot, Reason::UnknownClientModel { name: request.model.clone() }),
        }
    }

    /// Slot 6: what the client asks for, where the policy takes that for a default, and otherwise the workspace's own.
    /// The client is closer to the turn than the workspace it runs in.
    pub(super) fn closest_default(&self, slot: Slot) -> Evaluation {
        let own = match self.scope.and_then(|scope| scope.default.as_ref()) {
            None => silent(slot, Reason::NoWorkspaceDefault),
            Some(model) => self.proposed(slot, model, Reason::WorkspaceDefault),
        };
        let Some((name, model)) = self.client_default() else { return own };
        let asked = self.named(slot, &model, Reason::ClientModel { name: name.clone() });
        match asked.failure.clone() {
            Some(failure) if own.verdict == Verdict::Chose => {
                Evaluation { attempts: vec![Attempt { name, candidate: model, failure }], ..own }
            }
            _ => asked,
        }
    }

    /// The default, unless the request cannot be said to it: then the model that the client asks for takes it. A client
    /// whose requests only its own kind of model understands is not turned away for want of a rule.
    pub(super) fn unless_it_cannot_be_said(&self, default: Evaluation) -> Evaluation {
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
        Evaluation { attempts: vec![Attempt { name, candidate, failure }], ..own }
    }

    fn client_default(&self) -> Option<(String, ModelId)> {
        let request = self.turn.request.as_ref()?;
        let named = request.named.clone()?;
        (self.policy.gateway().client_model == ClientModel::Default).then(|| (request.model.clone(), named))
    }

    pub(super) fn auxiliary(&self) -> Option<AuxiliaryCall> {
        self.turn.request.as_ref()?.auxiliary
    }
}
