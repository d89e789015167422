//! Parses the block `gateway`: how requests of the gateway's clients are treated.

use std::collections::BTreeSet;

use contracts::{Requirement, Tier};

use super::{load::Loader, schema};
use crate::yaml::{Node, Value};

/// The meaning of the model that a client requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientModel {
    /// It has none: the policy decides.
    Auto,
    /// It is the default model of the turn, for turns that no rule decides.
    #[default]
    Default,
    /// It is an explicit choice, like `@alias`.
    Override,
}

/// How the model of an auxiliary call is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuxiliaryCalls {
    /// As for a delegated worker of this tier. The chain continues if the tier has no model.
    Tier(Tier),
    /// The model that the client requests.
    Client,
    /// By the chain, as for any turn.
    Route,
}

/// How the endpoints that count tokens for clients do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountTokens {
    /// The provider counts, if it has such an endpoint. Otherwise the count is estimated.
    #[default]
    Provider,
    /// The count is always estimated, without a request to the provider.
    Local,
}

/// The model that serves a request if neither a rule nor a default can (decision D33).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LastResort {
    /// None: the request is refused.
    #[default]
    Refuse,
    /// The requested model.
    Requested,
}

/// When a model that failed before its first byte is replaced by the next model of the chain (decision D36).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// At any call of a turn.
    #[default]
    Any,
    /// Only before the first response of a turn; later the turn stays with its model and fails with it.
    TurnStart,
    /// Not at all: the client gets the error of the provider.
    Never,
}

/// The settings for requests of the gateway's clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewaySettings {
    /// The meaning of the requested model.
    pub client_model: ClientModel,
    /// How the model of an auxiliary call is chosen.
    pub auxiliary_calls: AuxiliaryCalls,
    /// How tokens are counted for clients.
    pub count_tokens: CountTokens,
    /// Requirements that a request is adapted to for a model that does not support them: those of `adapt`, and
    /// [`Requirement::EarlierThinking`] unless `keep_thinking` is set.
    pub adaptable: BTreeSet<Requirement>,
    /// The model that serves a request if neither a rule nor a default can.
    pub last_resort: LastResort,
    /// When a model that failed is replaced by the next one of the chain.
    pub fallback: Fallback,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            client_model: ClientModel::default(),
            auxiliary_calls: AuxiliaryCalls::Tier(Tier::Fast),
            count_tokens: CountTokens::default(),
            adaptable: Requirement::ADAPTABLE.into(),
            last_resort: LastResort::default(),
            fallback: Fallback::default(),
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
        if let Some(node) = keys.get("last_resort") {
            let words = [("refuse", LastResort::Refuse), ("requested", LastResort::Requested)];
            settings.last_resort = self.problems.choice(node, "last_resort", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("fallback") {
            let words = [("any", Fallback::Any), ("turn_start", Fallback::TurnStart), ("never", Fallback::Never)];
            settings.fallback = self.problems.choice(node, "fallback", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("adapt") {
            settings.adaptable = self.adapt(node);
        }
        let keep_thinking = keys.get("keep_thinking").and_then(|node| self.problems.boolean(node, "keep_thinking"));
        if keep_thinking == Some(true) {
            settings.adaptable.remove(&Requirement::EarlierThinking);
        }
        Some(settings)
    }

    /// Parses the list `adapt`. Earlier thinking is adaptable whatever the list contains: `keep_thinking` governs it.
    fn adapt(&mut self, node: &Node<'_>) -> BTreeSet<Requirement> {
        let mut adaptable = BTreeSet::from([Requirement::EarlierThinking]);
        // `texts` rejects an empty list, which here is the strict setting.
        if matches!(&node.value, Value::List(items) if items.is_empty()) {
            return adaptable;
        }
        let is_listable =
            |known: &Requirement| Requirement::ADAPTABLE.contains(known) && *known != Requirement::EarlierThinking;
        for name in self.problems.texts(node, "adapt").unwrap_or_default() {
            if let Some(requirement) = Requirement::named(name).filter(is_listable) {
                adaptable.insert(requirement);
            } else {
                let names: Vec<_> =
                    Requirement::ADAPTABLE.into_iter().filter(is_listable).map(Requirement::name).collect();
                let message = format!("`adapt` cannot contain `{name}`; it accepts {}", names.join(", "));
                self.problems.report(node.mark, message);
            }
        }
        adaptable
    }
}
