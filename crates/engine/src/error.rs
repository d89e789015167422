//! What can go wrong between a user and a decision.

use std::{io, path::PathBuf};

use catalogue::CatalogueErrors;
use contracts::IdError;
use event_bus::{BusError, LogError};
use event_core::{CodecError, ProjectionError};
use router_core::OverrideError;

use crate::{exchange::ExchangeError, policy_file::PolicyError};

/// An operation of the engine that did not happen.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The bus in front of the log.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// A projection.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// An event that cannot be written or read.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The policy file.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The file of models.
    #[error(transparent)]
    Models(#[from] CatalogueErrors),
    /// A message addressed to no model.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// A name that is not one.
    #[error(transparent)]
    Id(#[from] IdError),
    /// A JSON Lines file.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// A file.
    #[error("cannot {action} `{path}`")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A model nobody knows.
    #[error("no model is called `{name}`{hint}")]
    UnknownModel {
        /// The name.
        name: String,
        /// What to do about it.
        hint: String,
    },
    /// A session nobody has seen.
    #[error("no session `{0}` is in the log; `turnwise import claude-code` brings in sessions")]
    UnknownSession(String),
    /// A turn nobody has seen.
    #[error("no turn `{0}` is in the log; `turnwise events tail` shows the latest")]
    UnknownTurn(String),
    /// The start of an id that several turns share.
    #[error("`{0}` is the start of several turns: write more of it")]
    AmbiguousTurn(String),
    /// A log without a decision.
    #[error("the log has no decision yet; `turnwise import claude-code` or `turnwise demo` makes some")]
    NothingDecided,
    /// A suggestion that is not there.
    #[error("turn `{0}` has no suggestion of the pattern store to accept or dismiss")]
    NoSuggestion(String),
    /// The policy forbids recording text, which embeddings are made of.
    #[error("the policy says `privacy.record_text: never`: nothing is embedded")]
    TextForbidden,
}
