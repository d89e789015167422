//! Parses the block `gateway` of a policy file: how requests of the gateway's clients are routed.

use std::collections::BTreeSet;

use contracts::{Requirement, Tier};

use super::{keys, load::Loader};
use crate::yaml::{YamlNode, YamlValue};

/// The meaning of the model that a client requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientModel {
    /// The requested model is ignored: the policy decides.
    Auto,
    /// The requested model serves turns that no rule decides.
    #[default]
    Default,
    /// The requested model is an explicit choice, like `@alias`.
    Override,
}

/// How the model of an auxiliary call is selected. Auxiliary calls are calls that a client makes for itself, such as
/// for a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuxiliaryCalls {
    /// As for a delegation of this tier. The chain continues if no model of the tier can serve the call.
    Tier(Tier),
    /// The model that the client requests serves the call.
    Client,
    /// The chain decides, as for any turn.
    Route,
}

/// How the gateway answers a client's request to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountTokens {
    /// The provider counts them, if it has an endpoint for it; otherwise the count is estimated.
    #[default]
    Provider,
    /// The count is always estimated, without a request to the provider.
    Local,
}

/// The model that serves a turn if no other slot of the chain can (decision D33).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LastResort {
    /// No model: the turn is refused.
    #[default]
    Refuse,
    /// The model that the client requests.
    Requested,
}

/// The calls that fall back to the next model of the chain if the model fails before the first byte of its response
/// (decision D36).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// In every call of a turn.
    #[default]
    Any,
    /// Only before the first response of a turn. Later calls stay with the model of the turn and fail with it.
    TurnStart,
    /// In no call: the client receives the error of the provider.
    Never,
}

/// How requests of the gateway's clients are routed: the block `gateway` of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewaySettings {
    /// The meaning of the model that a client requests.
    pub client_model: ClientModel,
    /// How the model of an auxiliary call is selected.
    pub auxiliary_calls: AuxiliaryCalls,
    /// How a client's request to count tokens is answered.
    pub count_tokens: CountTokens,
    /// Requirements of a request that are dropped or converted if a model does not support them, instead of rejecting
    /// the model: those of `adapt`, and [`Requirement::EarlierThinking`] unless `keep_thinking` is set.
    pub adaptable: BTreeSet<Requirement>,
    /// The model that serves a turn if no other slot of the chain can.
    pub last_resort: LastResort,
    /// In which calls a failed model is replaced by the next one of the chain.
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
    /// Parses the block `gateway`. Missing keys have their defaults; `None` if it is not a mapping.
    pub(super) fn parse_gateway(&mut self, node: &YamlNode<'_>) -> Option<GatewaySettings> {
        let keys = self.problems.parse_mapping(node, "`gateway`", keys::GATEWAY)?;
        let mut settings = GatewaySettings::default();
        if let Some(node) = keys.get("client_model") {
            let words =
                [("auto", ClientModel::Auto), ("default", ClientModel::Default), ("override", ClientModel::Override)];
            settings.client_model = self.problems.parse_choice(node, "client_model", &words).unwrap_or_default();
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
                self.problems.parse_choice(node, "auxiliary_calls", &words).unwrap_or(AuxiliaryCalls::Route);
        }
        if let Some(node) = keys.get("count_tokens") {
            let words = [("provider", CountTokens::Provider), ("local", CountTokens::Local)];
            settings.count_tokens = self.problems.parse_choice(node, "count_tokens", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("last_resort") {
            let words = [("refuse", LastResort::Refuse), ("requested", LastResort::Requested)];
            settings.last_resort = self.problems.parse_choice(node, "last_resort", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("fallback") {
            let words = [("any", Fallback::Any), ("turn_start", Fallback::TurnStart), ("never", Fallback::Never)];
            settings.fallback = self.problems.parse_choice(node, "fallback", &words).unwrap_or_default();
        }
        if let Some(node) = keys.get("adapt") {
            settings.adaptable = self.parse_adapt(node);
        }
        let keep_thinking =
            keys.get("keep_thinking").and_then(|node| self.problems.parse_boolean(node, "keep_thinking"));
        if keep_thinking == Some(true) {
            settings.adaptable.remove(&Requirement::EarlierThinking);
        }
        Some(settings)
    }

    /// Parses the list `adapt`, the features that are dropped or converted if a model does not support them. Earlier
    /// thinking is always included: `keep_thinking` controls it.
    fn parse_adapt(&mut self, node: &YamlNode<'_>) -> BTreeSet<Requirement> {
        let mut adaptable = BTreeSet::from([Requirement::EarlierThinking]);
        // `texts` rejects an empty list, which here is the strict setting.
        if matches!(&node.value, YamlValue::List(items) if items.is_empty()) {
            return adaptable;
        }
        let is_listable = |requirement: &Requirement| {
            Requirement::ADAPTABLE.contains(requirement) && *requirement != Requirement::EarlierThinking
        };
        for name in self.problems.parse_texts(node, "adapt").unwrap_or_default() {
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
