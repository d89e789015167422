//! The error of the engine's operations.

use std::{io, path::PathBuf};

use catalogue::CatalogueErrors;
use contracts::IdError;
use event_bus::{BusError, LogError};
use event_core::{CodecError, ProjectionError};
use router_core::OverrideError;
use skills::SkillRouterError;

use crate::{exchange_error::ExchangeError, policy_file::PolicyError};

/// The error of an operation of the engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The log could not be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The bus is closed or has failed.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// An event could not be folded into a projection.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// An event could not be encoded or decoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The policy file is invalid.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// `models.yaml` is invalid.
    #[error(transparent)]
    Models(#[from] CatalogueErrors),
    /// The mention of the message names no model.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// A name is not a valid id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// A JSON Lines file is invalid.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// A file operation failed.
    #[error("cannot {action} `{path}`")]
    File {
        /// The operation, as a verb.
        action: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// No model has this name or alias.
    #[error("no model is called `{name}`{hint}")]
    UnknownModel {
        /// The name.
        name: String,
        /// A clause with suggestions; empty if there are none.
        hint: String,
    },
    /// The log has no such session.
    #[error("no session `{0}` is in the log; `turnwise import claude-code` brings in sessions")]
    UnknownSession(String),
    /// The log has no such turn.
    #[error("no turn `{0}` is in the log; `turnwise events tail` shows the latest")]
    UnknownTurn(String),
    /// The log has no skill decision with this id.
    #[error("no skill decision `{0}` is in the log; `turnwise skills log` lists the latest")]
    UnknownSkillDecision(String),
    /// A text that cannot be the name of a skill.
    #[error("`{0}` is not the name of a skill: write the name that `turnwise skills list` shows, or `none`")]
    SkillName(String),
    /// Several turn ids start with this text.
    #[error("`{0}` is the start of several turns: write more of it")]
    AmbiguousTurn(String),
    /// The log has no decision.
    #[error("the log has no decision yet; `turnwise import claude-code` or `turnwise demo` makes some")]
    NothingDecided,
    /// The turn has no suggestion to accept or dismiss.
    #[error("turn `{0}` has no suggestion of the pattern store to accept or dismiss")]
    NoSuggestion(String),
    /// The turn has ended, so that its suggestion can be neither accepted nor dismissed.
    #[error(
        "turn `{0}` has ended: a suggestion is accepted or dismissed while its turn runs. To rate the turn, run \
         `turnwise feedback up {0}` or `turnwise feedback down {0}`; to choose the model of the next turns, `turnwise model NAME`"
    )]
    TurnEnded(String),
    /// The user has already made the opposite choice about the suggestion.
    #[error("the suggestion for turn `{turn}` was already {choice}")]
    SuggestionDecided {
        /// The id of the turn.
        turn: String,
        /// The choice that was made: `accepted` or `dismissed`.
        choice: &'static str,
    },
    /// The skills cannot be prepared for decisions.
    #[error(transparent)]
    Skills(#[from] SkillRouterError),
    /// The policy forbids recording text, and embeddings are computed from it.
    #[error("the policy says `privacy.record_text: never`: nothing is embedded")]
    TextForbidden,
}

impl EngineError {
    /// Returns whether the cause is a full disk, so that the operation can succeed later.
    pub fn is_out_of_room(&self) -> bool {
        match self {
            Self::Log(error) | Self::Bus(BusError::Log(error)) => error.is_out_of_room(),
            _ => false,
        }
    }
}
