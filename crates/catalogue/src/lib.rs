//! Catalogue of models with prices and capabilities: the built-in list, overridden by the user's `models.yaml`.
//!
//! [`estimate`] computes token estimates without a tokenizer. The built-in list is generated from a price list in
//! `LiteLLM`'s format (see [`litellm`]) and curated by `crates/catalogue/curation.yaml`. A user's `models.yaml`
//! overrides it field by field:
//!
//! ```yaml
//! auto_names: [turnwise, auto]         # what clients ask for when the policy is to choose; this is the default
//! models:
//!   anthropic:claude-sonnet-5-5:
//!     aliases: [sonnet, work]          # replaces the aliases of the built-in entry, nothing else
//!   anthropic:claude-opus-4-5:
//!     remove: true                     # as if it had never been there
//!   acme:large:                        # a model of one's own
//!     tier: deep
//!     context_window: 200000           # required for a model that is not built in
//!     max_output: 32000                # default: the context window
//!     can_delegate: true               # default: false
//!     configured: true                 # default: true; false rejects it as `not_configured`
//!     tokenizer: generic               # anthropic, open_ai, google, generic
//!     apis: [openai_chat]              # what it is served over; default: what its provider usually has
//!     snapshots: [large-20260901]      # dated names of the same model
//!     released: 2026-09-01             # default: the earliest date in `snapshots`
//!     capabilities: {images: true}     # default: false for images and structured_output; true for tools, system_prompt,
//!                                      # effort (how hard to think, in words) and thinking_budget (the same in tokens)
//!     prices:                          # USD per million tokens, at most six decimals; dropped: no cost is known
//!       input: 3.00
//!       output: 15.00
//!       cache_read: 0.30               # default: the input price
//!       cache_write_5m: 3.75           # default: the input price
//!       cache_write_1h: 6.00           # default: the 5-minute price
//!       long_context: {above_tokens: 200000, input: 6.00, output: 22.50}
//! ```
//!
//! Each model also has its bare name (`claude-sonnet-5-5`) as an alias, unless two models share it or another model has
//! it as an alias. An alias in a user's file is removed from all built-in models.

#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod decimal;
mod entry;
mod error;
pub mod estimate;
pub mod litellm;
mod read;
mod reassigned;
mod registry;
mod release;
mod text;
mod write;

pub use entry::{CapabilityEntry, LongContextEntry, ModelEntries, ModelEntry, PriceEntry, RateEntry};
pub use error::{CatalogueError, CatalogueErrors};
pub use read::{MAX_BYTES, parse};
pub use reassigned::{ReassignedAlias, reassigned_aliases};
pub use registry::{ModelFile, load_registry, load_registry_over};
pub use text::{RegistryTextError, registry_from_text, registry_text};
pub use write::to_yaml;

/// The built-in models as YAML, in the format of a user's file.
pub const BUILT_IN: &str = include_str!("../built-in.yaml");
