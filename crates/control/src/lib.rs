//! The control socket, over which commands that write reach the process that has opened the log.
//!
//! Only one process can open a log for writing. While a gateway has it open, a command sends its operations over a Unix
//! socket in the home folder. Without a gateway the command opens the log and executes the same operations itself.
//! [`execute`] is their only implementation.
//!
//! The protocol consists of one request and one response at a time, each a line of JSON with the protocol's version.

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
pub use frame::{MAX_FRAME_BYTES, VERSION, decode_request, decode_response, encode_request, encode_response};
pub use operation::{ControlRequest, Operation};
pub use operations::{
    AcceptSuggestion, ClearPatterns, CorrectSkill, DismissSuggestion, GatewayReport, GiveFeedback, HookDecision,
    ImportTurns, ImportedPart, ImportedTurns, LimitReport, LogTotals, PolicyState, RecordEmbeddings,
    RecordHookDecisions, RecordVerdicts, RecordedHookDecisions, RefreshPolicy, ReportGateway, ReportSession,
    RetriedProvider, RetryProvider, RoutePrompt, SelectModel, SelectedModel, SessionReport, Totals, TurnReport,
};
pub use server::{Commands, serve};
pub use socket::ControlSocket;
pub use writer::Writer;
