//! Skills in session files. Clients do not record there which skills they offered, so that only commands name one.

use std::collections::BTreeSet;

/// Returns the skill that a message calls as a command (`/name`); empty for other messages.
pub fn skills_in_message(message: &str) -> BTreeSet<String> {
    client_formats::skills::matching_skills(&[], message)
}
