//! Events about the inputs of decisions: the policy and the list of models.

use serde::{Deserialize, Serialize};

use super::event;
use crate::ContentHash;

/// Event: a policy became active. The text store has its text under `hash`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyLoaded {
    /// Hash of the policy text.
    pub hash: ContentHash,
    /// Length of the policy text in bytes.
    pub bytes: u64,
    /// Path of the policy file, or `built-in`.
    pub path: String,
    /// Home directory that replaces `~` in the policy's paths; `None` if unknown.
    pub home: Option<String>,
}

event!(
    PolicyLoaded,
    "policy.loaded",
    1,
    Internal,
    "A policy came into force.",
    PolicyLoaded {
        hash: ContentHash([0x22; 32]),
        bytes: 1_913,
        path: "/home/dev/.turnwise/routing.yaml".to_owned(),
        home: Some("/home/dev".to_owned()),
    }
);

/// Event: a list of models became active. The text store has the list under `hash`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueLoaded {
    /// Hash of the list.
    pub hash: ContentHash,
    /// Length of the list in bytes.
    pub bytes: u64,
    /// Number of models in the list.
    pub models: u32,
}

event!(
    CatalogueLoaded,
    "catalogue.loaded",
    1,
    Public,
    "The list of models came into force by which decisions are made.",
    CatalogueLoaded { hash: ContentHash([0x33; 32]), bytes: 40_112, models: 31 }
);

/// Event: a policy file is invalid and was not activated (004 §4.8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyInvalid {
    /// Path of the file.
    pub path: String,
    /// Errors in the file, as many as fit into the event.
    pub errors: Vec<String>,
    /// Number of errors that did not fit.
    pub errors_omitted: u32,
    /// Whether an earlier valid policy stays active.
    pub using_last_known_good: bool,
}

event!(
    PolicyInvalid,
    "routing.policy_invalid",
    1,
    Internal,
    "A policy file could not be used.",
    PolicyInvalid {
        path: "/home/dev/.turnwise/routing.yaml".to_owned(),
        errors: vec!["line 7, column 5: unknown key `wehn`; did you mean `when`?".to_owned()],
        errors_omitted: 0,
        using_last_known_good: true,
    }
);
