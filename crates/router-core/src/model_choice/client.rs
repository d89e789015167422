//! Evaluates the model that a client of the gateway requests by name. The policy determines the slot in which it is a
//! candidate.

use contracts::{Attempt, AuxiliaryCall, ChainEntry, ModelId, Reason, Slot, Verdict};

use super::ModelSlots;
use crate::policy::{AuxiliaryCalls, ClientModel, LastResort};

impl ModelSlots<'_> {
    /// Evaluates the slot `PER_MESSAGE_OVERRIDE` for a message without `@alias`: the requested model, if the policy
    /// treats it as an override. Not applicable if the client leaves the choice to the policy, or requests a name that
    /// no model has.
    pub(super) fn evaluate_client_override(&self, slot: Slot) -> ChainEntry {
        let Some(request) = self.turn.request else { return ChainEntry::not_applicable(slot, Reason::NoOverride) };
        let settings = self.policy.gateway();
        let is_override = match request.auxiliary {
            Some(_) => settings.auxiliary_calls == AuxiliaryCalls::Client,
            None => settings.client_model == ClientModel::Override,
        };
        if !is_override || self.policy.registry().is_auto(&request.model) {
            return ChainEntry::not_applicable(slot, Reason::NoOverride);
        }
        match &request.named {
            Some(model) => self.entry_for_id(slot, model, Reason::ClientModel { name: request.model.clone() }),
            None => ChainEntry::not_applicable(slot, Reason::UnknownClientModel { name: request.model.clone() }),
        }
    }

    /// Evaluates the slot `WORKSPACE_DEFAULT`. The candidate is the default of the workspace; if there is none or it is
    /// rejected, the requested model, provided that the policy treats it as a default (decision D35). If both are
    /// rejected, the entry is that of the workspace, with both as attempts.
    pub(super) fn evaluate_workspace_default(&self, slot: Slot) -> ChainEntry {
        let workspace_entry = match self.scope.and_then(|scope| scope.default.as_ref()) {
            None => ChainEntry::not_applicable(slot, Reason::NoWorkspaceDefault),
            Some(models) => self.entry_for_candidates(slot, "workspace", models, Reason::WorkspaceDefault),
        };
        let Some((name, model)) = self.client_default() else { return workspace_entry };
        let requested_entry = self.entry_for_id(slot, &model, Reason::ClientModel { name: name.clone() });
        let Some((failure, candidate)) = workspace_entry.failure.clone().zip(workspace_entry.candidate.clone()) else {
            return if workspace_entry.verdict == Verdict::Chose { workspace_entry } else { requested_entry };
        };
        let mut attempts = workspace_entry.attempts.clone();
        if attempts.is_empty() {
            attempts.push(Attempt { name: "workspace".to_owned(), candidate, failure });
        }
        let Some(failure) = requested_entry.failure.clone() else { return ChainEntry { attempts, ..requested_entry } };
        attempts.push(Attempt { name, candidate: model, failure });
        ChainEntry { attempts, ..workspace_entry }
    }

    /// Evaluates the slot `LAST_RESORT`: the requested model, if the policy lets it serve turns that no other slot can.
    /// Not applicable if the client requested a name that no model has.
    pub(super) fn evaluate_last_resort(&self, slot: Slot) -> ChainEntry {
        let last_resort_request =
            self.turn.request.filter(|_| self.policy.gateway().last_resort == LastResort::Requested);
        match last_resort_request.and_then(|request| Some((request.named.as_ref()?, &request.model))) {
            None => ChainEntry::not_applicable(slot, Reason::NoLastResort),
            Some((model, name)) => self.entry_for_id(slot, model, Reason::ClientModel { name: name.clone() }),
        }
    }

    /// Returns whether the client requested a model of the registry by name for a turn of the conversation, and the
    /// policy treats that model as a default.
    pub(super) fn is_model_requested(&self) -> bool {
        let request = self.turn.request;
        let is_auto = request.is_some_and(|request| self.policy.registry().is_auto(&request.model));
        !is_auto && self.auxiliary_call().is_none() && self.client_default().is_some()
    }

    /// Returns the name that the client requested and its model, if the policy treats the requested model as a default.
    /// `None` if it does not, or if no model has the name.
    fn client_default(&self) -> Option<(String, ModelId)> {
        let request = self.turn.request?;
        let named = request.named.clone()?;
        (self.policy.gateway().client_model == ClientModel::Default).then(|| (request.model.clone(), named))
    }

    /// Returns the kind of auxiliary call that the turn is; `None` for a turn of the conversation.
    pub(super) fn auxiliary_call(&self) -> Option<AuxiliaryCall> {
        self.turn.request?.auxiliary
    }
}
