//! The control socket: how commands that write reach the process that has the log.
//!
//! A gateway has the log open for writing, so a command cannot open it as well. The command sends its operations over a
//! Unix socket in the home folder instead. Without a gateway it opens the log and executes the same operations itself;
//! [`execute`] is the only implementation of them.
//!
//! The protocol is one request and one response at a time, each a line of JSON with the protocol's version.

mod client;
mod error;
mod execute;
mod frame;
mod operation;
mod operations;
mod server;
mod socket;
mod writer;

pub use client::Connection;
pub use error::{ControlError, ErrorKind, with_causes};
pub use execute::execute;
pub use frame::{MAX_FRAME_BYTES, VERSION};
pub use operation::{ControlRequest, Operation};
pub use operations::{
    AcceptSuggestion, ClearPatterns, DismissSuggestion, GiveFeedback, ImportTurns, ImportedTurns, LogTotals,
    PolicyState, RecordEmbeddings, RecordVerdicts, RefreshPolicy, SelectModel, SelectedModel, Totals,
};
pub use server::{Commands, serve};
pub use socket::ControlSocket;
pub use writer::Writer;
