//! The coding agents, provider keys and session files of this machine, for `init` and `doctor`.

mod clients;
mod keys;
mod sample;

pub(crate) use clients::{Client, ClientKind, find_clients, session_folder};
pub(crate) use keys::{KeySource, find_keys, load_providers};
pub(crate) use sample::Sample;
