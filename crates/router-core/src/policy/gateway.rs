//! The block `gateway` of a policy: what clients ask for, and what becomes of it.

use std::collections::BTreeSet;

use contracts::{Requirement, Tier};

use super::{load::Loader, schema};
use crate::yaml::{Node, Value};

/// What the model that a client asks for means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientModel {
    /// Nothing: the policy decides.
    #[default]
    Auto,
    /// It takes the turns that nothing else decides.
    Default,
    /// A choice as good as `@alias`.
    Override,
}

/// Who takes what a client asks for beside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuxiliaryCalls {
    /// A tier, as when a planner asks for it; the chain goes on when the tier has nobody.
    Tier(Tier),
    /// The model that the client asks for.
    Client,
    /// Whoever the chain finds, as for any turn.
    Route,
}

/// Who counts tokens for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountTokens {
    /// The provider, where it can; otherwise the estimate.
    #[default]
    Provider,
    /// The estimate.
    Local,
}

/// What clients of the gateway ask for, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewaySettings {
    /// What the model in a request means.
    pub client_model: ClientModel,
    /// Who takes auxiliary calls.
    pub auxiliary_calls: AuxiliaryCalls,
    /// Who counts tokens.
    pub count_tokens: CountTokens,
    /// Requirements that a request is adapted to for a model that does not support them: those of `adapt`, and
    /// [`Requirement::Signatures`] unless `keep_thinking` is set.
    pub adaptable: BTreeSet<Requirement>,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            client_model: ClientModel::default(),
            auxiliary_calls: AuxiliaryCalls::Tier(Tier::Fast),
            count_tokens: CountTokens::default(),
            adaptable: Requirement::ADAPTABLE.into(),
        }
    }
}

impl Loader<'_> {
    pub(super) fn gateway(&mut self, node: &Node<'_>) -> Option<GatewaySettings> {
        let keys = self.problems.mapping(node, "`gateway`", schema::GATEWAY)?;
        let mut settings = GatewaySettings::default();
        if let Some(node) = keys.get("client_model") {
            let words =
                [("auto", ClientModel::Auto), ("default", ClientModel::Default), ("override", ClientModel::Override)];
            settings.client_model = self.problems.choice(node, "client_model", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("auxiliary_calls") {
            let words = [
                ("fast", AuxiliaryCalls::Tier(Tier::Fast)),
                ("balanced", AuxiliaryCalls::Tier(Tier::Balanced)),
                ("deep", AuxiliaryCalls::Tier(Tier::Deep)),
                ("client", AuxiliaryCalls::Client),
                ("route", AuxiliaryCalls::Route),
            ];
            settings.auxiliary_calls =
                self.problems.choice(node, "auxiliary_calls", &words).unwrap_or(AuxiliaryCalls::Route);
        }
        if let Some(node) = keys.get("count_tokens") {
            let words = [("provider", CountTokens::Provider), ("local", CountTokens::Local)];
            settings.count_tokens = self.problems.choice(node, "count_tokens", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("adapt") {
            settings.adaptable = self.adapt(node);
        }
        let keep_thinking = keys.get("keep_thinking").and_then(|node| self.problems.boolean(node, "keep_thinking"));
        if keep_thinking == Some(true) {
            settings.adaptable.remove(&Requirement::Signatures);
        }
        Some(settings)
    }

    /// Reads the list `adapt`. Earlier thinking is adaptable whatever the list contains: `keep_thinking` governs it.
    fn adapt(&mut self, node: &Node<'_>) -> BTreeSet<Requirement> {
        let mut adaptable = BTreeSet::from([Requirement::Signatures]);
        // `texts` rejects an empty list, which here is the strict setting.
        if matches!(&node.value, Value::List(items) if items.is_empty()) {
            return adaptable;
        }
        let is_listable =
            |known: &Requirement| Requirement::ADAPTABLE.contains(known) && *known != Requirement::Signatures;
        for name in self.problems.texts(node, "adapt").unwrap_or_default() {
            if let Some(requirement) = Requirement::named(name).filter(is_listable) {
                adaptable.insert(requirement);
            } else {
                let names: Vec<_> =
                    Requirement::ADAPTABLE.into_iter().filter(is_listable).map(Requirement::name).collect();
                let message = format!("`adapt` cannot contain `{name}`; it accepts {}", names.join(", "));
                self.problems.note(node.mark, message);
            }
        }
        adaptable
    }
}
