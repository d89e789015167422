//! What a provider's prompt cache would have known: the simulation behind every "what if another model".
//!
//! [`Calls`] folds the events of a log into [`Call`]s, one at a time. A [`PromptCache`] is fed with them, in the order of
//! each line of work, together with the model that answers in the world it simulates: the recorded one, or another. It
//! says how each prompt would have been split into read, written and uncached tokens, which the model's prices turn
//! into money ([`Split::usage`]). [`Identity`] is that for the recorded models, compared with what was recorded.
//!
//! # The rules
//! For each line of work of a session (its main line, or one sub-agent) and each model, the cache knows one
//! conversation for each [`CacheVariant`](contracts::CacheVariant), and the base: system prompt and tools.
//!
//! - **R0** The base is a part of the first prompt. A prompt stands *after a message* when the turn before was completed.
//! - **R1** After a compaction, a resumption, or when a prompt shrinks other than after a message, all conversations are
//!   lost, of every model. The base stays.
//! - **R2** A message cancelled before its answer, three seconds or more after it was sent, was in the cache.
//! - **R3** Read is what the conversation knows, if it is alive and near; after a message all but the new message, since
//!   the client has sent one call more, which is not recorded. Else the base, if it is alive, or if others keep it so.
//! - **R4** The last few tokens are never cached; the rest is written.
//! - **R5** From when the answer begins, the whole prompt is known.
//!
//! Where the rules come from, how far they were checked and where they fail is told in ADR 10. Only those of Anthropic
//! are checked against recordings, and no recording changes its model within a session.
//!
//! All numbers are integers, times are arguments, and the same calls give the same split on every machine.

mod basis_points;
mod call;
mod calls;
mod identity;
mod line_cache;
mod rules;
mod simulation;
mod split;

pub use basis_points::BasisPoints;
pub use call::{After, Attempt, Call};
pub use calls::Calls;
pub use identity::{Identity, SessionIdentity, Third};
pub use rules::CacheRules;
pub use simulation::{Opening, PromptCache};
pub use split::Split;
