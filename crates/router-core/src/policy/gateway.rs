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
    /// What may be dropped of a request, visibly.
    pub may_drop: BTreeSet<Requirement>,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            client_model: ClientModel::default(),
            auxiliary_calls: AuxiliaryCalls::Tier(Tier::Fast),
            count_tokens: CountTokens::default(),
            may_drop: BTreeSet::new(),
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
        if let Some(node) = keys.get("may_drop") {
            settings.may_drop = self.may_drop(node);
        }
        Some(settings)
    }

    fn may_drop(&mut self, node: &Node<'_>) -> BTreeSet<Requirement> {
        // Nothing may be dropped: that is the default, said.
        if matches!(&node.value, Value::List(items) if items.is_empty()) {
            return BTreeSet::new();
        }
        let names = self.problems.texts(node, "may_drop").unwrap_or_default();
        let mut allowed = BTreeSet::new();
        for name in names {
            if let Some(known) = Requirement::named(name).filter(|known| Requirement::OPTIONAL.contains(known)) {
                allowed.insert(known);
            } else {
                let all = Requirement::OPTIONAL.map(Requirement::name).join(", ");
                self.problems.note(node.mark, format!("`may_drop` cannot name `{name}`: it may have {all}"));
            }
        }
        allowed
    }
}
