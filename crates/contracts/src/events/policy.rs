//! Events about what decisions are made by: the policy and the models.

use serde::{Deserialize, Serialize};

use super::event;
use crate::ContentHash;

/// A policy came into force. Its text is in the text store under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyLoaded {
    /// The hash of its text.
    pub hash: ContentHash,
    /// The length of its text.
    pub bytes: u64,
    /// The file it was read from, or `built-in`.
    pub path: String,
    /// What `~` in its paths stands for.
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

/// The models came into force by which decisions are made. The list is in the text store under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueLoaded {
    /// The hash of the list.
    pub hash: ContentHash,
    /// The length of the list.
    pub bytes: u64,
    /// How many models it names.
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

/// A policy file could not be used (004 §4.8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyInvalid {
    /// The file.
    pub path: String,
    /// What is wrong with it, as many errors as fit.
    pub errors: Vec<String>,
    /// How many errors did not fit.
    pub errors_omitted: u32,
    /// Whether an earlier, valid version stays active.
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
