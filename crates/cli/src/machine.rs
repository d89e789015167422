//! The coding agents, provider keys and session files of this machine, for `init` and `doctor`.

mod addresses;
mod clients;
mod json_list;
mod json_member;
mod json_style;
mod keys;
mod sample;
mod settings_file;

pub(crate) use addresses::{ConfiguredAddress, configured_addresses};
pub(crate) use clients::{Client, ClientKind, claude_folder, find_clients, find_program, session_folder};
pub(crate) use json_list::{edit_elements, push_element};
pub(crate) use json_member::{edit_member, find_member, has_members, remove_member, set_member, set_styled_member};
pub(crate) use json_style::Style;
pub(crate) use keys::{KeySource, find_keys, load_providers};
pub(crate) use sample::Sample;
pub(crate) use settings_file::SettingsFile;
