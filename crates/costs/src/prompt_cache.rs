//! Simulates prompt caches of providers, to estimate what the same calls would cost with other models.
//!
//! A provider's prompt cache stores prompts of earlier calls, and charges less for the tokens at the start of a prompt
//! that it finds there.
//!
//! [`CallTracker`] folds the events of a log into [`Call`]s. A [`PromptCache`] simulates each call, in the order of
//! each thread, with a model: the recorded one or another. It returns the number of tokens of the prompt that are read,
//! written and uncached, from which [`PromptSplit::usage`] and the model's prices give the cost. [`SimulationAccuracy`]
//! simulates the recorded models and compares the result with the recorded costs.
//!
//! For each thread of a session (the main conversation, or one sub-agent) and each model, the cache contains one
//! conversation for each [`CacheVariant`](contracts::CacheVariant), and the *base*: system prompt and tools.
//!
//! - **R0** The base is a part of the first prompt. A prompt is *after a message* if the previous turn was completed.
//! - **R1** After a compaction, a resumption, or a prompt that is shorter than the previous one and not after a
//!   message, the conversations of all models are lost. The base remains.
//! - **R2** The message of a call cancelled before its response is cached if the call ran for at least three seconds.
//! - **R3** A call reads the cached prefix of its conversation if that has not expired and is within reach; after a
//!   message, everything except the new message, since the client has sent another call that is not recorded. Otherwise
//!   it reads the base, if that has not expired or other users keep it cached.
//! - **R4** The last few tokens are never cached; the rest is written.
//! - **R5** The whole prompt is cached from the start of the response on.
//!
//! ADR 10 describes the sources of the rules, their validation and their limits. Only those of Anthropic are validated
//! with recordings, and no recording changes the model within a session.
//!
//! All numbers are integers and times are arguments, so equal calls result in equal splits on every machine.

mod accuracy;
mod basis_points;
mod call;
mod call_tracker;
mod rules;
mod simulation;
mod split;
mod thread_cache;

pub use accuracy::{SessionComparison, SessionGroup, SimulationAccuracy};
pub use basis_points::BasisPoints;
pub use call::{Call, CancelledCall, PrecedingInput};
pub use call_tracker::CallTracker;
pub use rules::CacheRules;
pub use simulation::{InitialRead, PromptCache};
pub use split::PromptSplit;
