//! The coding agents, provider keys and session files of this machine, for `init` and `doctor`.

mod addresses;
mod clients;
mod json_member;
mod keys;
mod sample;
mod settings_file;

pub(crate) use addresses::{ConfiguredAddress, configured_addresses};
pub(crate) use clients::{Client, ClientKind, claude_folder, find_clients, session_folder};
pub(crate) use json_member::{find_member, remove_member, set_member};
pub(crate) use keys::{KeySource, find_keys, load_providers};
pub(crate) use sample::Sample;
pub(crate) use settings_file::SettingsFile;
